package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/table"
)

var update = flag.Bool("update", false, "write the golden files again")

func p[T any](v T) *T { return &v }

const settings = `{"env":{"name":"exchange"},"protocol":{"name":"roundtable"},"rule":{"name":%q},"model":{"name":"openai/gpt"}}`

// collaboration is one of three agents over some rounds: messages of the given
// text, proposals, ballots and a count.
func collaboration(rule string, replicate, rounds int, text string) record.Rows {
	key := record.Key{SchemaVersion: 1, CampaignID: "made-up", ConditionID: rule + "-1", CollaborationID: fmt.Sprintf("%s-1-i0-r%d", rule, replicate)}
	r := record.Rows{}
	names := []string{"Ann", "Bob", "Cem"}
	add := func(round int, phase, format string) *record.Turn {
		agent := int32(len(r.Turns) % 10 % 3)
		r.Turns = append(r.Turns, record.Turn{
			Key: key, Entry: int32(len(r.Turns)), Round: int32(round), Phase: phase, Kind: "ask", Agent: &agent, AgentName: names[agent],
			Format: format, Status: "said", Asks: 1, SeesJSON: fmt.Sprintf("[[0,%d]]", len(r.Turns)/3*3),
		})
		return &r.Turns[len(r.Turns)-1]
	}
	decided := `{"Ann":{"apples":82.3,"bread":14.42}}`
	for round := 1; round <= rounds; round++ {
		for range names {
			add(round, "message", "message").Text = &text
		}
		for i := range names {
			t := add(round, "proposal", "proposal")
			t.ProposalJSON, t.ProposalKey, t.ProposalUtility, t.Reason = &decided, p(fmt.Sprint("k", i)), p(3.5), p("good for me")
		}
		for i := range names {
			t := add(round, "vote", "ballot")
			t.DataJSON = p(`{"b":{"c":0}}`)
			r.Ballots = append(r.Ballots, record.Ballot{
				Key: key, Round: int32(round), Entry: t.Entry, Agent: int32(i), Candidate: p(int32(0)), CandidateKey: p("k0"), ProposersJSON: p("[0]"), ValueExact: p("1"),
			})
		}
		count := add(round, "vote", "")
		count.Kind, count.Agent, count.DataJSON = "decide", nil, p(`{"d":{"Winners":[0],"Selected":0}}`)
		r.Rounds = append(r.Rounds, record.Round{Key: key, Round: int32(round), Voted: true, Passed: true, Changed: true, DecisionKey: p("k0"), DecisionJSON: &decided, Score: p(.5), Utilities: []float64{1, 2}})
	}
	for _, t := range r.Turns {
		if t.Kind == "ask" {
			r.Calls = append(r.Calls, record.Call{Key: key, Entry: t.Entry, ModelAsked: "openai/gpt", ModelAnswered: "gpt-2026", Status: "answered", FinishReason: "stop", StartedAt: 1_700_000_000_000_000})
		}
	}
	r.Collaborations = []record.Collaboration{{
		Key: key, Status: "succeeded", Environment: "exchange", Measure: record.Share, InstanceID: "k3", Protocol: "roundtable", Rule: rule, Model: "openai/gpt", Agents: 3, Replicate: int32(replicate),
		RoundsPlanned: int32(rounds), RoundsRun: int32(rounds), EndReason: "rounds", DecidedRound: p(int32(1)), DecisionJSON: &decided, Score: p(.5), Utilities: []float64{1, 2},
		Turns: int32(len(r.Turns)), Calls: int32(len(r.Calls)), CostUSD: p(.25), SettingsJSON: fmt.Sprintf(settings, rule), EngineVersion: "1", PromptsHash: "abc",
		StartedAt: 1_700_000_000_000_000, EndedAt: 1_700_000_060_000_000,
	}}
	return r
}

// source is a report of the given collaborations.
func source(all ...record.Rows) Source {
	s := Source{Campaign: campaign.Campaign{Name: "made-up"}, Cost: recorded.Spending{Campaign: "made-up", By: recorded.ByModel}, Collaborations: sequence(all), Digest: "d1"}
	for _, r := range all {
		run := newRun(r.Collaborations[0], r.Rounds, r.Turns)
		campaign.Keep(&run.Parts, findWrong(r))
		s.Campaign.Runs = append(s.Campaign.Runs, run)
	}
	return s
}

