package commits_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"

	"roundtable/activities/answers"
	"roundtable/activities/commits"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/analysis/storage"
	"roundtable/workflows/transcript"
)

func ptr[T any](v T) *T { return &v }

// sample is a collaboration of n turns with every kind of value: absent ones,
// empty texts, zeros behind pointers, empty and filled lists, odd characters.
func sample(campaign, condition, collaboration string, generation, n int) commits.Rows {
	key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: campaign, ConditionID: condition, CollaborationID: collaboration, Generation: int32(generation)}
	rows := commits.Rows{Collaborations: []record.Collaboration{{
		Key: key, Status: "succeeded", Environment: "exchange", EnvVersion: 1, InstanceID: "i0", Replicate: 2, Protocol: "roundtable", Rule: "ranked",
		Model: "scripted/trader", Simulated: true, Agents: 3, RoundsPlanned: 10, RoundsRun: 10, EndReason: "rounds", DecidedRound: ptr(int32(0)),
		DecisionKey: ptr(""), DecisionJSON: ptr(`{"a":[1,2]}`), Score: ptr(0.1), Utilities: []float64{0, math.Copysign(0, -1), 1e-300}, Turns: int32(n), Seed: -5,
		SettingsJSON: "{}", Calls: 7, CostUSD: ptr(0.5), StartedAt: 1_700_000_000_000_001, EndedAt: 1_700_000_000_000_002,
	}}}
	for i := range n {
		e := int32(i)
		rows.Rounds = append(rows.Rounds, record.Round{Key: key, Round: e + 1, Voted: i%2 == 0, Score: ptr(float64(i)), Utilities: []float64{float64(i)}})
		rows.Turns = append(rows.Turns, record.Turn{
			Key: key, Entry: e, Round: 1, Phase: "vote", Kind: "ask", Agent: ptr(int32(0)), AgentName: "Ada", Status: "said", Asks: 1,
			Text: ptr(strings.Repeat(fmt.Sprintf("line %d\n\tété 😀 \x00 ", i), 5)), Reason: ptr(""), SeesJSON: "[[0,3]]", PromptHash: "p", AnswerHash: "a",
		})
		rows.Ballots = append(rows.Ballots,
			record.Ballot{Key: key, Round: 1, Entry: e, Agent: e, Candidate: ptr(int32(1)), Value: ptr(0.5), ValueExact: ptr("1/2"), Standing: ptr(false)},
			record.Ballot{Key: key, Round: 1, Entry: e, Agent: e, Candidate: ptr(int32(0)), Value: ptr(1.0), ValueExact: ptr("1")},
			record.Ballot{Key: key, Round: 2, Entry: e, Agent: e, Abstained: true})
		rows.Calls = append(rows.Calls, record.Call{Key: key, Entry: e, Provider: "openai", Status: "answered", InputTokens: ptr(int64(0)), StartedAt: 5})
	}
	return rows
}

func shuffled(r commits.Rows) commits.Rows {
	x := rand.New(rand.NewPCG(1, 2))
	mix := func(n int, swap func(i, j int)) { x.Shuffle(n, swap) }
	r.Rounds, r.Turns, r.Ballots, r.Calls = slices.Clone(r.Rounds), slices.Clone(r.Turns), slices.Clone(r.Ballots), slices.Clone(r.Calls)
	mix(len(r.Rounds), reflect.Swapper(r.Rounds))
	mix(len(r.Turns), reflect.Swapper(r.Turns))
	mix(len(r.Ballots), reflect.Swapper(r.Ballots))
	mix(len(r.Calls), reflect.Swapper(r.Calls))
	return r
}

func readBack(t *testing.T, s storage.Store, ms []lake.Marker) (r commits.Rows) {
	t.Helper()
	var errs [5]error
	r.Collaborations, errs[0] = lake.ReadAll[record.Collaboration](ctx, s, ms)
	r.Rounds, errs[1] = lake.ReadAll[record.Round](ctx, s, ms)
	r.Turns, errs[2] = lake.ReadAll[record.Turn](ctx, s, ms)
	r.Ballots, errs[3] = lake.ReadAll[record.Ballot](ctx, s, ms)
	r.Calls, errs[4] = lake.ReadAll[record.Call](ctx, s, ms)
	must(t, errors.Join(errs[:]...))
	return r
}

