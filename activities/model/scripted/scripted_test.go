package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// taste is a policy whose values are given.
type taste struct {
	values  map[envs.Proposal]float64
	reserve float64
	offer   string
	to      []int
	noisy   bool
}

func (p taste) Message(envs.Situation) envs.Message {
	return envs.Message{To: p.to, Text: "hello \"all\" <3"}
}
func (p taste) Propose(envs.Situation) (string, bool) { return p.offer, p.offer != "" }
func (p taste) Reserve(envs.Situation) float64        { return p.reserve }
func (p taste) Value(s envs.Situation, c envs.Proposal) float64 {
	if p.noisy {
		return s.Rand.Float64()
	}
	return p.values[c]
}

// pie is an instance whose proposals are shares of whole numbers that are not negative.
type pie struct{ envs.Instance }

func (pie) Agents() []envs.Agent { return []envs.Agent{{Name: "Ann"}, {Name: "Bob"}, {Name: "Cy"}} }
func (pie) Parse(p []byte) (envs.Proposal, error) {
	var shares map[string]int
	if json.Unmarshal(p, &shares) != nil || len(shares) != 3 {
		return "", errors.New("a proposal gives each agent a whole number")
	}
	for _, a := range (pie{}).Agents() {
		if v, ok := shares[a.Name]; !ok || v < 0 {
			return "", errors.New("a proposal gives each agent a whole number")
		}
	}
	out, err := json.Marshal(shares)
	return envs.Proposal(out), err
}

func scene(seed uint64, f transcript.Format, spec transcript.BallotSpec, candidates ...envs.Proposal) *model.Scene {
	spec.N = len(candidates)
	return &model.Scene{
		Situation:  envs.Situation{Agent: 0, Agents: pie{}.Agents(), Round: 1, Rounds: 10, Rand: envs.Stream(seed, "test")},
		Format:     f,
		Ballot:     spec,
		Candidates: candidates,
	}
}

func ask(t *testing.T, p Params, policy envs.Policy, s *model.Scene) string {
	t.Helper()
	m, err := New(p, policy)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Complete(t.Context(), model.Request{Scene: s})
	if err != nil {
		t.Fatal(err)
	}
	if r.Model != "scripted" || r.FinishReason != "stop" {
		t.Errorf("got %+v", r)
	}
	return string(r.Text)
}

func ballot(t *testing.T, p taste, spec transcript.BallotSpec, candidates ...envs.Proposal) string {
	t.Helper()
	text := ask(t, Params{}, p, scene(1, transcript.FormatBallot, spec, candidates...))
	var b struct {
		Reason   *string         `json:"reason_for_decision"`
		Decision json.RawMessage `json:"decision"`
	}
	if err := json.Unmarshal([]byte(text), &b); err != nil || b.Reason == nil {
		t.Fatalf("%s: %v", text, err)
	}
	return string(b.Decision)
}