func sequence(all []record.Rows) iter.Seq2[record.Rows, error] {
	return func(yield func(record.Rows, error) bool) {
		for _, r := range all {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Labels bring graphs, Table 9, the strongest pairs of acts, and agreement.
func TestLabelsAreInThePage(t *testing.T) {
	s := source(collaboration("majority", 0, 2, "I want 30 apples."))
	plain := write(t, s)
	inform, _ := acts.Of("Inform")
	s.Labels = &dialogue.Labels{Labeller: "openai-x-1", Talks: map[lake.Run]acts.ActsByRound{
		{Collaboration: "majority-1-i0-r0"}: {{inform, inform, inform}, {inform, 0, 0}},
	}}
	s.Agreement = &table.Table{Name: "agreement", Title: "Agreement of labellers", Columns: []string{"act"}}
	page := write(t, s)
	for _, says := range []string{"(Figure 22)", "(paper 1, Table 9)", "Labelled by openai-x-1.", "pairs of dialogue acts", "Agreement of labellers"} {
		if strings.Contains(plain, says) || !strings.Contains(page, says) {
			t.Errorf("%q: without labels %t, with them %t", says, strings.Contains(plain, says), strings.Contains(page, says))
		}
	}
}

// failing has an invalid turn, a cut answer, a lost call and no good end.
func failing() record.Rows {
	r := collaboration("rated", 1, 1, "hello")
	c := &r.Collaborations[0]
	c.Status, c.Failure, c.EndReason, c.Simulated, c.DecisionJSON, c.DecidedRound, c.Score = "failed", p("openai/gpt: 400 after 17 tries"), "", true, nil, nil, nil
	r.Turns[1].Status, r.Turns[1].InvalidReason, r.Turns[1].Asks, r.Turns[1].Text = "invalid", p("the answer is not JSON"), 3, nil
	r.Calls[0].FinishReason, r.Calls[1].Status = "length", "unknown"
	return r
}

// write is the page that has everything in it.
func write(t testing.TB, s Source) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := Write(&b, s, Files{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// writeFolder is the page of a folder, and the files of the transcripts.
func writeFolder(t testing.TB, s Source) (page string, files map[string]string, w Written) {
	t.Helper()
	files = map[string]string{}
	var b bytes.Buffer
	w, err := Write(&b, s, Files{Page: "report.html", Folder: "report-transcripts", Put: func(name string, data []byte) error {
		files[name] = string(data)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), files, w
}

var (
	styles = regexp.MustCompile(`(?s)<style>.*?</style>`)
	script = regexp.MustCompile(`(?s)<script>.*?</script>\n?`)
	packed = regexp.MustCompile(`<script type="application/gzip" class="transcripts" data-ids="([^"]*)">([^<]*)</script>`)
	drawn  = regexp.MustCompile(`(?s)<svg ([^>]*)>.*?</svg>`)
)

// TestPageGolden has the whole page but for style, script and drawings.
func TestPageGolden(t *testing.T) {
	s := source(collaboration("majority", 0, 2, "I want 30 apples.\nAnd you?"), collaboration("majority", 1, 2, "Fine."), failing())
	page := write(t, s)
	page = styles.ReplaceAllString(page, "<style>…</style>")
	page = script.ReplaceAllString(page, "<script>…</script>\n")
	page = regexp.MustCompile(`sha256-(?:[^&]|&#43;)*`).ReplaceAllString(page, "sha256-…")
	page = drawn.ReplaceAllString(page, "<svg>…</svg>")
	golden := filepath.Join("testdata", "page.html")
	if *update {
		if err := os.WriteFile(golden, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != page {
		t.Errorf("the page is not %s; -update writes it", golden)
	}
	for _, says := range []string{
		"SIMULATED: answers by scripted agents, not by language models, in 1 of 3 collaborations.",
		"3 collaborations finished: 2 succeeded, 1 failed, 0 stopped.",
		"majority (2) · rated (1)", "openai/gpt: 400 after 17 tries", "answer that ended early", "call of unknown outcome", "turn without a usable answer",
		`"rated-1-i0-r1","failed"`, "<summary>rated · instance k3", `<link rel="icon" href="data:,">`, `href="#rated-1-i0-r1"`, `id="rated-1-i0-r1"`, "2023-11-14 22:13:20 to 2023-11-14 22:14:20 UTC",
		"INVALID after 3 answers", "saw turns 1–6", "Candidate 1",
	} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
}

func TestSameRowsSamePage(t *testing.T) {
	s := source(collaboration("majority", 0, 2, "a"), failing())
	one := write(t, s)
	two := write(t, s)
	if one != two {
		t.Error("two reports of the same rows differ")
	}
}

// Past a size, transcripts are packed: those before it, too.
func TestLargeTranscriptsArePacked(t *testing.T) {
	text := strings.Repeat("All work and no play. ", 1000)
	var all []record.Rows
	for i := range 80 {
		all = append(all, collaboration("majority", i, 2, text))
	}
	page := write(t, source(all...))
	if strings.Contains(page, "All work") || len(page) > inPage {
		t.Fatalf("the page has %d bytes, and transcripts as they are", len(page))
	}
	blocks := packed.FindAllStringSubmatch(page, -1)
	if len(blocks) < 2 {
		t.Fatalf("%d blocks", len(blocks))
	}
	found := 0
	for _, block := range blocks {
		transcripts := unpack[string](t, block[2])
		for id := range strings.FieldsSeq(block[1]) {
			if !strings.Contains(transcripts[id], text[:100]) {
				t.Errorf("%s is not told in its block", id)
			}
			found++
		}
	}
	if found != len(all) {
		t.Errorf("%d of %d are packed", found, len(all))
	}
}

func unpack[T any](t *testing.T, text string) (named map[string]T) {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&named); err != nil {
		t.Fatal(err)
	}
	return named
}

// In a folder each transcript is a page.
func TestFolder(t *testing.T) {
	page, files, w := writeFolder(t, source(collaboration("majority", 7, 2, "All work"), failing()))
	if len(files) != 4 || w != (Written{Collaborations: 2, Transcripts: 2}) {
		t.Fatalf("%d files, %+v", len(files), w)
	}
	if strings.Contains(page, "All work") || !strings.Contains(page, `data-base="report-transcripts/"`) || !strings.Contains(page, `href="report-transcripts/rated-1-i0-r1.html"`) {
		t.Error("the page has transcripts, or no link to them")
	}
	shared := files["style.css"] + files["story.js"]
	for name, file := range files {
		id, is := strings.CutSuffix(name, ".html")
		if !is {
			continue
		}
		blocks := packed.FindAllStringSubmatch(file, -1)
		if len(blocks) != 1 || !strings.Contains(unpack[string](t, blocks[0][2])[id], "Round 1") || !strings.Contains(file, `href="../report.html"`) || !strings.Contains(file, "Content-Security-Policy") {
			t.Errorf("%s is not a transcript with a way back", name)
		}
		if !strings.Contains(shared, "DecompressionStream") || !strings.Contains(file, `src="story.js"`) || !strings.Contains(file, `href="style.css"`) || len(file) > 5000 {
			t.Errorf("%s has %d bytes: what all pages have is not shared, or something is not packed", name, len(file))
		}
	}
}

func TestKindsOfFaults(t *testing.T) {
	tally := tallyRuns(nil)
	for i := range 12 {
		tally.addFailure("turn", fmt.Sprintf("attempt %d of 100", i), fmt.Sprint("c", i))
	}
	tally.addFailure("turn", "other", "c9")
	got := tally.sortedFailures()
	if len(got) != 2 || got[0] != (failure{"turn", "attempt 0 of 100", 12, "c0"}) {
		t.Errorf("kinds %+v", got)
	}
	for i := range 2 * mostFailures {
		tally.addFailure("turn", strings.Repeat("x", i), "c")
	}
	if got = tally.sortedFailures(); len(got) != mostFailures+1 || got[mostFailures].N != 2+2*mostFailures-mostFailures {
		t.Errorf("%d kinds, of which the last is %+v", len(got), got[len(got)-1])
	}
}

func TestFaultsEndTheReport(t *testing.T) {
	broken := errors.New("damaged")
	s := source(collaboration("majority", 0, 1, "a"))
	s.Collaborations = func(yield func(record.Rows, error) bool) { yield(record.Rows{}, broken) }
	if _, err := Write(io.Discard, s, Files{}); !errors.Is(err, broken) {
		t.Errorf("a damaged lake: %v", err)
	}
	s.Collaborations = sequence([]record.Rows{{}})
	if _, err := Write(io.Discard, s, Files{}); err == nil {
		t.Error("a collaboration without a row of its own is reported")
	}
	var large []record.Rows
	for i := range 40 {
		large = append(large, collaboration("majority", i, 2, strings.Repeat("long ", 5000)))
	}
	full := errors.New("disk full")
	if _, err := Write(io.Discard, source(large...), Files{Put: func(string, []byte) error { return full }}); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

func TestNothingYet(t *testing.T) {
	page := write(t, source())
	for _, says := range []string{"0 collaborations finished", "There is nothing to show yet."} {
		if !strings.Contains(page, says) {
			t.Errorf("an empty campaign's page does not say %q", says)
		}
	}
}

func BenchmarkReport1000(b *testing.B) {
	var all []record.Rows
	for i := range 1000 {
		all = append(all, collaboration([]string{"majority", "rated"}[i%2], i, 10, strings.Repeat("I would give up apples for more bread. ", 5)))
	}
	s := source(all...)
	b.ResetTimer()
	for b.Loop() {
		var page bytes.Buffer
		if _, err := Write(&page, s, Files{}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(page.Len()), "page-bytes")
	}
}

// newRun takes a run from its rows.
func newRun(c record.Collaboration, rounds []record.Round, turns []record.Turn) campaign.Run {
	r, err := campaign.NewRun(record.Rows{Collaborations: []record.Collaboration{c}, Rounds: rounds, Turns: turns}, study.Readers()...)
	if err != nil {
		panic(err)
	}
	return r
}