func verified(t *testing.T, s storage.Store, campaign string) lake.Report {
	t.Helper()
	r, err := lake.Verify(ctx, s, campaign)
	must(t, err)
	if !r.OK() {
		t.Fatalf("%+v", r.Findings)
	}
	return r
}

func TestCommittedRowsComeBack(t *testing.T) {
	_, s, _ := open(t)
	rows := sample("c", "k", "x", 0, 40)
	m, err := commits.Commit(ctx, s, shuffled(rows))
	must(t, err)
	markers, err := lake.Committed(ctx, s, "c")
	must(t, err)
	checkSame(t, markers, []lake.Marker{m})
	want, err := rows.Sorted()
	must(t, err)
	got := readBack(t, s, markers)
	for i := range got.Collaborations { // a list that is empty comes back empty, not nil
		checkSame(t, got.Collaborations[i], want.Collaborations[i])
	}
	checkSame(t, got, want)
	r := verified(t, s, "c")
	if r.Commits != 1 || r.Files != 5 || r.Rows != 1+40+40+120+40 || r.Digest != lake.Digest(markers) || len(r.Uncommitted) > 0 {
		t.Fatalf("%+v", r)
	}
	objects, err := s.List(ctx, "raw/turns/")
	must(t, err)
	if len(objects) != 1 || objects[0].Key != "raw/turns/campaign=c/condition=k/x.0.parquet" {
		t.Fatal(objects)
	}
}

func TestCommitWithoutTurns(t *testing.T) {
	_, s, _ := open(t)
	rows := sample("c", "k", "x", 0, 0)
	rows.Collaborations[0].Status, rows.Collaborations[0].Failure = "failed", ptr("the model was not found")
	m, err := commits.Commit(ctx, s, rows)
	must(t, err)
	if len(m.Files) != 1 || m.Status != "failed" || m.Rows(record.Turns) != 0 {
		t.Fatalf("%+v", m)
	}
	verified(t, s, "c")
	if got := readBack(t, s, []lake.Marker{m}); len(got.Turns) != 0 || *got.Collaborations[0].Failure != "the model was not found" {
		t.Fatalf("%+v", got)
	}
}

func TestLatestGeneration(t *testing.T) {
	_, s, _ := open(t)
	for _, g := range []int{0, 2, 1} {
		_, err := commits.Commit(ctx, s, sample("c", "k", "x", g, 1))
		must(t, err)
	}
	_, err := commits.Commit(ctx, s, sample("c", "j", "y", 0, 1))
	must(t, err)
	_, err = commits.Commit(ctx, s, sample("other", "j", "y", 0, 1))
	must(t, err)
	latest, err := lake.Committed(ctx, s, "c")
	must(t, err)
	all, err := lake.Commits(ctx, s, "c")
	must(t, err)
	if len(all) != 4 || len(latest) != 2 || latest[0].Collaboration != "y" || latest[1].Generation != 2 {
		t.Fatalf("%+v of %+v", latest, all)
	}
	_, err = answers.NewAnswers(s).Put(ctx, answers.RunKey{Campaign: "young", Collaboration: "x"}, turn(0, "x", "x"))
	must(t, err)
	names, err := lake.Campaigns(ctx, s)
	must(t, err)
	checkSame(t, names, []string{"c", "other", "young"})
	names, err = lake.Campaigns(ctx, struct{ storage.Store }{s}) // a store that cannot list folders
	must(t, err)
	checkSame(t, names, []string{"c", "other", "young"})
}

func TestCommitAgain(t *testing.T) {
	_, s, _ := open(t)
	rows := sample("c", "k", "x", 0, 3)
	first, err := commits.Commit(ctx, s, rows)
	must(t, err)
	later := sample("c", "k", "x", 0, 3)
	later.Collaborations[0].EndedAt++ // operational
	later.Calls = later.Calls[:1]
	again, err := commits.Commit(ctx, s, later)
	must(t, err)
	checkSame(t, again, first)
	other := sample("c", "k", "x", 0, 3)
	other.Turns[1].Text = ptr("something else")
	stored, err := commits.Commit(ctx, s, other)
	if !errors.Is(err, commits.ErrConflict) {
		t.Fatal(err)
	}
	checkSame(t, stored, first)
}

