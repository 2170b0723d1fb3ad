package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
	"strings"
	"sync"
	"testing"
	"time"
)

// wordy is a campaign whose messages differ and are so long that a batch takes
// few of them. Its agents cost nothing, so its budget is for embeddings.
const wordy = `name: wordy
replicates: 4
env: exchange
protocol: {name: roundtable, rounds: 3}
model: {name: openai/fake}
generate: {max_tokens: 60000}
prices: {openai/fake: {input: 0, output: 0}, openai/local: {input: 0, output: 0}}
limits: {cost_usd: 0.5}
grid: {rule: [majority, ranked]}
`

const wordyKey = "canary-embedding-key-77aa"

// shop answers agents with long messages, and sells embeddings at a dollar for a
// million tokens: each byte is one, which is all that a request may cost.
type shop struct {
	*vendor
	front *httptest.Server

	mu     sync.Mutex
	sold   []string // hashes of the texts of each request, in its order
	calls  int
	billed int64 // tokens
}

func newShop(t *testing.T) *shop {
	s := &shop{vendor: newVendor(t)}
	s.front = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.front.Close)
	s.vendor.set(func(a *asked) *trick {
		if !strings.Contains(a.prompt(), "this is the message phase") {
			return nil
		}
		return &trick{name: "wordy", play: func(v *vendor, a *asked, w http.ResponseWriter, _ *http.Request) {
			sum := sha256.Sum256([]byte(a.key))
			text := hex.EncodeToString(sum[:]) + strings.Repeat(" and so on", 2500)
			body, _ := v.answer(a, fmt.Sprintf(`{"target": [], "message": %q}`, text), "stop")
			w.Write(body)
		}}
	})
	return s
}