func TestBallots(t *testing.T) {
	p := taste{values: map[envs.Proposal]float64{"a": 0.2, "b": 0.9, "c": 0.5, "d": math.NaN(), "e": 7}, reserve: 0.5}
	picky := p
	picky.reserve = 0.95
	for _, c := range []struct {
		policy     taste
		spec       transcript.BallotSpec
		candidates string
		want       string
	}{
		{p, transcript.BallotSpec{Kind: transcript.Choose}, "abc", "2"},
		{p, transcript.BallotSpec{Kind: transcript.Choose}, "a", "null"},
		{picky, transcript.BallotSpec{Kind: transcript.Choose}, "abc", "null"},
		{p, transcript.BallotSpec{Kind: transcript.Choose}, "", "null"},
		{p, transcript.BallotSpec{Kind: transcript.Rate, Min: 1, Max: 5}, "abc", `{"1":2,"2":5,"3":3}`},
		{p, transcript.BallotSpec{Kind: transcript.Rate, Min: 1, Max: 5}, "de", `{"1":1,"2":5}`},
		{p, transcript.BallotSpec{Kind: transcript.Rank}, "abc", "[2,3,1]"},
		{p, transcript.BallotSpec{Kind: transcript.Approve}, "abc", "[2,3]"},
		{picky, transcript.BallotSpec{Kind: transcript.Approve}, "abc", "[]"},
		{p, transcript.BallotSpec{Kind: transcript.Distribute, Points: 3}, "abc", `{"1":0,"2":2,"3":1}`},   // .375 1.6875 .9375
		{p, transcript.BallotSpec{Kind: transcript.Distribute, Points: 25}, "abc", `{"1":3,"2":14,"3":8}`}, // 3.125 14.06 7.81
		{p, transcript.BallotSpec{Kind: transcript.Distribute, Points: 4}, "dd", `{"1":2,"2":2}`},
	} {
		var candidates []envs.Proposal
		for _, x := range c.candidates {
			candidates = append(candidates, envs.Proposal(x))
		}
		if got := ballot(t, c.policy, c.spec, candidates...); got != c.want {
			t.Errorf("%s over %s: %s, want %s", c.spec.Kind, c.candidates, got, c.want)
		}
	}
}

var kinds = []transcript.BallotSpec{
	{Kind: transcript.Choose}, {Kind: transcript.Rate, Min: 1, Max: 5}, {Kind: transcript.Rank},
	{Kind: transcript.Distribute, Points: 4}, {Kind: transcript.Approve},
}

const (
	offer = `{"Ann":5,"Bob":3,"Cy":2}`
	fair  = `{"Ann":4,"Bob":3,"Cy":3}`
)

// parse reads an answer as the turn's activity does.
func parse(s *model.Scene, text string) (prompt.Answer, error) {
	return prompt.Parse([]byte(text), transcript.Step{Payload: transcript.Payload{Format: s.Format, Ballot: s.Ballot}}, pie{})
}

// everyForm calls f with every format and kind of ballot, for many seeds.
func everyForm(f func(seed uint64, s func() *model.Scene)) {
	for seed := range uint64(150) {
		for _, format := range []transcript.Format{transcript.FormatMessage, transcript.FormatProposal} {
			f(seed, func() *model.Scene { return scene(seed, format, transcript.BallotSpec{}) })
		}
		for _, spec := range kinds {
			f(seed, func() *model.Scene { return scene(seed, transcript.FormatBallot, spec, offer, fair, "x") })
		}
	}
}

func TestGoodAnswersAreAccepted(t *testing.T) {
	everyForm(func(seed uint64, s func() *model.Scene) {
		text := ask(t, Params{}, taste{offer: offer, noisy: true, to: []int{2}}, s())
		a, err := parse(s(), text)
		if err != nil || a.Act.Status != transcript.Said {
			t.Errorf("seed %d: %s: %v %+v", seed, text, err, a.Act)
		}
		if s().Format == transcript.FormatMessage && (a.Text != `hello "all" <3` || !slices.Equal(a.Act.To, []int{2})) {
			t.Errorf("got %+v", a)
		}
	})
}

func TestMalformedAnswersAreRefusedAndOfEveryKind(t *testing.T) {
	seen := map[string]bool{}
	everyForm(func(seed uint64, s func() *model.Scene) {
		text := ask(t, Params{Malformed: 1}, taste{offer: offer, noisy: true}, s())
		_, err := parse(s(), text)
		if err == nil {
			t.Errorf("seed %d: %s is accepted", seed, text)
			return
		}
		if s().Format == transcript.FormatBallot {
			seen[strings.Map(func(r rune) rune {
				if '0' <= r && r <= '9' {
					return -1
				}
				return r
			}, err.Error())] = true
		}
	})
	if len(seen) < 8 {
		t.Errorf("only these faults: %v", seen)
	}
	if got := ask(t, Params{Malformed: 1}, taste{}, scene(1, transcript.FormatText, transcript.BallotSpec{})); got != "" {
		t.Errorf("malformed text %q", got)
	}
}