// Files of an earlier, unfinished commit: the same rows stay, a torn file is
// repaired, other rows are a conflict.
func TestCommitOverFilesWithoutMarker(t *testing.T) {
	_, s, dir := open(t)
	rows := sample("c", "k", "x", 0, 3)
	first, err := commits.Commit(ctx, s, rows)
	must(t, err)
	unmark := func() { must(t, s.Delete(ctx, first.Key())) }

	unmark()
	later := sample("c", "k", "x", 0, 3)
	later.Collaborations[0].EndedAt++
	later.Calls = later.Calls[:1]
	again, err := commits.Commit(ctx, s, later)
	must(t, err)
	checkSame(t, again, first)
	verified(t, s, "c")

	for _, f := range first.Files {
		for _, keep := range []int64{0, f.Size / 2, f.Size - 1} {
			unmark()
			must(t, os.Truncate(filepath.Join(dir, f.Key), keep))
			again, err = commits.Commit(ctx, s, rows)
			must(t, err)
			checkSame(t, again, first)
			verified(t, s, "c")
		}
	}

	unmark()
	other := sample("c", "k", "x", 0, 3)
	other.Ballots[0].Value = ptr(0.25)
	if _, err := commits.Commit(ctx, s, other); !errors.Is(err, commits.ErrConflict) || !strings.Contains(err.Error(), "raw/ballots/") {
		t.Fatal(err)
	}
	if r, err := lake.Verify(ctx, s, "c"); err != nil || len(r.Uncommitted) != 5 || r.Commits != 0 {
		t.Fatalf("%+v %v", r, err)
	}
}

// A program that was killed between files and marker, and replaced by a version that
// knows more columns, left the same rows.
func TestCommitOverFilesOfAnEarlierVersion(t *testing.T) {
	type round struct {
		record.Key
		Round int32    `parquet:"round"`
		Voted bool     `parquet:"voted"`
		Score *float64 `parquet:"score"`
	}
	_, s, _ := open(t)
	rows := sample("c", "k", "x", 0, 3)
	first, err := commits.Commit(ctx, s, rows)
	must(t, err)
	for _, changed := range []bool{true, false} {
		must(t, s.Delete(ctx, first.Key()))
		var old []round
		for _, r := range rows.Rounds {
			old = append(old, round{r.Key, r.Round, r.Voted != changed, r.Score})
		}
		var b bytes.Buffer
		w := parquet.NewGenericWriter[round](&b)
		_, err := w.Write(old)
		must(t, err)
		must(t, w.Close())
		key := first.Files[record.Rounds].Key
		must(t, s.Delete(ctx, key))
		must(t, s.PutIfAbsent(ctx, key, b.Bytes()))
		again, err := commits.Commit(ctx, s, rows)
		if changed {
			if !errors.Is(err, commits.ErrConflict) {
				t.Fatal(again, err)
			}
			continue
		}
		must(t, err)
		checkSame(t, again, first)
		verified(t, s, "c")
	}
}

func TestCommitRefuses(t *testing.T) {
	for want, change := range map[string]func(*commits.Rows){
		"must be one":    func(r *commits.Rows) { r.Collaborations = nil },
		"two rows":       func(r *commits.Rows) { r.Turns[1] = r.Turns[0] },
		"among those of": func(r *commits.Rows) { r.Calls[1].Generation = 1 },
		"schema version": func(r *commits.Rows) { r.Collaborations[0].SchemaVersion = 9 },
		"not UTF-8":      func(r *commits.Rows) { r.Turns[1].Text = ptr("\xff") },
		"column reason":  func(r *commits.Rows) { r.Turns[1].Reason = ptr("\xff") },
		"no number":      func(r *commits.Rows) { r.Collaborations[0].Score = ptr(math.NaN()) },
		"cost_usd":       func(r *commits.Rows) { r.Calls[1].CostUSD = ptr(math.Inf(1)) },
		"no name": func(r *commits.Rows) {
			*r = sample("..", "k", "x", 0, 0)
			r.Collaborations[0].CollaborationID = ".."
		},
	} {
		_, s, _ := open(t)
		rows := sample("c", "k", "x", 0, 2)
		change(&rows)
		if _, err := commits.Commit(ctx, s, rows); err == nil || want != "no name" && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v", want, err)
		}
		if objects, _ := s.List(ctx, "raw/_commits/"); len(objects) > 0 {
			t.Errorf("%s: left %v", want, objects)
		}
	}
}