func (s *shop) serve(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/embeddings") {
		s.vendor.serve(w, r)
		return
	}
	var q struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || r.Header.Get("Authorization") != "Bearer "+wordyKey {
		http.Error(w, `{"error":{"message":"who is that?"}}`, http.StatusUnauthorized)
		return
	}
	tokens, data := int64(64), []string(nil)
	s.mu.Lock()
	for i, text := range q.Input {
		tokens += int64(len(text)) + 16
		sum := sha256.Sum256([]byte(text))
		s.sold = append(s.sold, hex.EncodeToString(sum[:]))
		data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[%d,%d,1]}`, i, sum[0], sum[1]))
	}
	s.calls++
	s.billed += tokens
	s.mu.Unlock()
	time.Sleep(80 * time.Millisecond)
	fmt.Fprintf(w, `{"data":[%s],"usage":{"prompt_tokens":%d}}`, strings.Join(data, ","), tokens)
}

func (s *shop) books() (sold []string, calls int, billed int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.sold...), s.calls, s.billed
}

func (s *shop) at() []string {
	return []string{"OPENAI_BASE_URL=" + s.front.URL + "/v1", "OPENAI_API_KEY=" + wordyKey}
}

// keptVectors are the hashes of the texts that have a vector in the lake.
func keptVectors(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "lake", "embeddings", "*", "*", "*"))
	noError(t, err)
	kept := map[string]bool{}
	for _, f := range files {
		kept[filepath.Base(f)] = true
	}
	return kept
}

// TestEmbeddingBudget: embeddings are never bought at a price that nobody knows,
// not without being told to, not above the campaign's cap however often it is
// killed with -9, and none twice that was kept.
func TestEmbeddingBudget(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	s := newShop(t)
	dir := write(t, wordy)
	ends(t, 0, dir, s.at(), "run", "campaign.yaml")
	by := []string{"--embedder", "openai/tiny"}

	if d := ends(t, cli.ExitUsage, dir, s.at(), append([]string{"features", "wordy", "--cost-unknown"}, by...)...); !strings.Contains(d.err, `the price of openai/tiny is not known; give it: --price '{"input": …}'`) {
		t.Errorf("without a price:\n%s", d.err)
	}
	for _, args := range [][]string{{"analyze", "wordy", "--table", "message-language"}, {"analyze", "wordy", "--figure", "information-distance"}, {"report", "wordy"}} {
		d := ends(t, cli.ExitUsage, dir, s.at(), append(args, by...)...)
		if !strings.Contains(d.err, "72 texts of campaign wordy have no embedding by openai/tiny at "+s.front.URL) || !strings.Contains(d.err, "about 451.2k tokens") || !strings.Contains(d.err, "roundtable features wordy --embedder openai/tiny") {
			t.Errorf("%v says\n%s", args, d.err)
		}
	}
	keyless := ends(t, cli.ExitUsage, dir, []string{"OPENAI_BASE_URL=", "OPENAI_API_KEY="}, "analyze", "wordy", "--table", "message-language", "--embedder", "openai/text-embedding-3-small")
	if !strings.Contains(keyless.err, "72 texts of campaign wordy have no embedding by openai/text-embedding-3-small") {
		t.Errorf("without a key, which only features needs:\n%s", keyless.err)
	}
	if _, calls, _ := s.books(); calls != 0 {
		t.Fatalf("%d requests before anything was allowed", calls)
	}

	buy := append([]string{"features", "wordy", "--price", `{"input": 1}`}, by...)
	capped := func(limit int64) {
		t.Helper()
		if _, _, billed := s.books(); billed > limit {
			t.Errorf("%d tokens are billed, the cap is worth %d", billed, limit)
		}
	}
	again := func(kept map[string]bool, from int) {
		t.Helper()
		sold, _, _ := s.books()
		for _, text := range sold[from:] {
			if kept[text] {
				t.Errorf("%s was kept and is bought again", text)
			}
		}
	}
	kills := 0
	for range 3 {
		kept, b := keptVectors(t, dir), starts(t, dir, s.at(), buy...)
		sold, from, _ := s.books()
		screentest.Until(t, "a request or the end", func() bool { _, calls, _ := s.books(); return b.over() || calls > from })
		if !b.over() {
			kills++
		}
		b.kill()
		capped(500_000)
		again(kept, len(sold))
	}
	if kills == 0 {
		t.Error("it was never killed")
	}
	kept := keptVectors(t, dir)
	sold, _, _ := s.books()
	d := ends(t, cli.ExitIncomplete, dir, s.at(), buy...)
	for _, says := range []string{"embedding stopped: campaign wordy: budget reached: ", "`roundtable resume wordy --cost-usd N` continues", "resume with: the same command"} {
		if !strings.Contains(d.err, says) {
			t.Errorf("does not say %q:\n%s", says, d.err)
		}
	}
	capped(500_000)
	again(kept, len(sold))

	ends(t, 0, dir, s.at(), "tune", "wordy", "--cost-usd", "4")
	kept = keptVectors(t, dir)
	sold, _, _ = s.books()
	d = ends(t, 0, dir, s.at(), append(buy, "--json")...)
	var r analyze.FeaturesReport
	if err := json.Unmarshal([]byte(d.out), &r); err != nil || r.Messages != 72 || r.Asked == nil || r.Asked.Texts != int64(72-len(kept)) || r.Asked.CostUSD == nil || *r.Asked.CostUSD <= 0 {
		t.Errorf("%v: %s, %d texts were there", err, d.out, len(kept))
	}
	again(kept, len(sold))
	capped(4_000_000)
	spentOn(t, dir, s)

	for price, says := range map[string]string{`{"input": -1}`: "from 0 to 1e6", `{"output": 1}`: "input must be given", `{"in": 1}`: `"in"`} {
		if d := ends(t, cli.ExitUsage, dir, s.at(), "features", "wordy", "--embedder", "openai/other", "--price", price); !strings.Contains(d.err, says) {
			t.Errorf("--price %s:\n%s", price, d.err)
		}
	}
	if d := ends(t, 0, dir, s.at(), "features", "wordy", "--embedder", "openai/local"); !strings.Contains(d.err, "72 texts embedded") || !strings.Contains(d.err, "$0.0000") {
		t.Errorf("an embedder that the campaign's file names:\n%s", d.err)
	}

	_, calls, _ := s.books()
	s.front.Close() // what is in the lake needs neither a service nor a key
	env := []string{"OPENAI_API_KEY=", "OPENAI_BASE_URL=" + s.front.URL + "/v1"}
	if d := ends(t, 0, dir, env, append([]string{"features", "wordy"}, by...)...); !strings.Contains(d.out, "72 messages of 8 collaborations") {
		t.Errorf("when all is bought, features says\n%s", d.out)
	}
	if d := ends(t, 0, dir, env, append([]string{"analyze", "wordy", "--table", "message-language"}, by...)...); !strings.Contains(d.out, "Information distances by openai/tiny at") {
		t.Errorf("Table 8 is\n%s", d.out)
	}
	if _, now, _ := s.books(); now != calls {
		t.Errorf("%d requests for what was bought", now-calls)
	}
	ends(t, 0, dir, nil, "verify", "wordy")
	leaks(t, dir, wordyKey)
}

// spentOn compares cost and status with the shop's own books.
func spentOn(t *testing.T, dir string, s *shop) {
	t.Helper()
	var c struct {
		Table struct{ Rows []map[string]any }
	}
	noError(t, json.Unmarshal([]byte(ends(t, 0, dir, nil, "cost", "wordy", "--json").out), &c))
	_, calls, billed := s.books()
	found := false
	for _, row := range c.Table.Rows {
		name, _ := row["condition"].(string)
		if !strings.HasPrefix(name, "embeddings by openai-tiny-at-") {
			continue
		}
		found = true
		known, unknown, input := row["answered"].(float64), row["unknown"].(float64), row["input tokens"].(float64)
		cost, worst := row["cost USD"].(float64), row["worst USD"].(float64)
		// A request may have been announced and not have left before a kill.
		if int(known+unknown) < calls || unknown == 0 || int64(input) > billed || worst < float64(billed)/1e6-1e-6 || cost < input/1e6-1e-4 || cost > input/1e6+1e-4 || row["collaborations"] != nil {
			t.Errorf("cost says %v; %d requests for %d tokens", row, calls, billed)
		}
	}
	if !found {
		t.Errorf("cost has no row for the embedder: %v", c.Table.Rows)
	}
}