func TestMalformedDependsOnTheAskAndNothingElseDoes(t *testing.T) {
	p := Params{Malformed: 0.5}
	bad, fixed := 0, 0
	for seed := range uint64(400) {
		answers := make([]string, 4)
		for n := range answers {
			s := scene(seed, transcript.FormatBallot, kinds[1], offer, fair)
			s.Ask = n
			answers[n] = ask(t, p, taste{noisy: true}, s)
		}
		good := ask(t, Params{}, taste{noisy: true}, scene(seed, transcript.FormatBallot, kinds[1], offer, fair))
		for _, x := range answers {
			if _, err := parse(scene(seed, transcript.FormatBallot, kinds[1], offer, fair), x); err == nil && x != good {
				t.Fatalf("seed %d: the ask changed a good answer: %s, %s", seed, x, good)
			}
		}
		if answers[0] != good {
			bad++
			if slices.Contains(answers[1:], good) {
				fixed++
			}
		}
	}
	if bad < 160 || bad > 240 || fixed < bad*3/4 {
		t.Errorf("%d of 400 malformed, %d fixed in three more asks", bad, fixed)
	}
}

func TestSkip(t *testing.T) {
	skipped, abstained := 0, 0
	for seed := range uint64(1000) {
		p := Params{Skip: 0.3}
		s := scene(seed, transcript.FormatProposal, transcript.BallotSpec{})
		if a, err := parse(s, ask(t, p, taste{offer: offer}, s)); err != nil {
			t.Fatal(err)
		} else if a.Act.Status == transcript.Skipped {
			skipped++
		}
		s = scene(seed, transcript.FormatBallot, kinds[2], offer, fair)
		if a, err := parse(s, ask(t, p, taste{}, s)); err != nil {
			t.Fatal(err)
		} else if a.Act.Status == transcript.Abstained {
			abstained++
		}
	}
	for _, n := range []int{skipped, abstained} {
		if n < 240 || n > 360 {
			t.Errorf("%d of 1000, want about 300", n)
		}
	}
	s := scene(1, transcript.FormatProposal, transcript.BallotSpec{})
	if a, err := parse(s, ask(t, Params{}, taste{}, s)); err != nil || a.Act.Status != transcript.Skipped {
		t.Errorf("a policy that proposes nothing: %+v, %v", a, err)
	}
}

// An agent's taste must not depend on which other candidates there are, nor on their order.
func TestTiesAndNoiseBelongToTheCandidate(t *testing.T) {
	firsts := map[string]int{}
	for _, policy := range []taste{{}, {noisy: true}} {
		for seed := range uint64(300) {
			rank := func(candidates ...envs.Proposal) string {
				s := scene(seed, transcript.FormatBallot, transcript.BallotSpec{Kind: transcript.Rank}, candidates...)
				a, err := parse(s, ask(t, Params{}, policy, s))
				if err != nil {
					t.Fatal(err)
				}
				out := ""
				for _, c := range a.Act.Ballot.Order {
					out += string(candidates[c])
				}
				return out
			}
			abc := rank("a", "b", "c")
			if got := rank("c", "a", "b"); got != abc {
				t.Fatalf("seed %d: %s, in another order %s", seed, abc, got)
			}
			if got := rank("b", "a"); got != strings.ReplaceAll(abc, "c", "") {
				t.Fatalf("seed %d: %s, without c %s", seed, abc, got)
			}
			firsts[abc[:1]]++
		}
	}
	for c, n := range firsts {
		if n < 150 || n > 250 {
			t.Errorf("%s is first %d times of 600", c, n)
		}
	}
}

func TestDistributionAlwaysAddsUp(t *testing.T) {
	for seed := range uint64(300) {
		rng := envs.Stream(seed, "points")
		values := map[envs.Proposal]float64{}
		var candidates []envs.Proposal
		for c := range 1 + rng.IntN(8) {
			p := envs.Proposal(fmt.Sprint(c))
			candidates = append(candidates, p)
			values[p] = float64(rng.IntN(4)) / 3
		}
		s := scene(seed, transcript.FormatBallot, transcript.BallotSpec{Kind: transcript.Distribute, Points: rng.IntN(30)}, candidates...)
		if text := ask(t, Params{}, taste{values: values}, s); true {
			if _, err := parse(s, text); err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
		}
	}
}