func TestManyCommittersAtOnce(t *testing.T) {
	_, a, dir := open(t)
	b, err := storage.NewLocal(dir)
	must(t, err)
	defer b.Close()
	var mu sync.Mutex
	var markers []commits.Marker
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			rows := sample("c", "k", "x", 0, 5)
			rows.Collaborations[0].StartedAt += int64(i)
			m, err := commits.Commit(ctx, []storage.Store{a, b}[i%2], rows)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			markers = append(markers, m)
		})
	}
	wg.Wait()
	for _, m := range markers[1:] {
		checkSame(t, m, markers[0])
	}
	verified(t, a, "c")
}

// faulty fails at one operation, before or after it has taken effect.
type faulty struct {
	storage.Store
	left  int
	after bool
}

var errFault = errors.New("injected")

func (f *faulty) fault(do func() error) error {
	if f.left--; f.left != 0 {
		return do()
	}
	if f.after {
		_ = do()
	}
	return errFault
}

func (f *faulty) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	return f.fault(func() error { return f.Store.PutIfAbsent(ctx, key, data) })
}

func (f *faulty) Get(ctx context.Context, key string) (data []byte, err error) {
	err = f.fault(func() error { data, err = f.Store.Get(ctx, key); return err })
	return data, err
}

// A commit that is cut off anywhere is finished by the next one, with the same marker.
func TestCommitCutOffAnywhere(t *testing.T) {
	rows := sample("c", "k", "x", 0, 2)
	_, quiet, _ := open(t)
	want, err := commits.Commit(ctx, quiet, rows)
	must(t, err)
	for _, after := range []bool{false, true} {
		cuts := 0
		for {
			_, s, _ := open(t)
			if _, err := commits.Commit(ctx, &faulty{s, cuts + 1, after}, rows); err == nil {
				break
			} else if !errors.Is(err, errFault) {
				t.Fatal(err)
			}
			cuts++
			got, err := commits.Commit(ctx, s, rows)
			must(t, err)
			checkSame(t, got, want)
			verified(t, s, "c")
		}
		if cuts != 7 { // marker looked up, five files, marker
			t.Errorf("%d places to cut", cuts)
		}
	}
}

// Every bit flip and every cut, in any object, is found and named; nothing panics.
func TestVerifyFindsAllDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes under the race detector, which has nothing to see in it")
	}
	a, s, dir := open(t)
	_, err := commits.Commit(ctx, s, sample("c", "k", "x", 0, 3))
	must(t, err)
	p := answers.RunKey{Campaign: "c", Collaboration: "x"}
	_, err = a.Intend(ctx, p, answers.Intent{})
	must(t, err)
	_, err = a.Put(ctx, p, turn(0, "raw", "text"))
	must(t, err)
	_, err = a.PutBatch(ctx, p, []answers.Turn{turn(1, "raw", "text"), turn(2, "raw", "text")})
	must(t, err)
	_, err = money.Open(ctx, money.Config{Store: s, Campaign: "c", Count: func(context.Context) (money.Amount, error) { return money.Amount{Tokens: 5}, nil }})
	must(t, err)
	whole := verified(t, s, "c")
	objects, err := s.List(ctx, "")
	must(t, err)
	if whole.Commits != 1 || whole.Answers != 3 || len(objects) != 6+3+1 {
		t.Fatalf("%+v, %d objects", whole, len(objects))
	}
	x := rand.New(rand.NewPCG(7, 7))
	for n := range 2000 {
		o := objects[n%len(objects)]
		file := filepath.Join(dir, filepath.FromSlash(o.Key))
		good, err := os.ReadFile(file)
		must(t, err)
		bad := slices.Clone(good)
		what := fmt.Sprintf("damage %d of %s: ", n, o.Key)
		switch n / len(objects) % 5 {
		case 0:
			bad = bad[:x.IntN(len(bad))]
			what += fmt.Sprint("cut to ", len(bad))
		case 1:
			at, length := x.IntN(len(bad)), 1+x.IntN(64)
			for i := at; i < min(at+length, len(bad)); i++ {
				bad[i] = ^bad[i]
			}
			what += fmt.Sprint("hole at ", at)
		default:
			bit := x.IntN(8 * len(bad))
			bad[bit/8] ^= 1 << (bit % 8)
			what += fmt.Sprint("bit ", bit)
		}
		must(t, os.WriteFile(file, bad, 0o600))
		r, err := lake.Verify(ctx, s, "c")
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Object != o.Key {
			t.Fatalf("%s: found %+v, error %v", what, r.Findings, err)
		}
		if !raceDetector && strings.HasPrefix(o.Key, "raw/") && !strings.HasPrefix(o.Key, "raw/_") {
			read(t, bad)
		}
		must(t, os.WriteFile(file, good, 0o600))
	}
	for _, o := range objects {
		must(t, os.Rename(filepath.Join(dir, o.Key), filepath.Join(dir, "away")))
		r, err := lake.Verify(ctx, s, "c")
		must(t, err)
		switch {
		case strings.HasPrefix(o.Key, "raw/_"): // as if it had never been committed
			if r.Commits != 0 || len(r.Uncommitted) != 5 {
				t.Errorf("%s is gone: %+v", o.Key, r)
			}
		case strings.HasPrefix(o.Key, "raw/"):
			if len(r.Findings) != 1 || r.Findings[0].Object != o.Key {
				t.Errorf("%s is gone: %+v", o.Key, r)
			}
		}
		must(t, os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, o.Key)))
	}
}

// read decodes damaged bytes without the protection of a checksum: it must come back.
func read(t *testing.T, bad []byte) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("panic: %v", p)
		}
	}()
	_, _ = lake.Decode[record.Turn](bad)
	_, _ = lake.Decode[record.Collaboration](bad)
}

// A marker that lies about its rows is found although its own checksum is right.
func TestVerifyRecomputesTheDigest(t *testing.T) {
	_, s, _ := open(t)
	m, err := commits.Commit(ctx, s, sample("c", "k", "x", 0, 2))
	must(t, err)
	m.Digest = strings.Repeat("0", 64)
	data, err := lake.Seal(m)
	must(t, err)
	must(t, s.Replace(ctx, m.Key(), data, ""))
	r, err := lake.Verify(ctx, s, "c")
	if err != nil || len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Problem, "digest") {
		t.Fatalf("%+v %v", r, err)
	}
}

func cell() commits.Rows {
	rows := sample("c", "k", "x", 0, 90)
	rows.Rounds = rows.Rounds[:10]
	return rows
}

// BenchmarkCommit is a collaboration of 90 turns, 10 rounds, 270 ballots and 90 calls.
func BenchmarkCommit(b *testing.B) {
	_, s, _ := open(b)
	rows := cell()
	b.ReportAllocs()
	for i := range b.N {
		rows = renamed(rows, fmt.Sprint("x", i))
		if _, err := commits.Commit(ctx, s, rows); err != nil {
			b.Fatal(err)
		}
	}
}

func renamed(r commits.Rows, name string) commits.Rows {
	for i := range r.Collaborations {
		r.Collaborations[i].CollaborationID = name
	}
	for i := range r.Rounds {
		r.Rounds[i].CollaborationID = name
	}
	for i := range r.Turns {
		r.Turns[i].CollaborationID = name
	}
	for i := range r.Ballots {
		r.Ballots[i].CollaborationID = name
	}
	for i := range r.Calls {
		r.Calls[i].CollaborationID = name
	}
	return r
}

func BenchmarkDigest(b *testing.B) {
	rows, err := cell().Sorted()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := record.Digest(rows); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLiveTurn is what a paid call with one ask writes: an intent and an answer of 2 KB.
func BenchmarkLiveTurn(b *testing.B) {
	a, _, _ := open(b)
	t := turn(0, strings.Repeat("word ", 400), strings.Repeat("word ", 100))
	t.Act = transcript.Act{Status: transcript.Said}
	b.SetParallelism(50)
	var mu sync.Mutex
	n := 0
	b.RunParallel(func(pb *testing.PB) {
		mu.Lock()
		n++
		p := answers.RunKey{Campaign: "c", Collaboration: fmt.Sprint("x", n)}
		mu.Unlock()
		for entry := 0; pb.Next(); entry++ {
			turn := t
			turn.Entry = entry
			if _, err := a.Turn(ctx, p, entry); err != nil {
				b.Error(err)
			}
			if _, err := a.Intend(ctx, p, answers.Intent{Entry: entry}); err != nil {
				b.Error(err)
			}
			if _, err := a.Put(ctx, p, turn); err != nil {
				b.Error(err)
			}
		}
	})
}