func TestUsageIsFourBytesAToken(t *testing.T) {
	m, _ := New(Params{}, taste{})
	r, err := m.Complete(t.Context(), model.Request{
		Messages: []model.Message{{Content: "12345"}, {Content: "6789"}},
		Scene:    scene(1, transcript.FormatText, transcript.BallotSpec{}),
	})
	if want := (model.Usage{Input: 3, Output: 4}); err != nil || r.Usage != want { // 9 bytes; hello "all" <3 is 14
		t.Errorf("got %+v, %v", r.Usage, err)
	}
}

func TestLatency(t *testing.T) {
	m, _ := New(Params{Latency: model.Duration(30 * time.Millisecond), Jitter: model.Duration(time.Millisecond)}, taste{})
	began := time.Now()
	if _, err := m.Complete(t.Context(), model.Request{Scene: scene(1, transcript.FormatText, transcript.BallotSpec{})}); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(began); d < 30*time.Millisecond {
		t.Errorf("answered after %v", d)
	}
	m, _ = New(Params{Latency: model.Duration(time.Hour)}, taste{})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := m.Complete(ctx, model.Request{Scene: scene(1, transcript.FormatText, transcript.BallotSpec{})})
	var e *model.Error
	if !errors.As(err, &e) || e.Class != model.Retry || !e.Unbilled || time.Since(began) > 10*time.Second {
		t.Errorf("got %v", err)
	}
}

func TestFaults(t *testing.T) {
	for _, p := range []Params{{Malformed: -1}, {Skip: 2}, {Malformed: math.NaN()}, {Latency: -1}, {Jitter: -1}} {
		if _, err := New(p, taste{}); err == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
	if _, err := New(Params{}, nil); err == nil {
		t.Error("no policy is accepted")
	}
	wrongCount := scene(1, transcript.FormatBallot, kinds[0], "a")
	wrongCount.Ballot.N = 2
	for name, s := range map[string]*model.Scene{
		"no scene":            nil,
		"no stream":           {Format: transcript.FormatText},
		"no such format":      scene(1, "song", transcript.BallotSpec{}),
		"no such ballot":      scene(1, transcript.FormatBallot, transcript.BallotSpec{Kind: "shout"}, "a"),
		"proposal not JSON":   scene(1, transcript.FormatProposal, transcript.BallotSpec{}),
		"addressee not there": scene(1, transcript.FormatMessage, transcript.BallotSpec{}),
		"wrong count":         wrongCount,
	} {
		m, _ := New(Params{}, taste{offer: "{", to: []int{9}})
		_, err := m.Complete(t.Context(), model.Request{Scene: s})
		var e *model.Error
		if !errors.As(err, &e) || e.Class != model.Fail {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestParamsAreReadFromJSON(t *testing.T) {
	var p Params
	if err := json.Unmarshal([]byte(`{"malformed":0.1,"skip":0.2,"latency":"200ms","jitter":"1s"}`), &p); err != nil {
		t.Fatal(err)
	}
	if p != (Params{0.1, 0.2, model.Duration(200 * time.Millisecond), model.Duration(time.Second)}) {
		t.Errorf("got %+v", p)
	}
	for _, bad := range []string{`{"latency":"-1s"}`, `{"latency":"soon"}`, `{"latency":5}`} {
		if json.Unmarshal([]byte(bad), &p) == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func BenchmarkBallot(b *testing.B) {
	m, _ := New(Params{}, taste{noisy: true})
	for b.Loop() {
		if _, err := m.Complete(b.Context(), model.Request{Scene: scene(1, transcript.FormatBallot, kinds[3], offer, fair, "x")}); err != nil {
			b.Fatal(err)
		}
	}
}
