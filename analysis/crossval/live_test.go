package crossval_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/crossval"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

const (
	agents     = 3
	rounds     = 6
	acceptance = stopping.Pair(5*11 + 8) // Propose->Accept goes with greater score
)

// drawn is a collaboration drawn at random: what each agent does in each round, and what
// is said of it.
type drawn struct {
	silent, proposes [rounds][agents]bool
	votes            [rounds][agents]int // for whose candidate
	acts             [rounds][agents]stopping.Acts
	unlabelled       [rounds][agents]bool // the labeller gave no usable answer
	distance         [rounds]*float64
	score            [rounds]*float64
}

func draw(rng *rand.Rand) drawn {
	var d drawn
	for r := range rounds {
		for i := range agents {
			d.silent[r][i], d.proposes[r][i] = rng.IntN(6) == 0, rng.IntN(3) == 0
			d.votes[r][i] = rng.IntN(2)
			d.unlabelled[r][i] = rng.IntN(8) == 0
			for act := range stopping.ActNames {
				if rng.IntN(6) == 0 {
					d.acts[r][i] |= 1 << act
				}
			}
		}
		if rng.IntN(5) > 0 {
			d.distance[r] = new(rng.Float64())
		}
		if r > 0 || rng.IntN(2) == 0 {
			d.score[r] = new(rng.Float64())
			if r > 0 && stopping.Times(d.acts[r-1][:], d.acts[r][:], acceptance) > 0 {
				*d.score[r] += 1
			}
		}
	}
	return d
}

// play plays a collaboration to its end with a rule, as a workflow does, and returns
// its last round and its transcript.
func (d drawn) play(t *testing.T, rule stopping.Rule) (last int, said *transcript.Transcript) {
	t.Helper()
	majority, err := decision.NewMajority(decision.MajorityParams{})
	if err != nil {
		t.Fatal(err)
	}
	set := protocol.Setting{Agents: agents, Rule: majority}
	params := protocol.DefaultRoundtable()
	params.Rounds = rounds
	p, err := protocol.NewRoundtable(params, set)
	if err != nil {
		t.Fatal(err)
	}
	s := protocol.NewSession(p, set, rule)
	for s.Outcome() == nil {
		for _, step := range s.Pending() {
			if err := s.Record(step.Entry, d.act(step)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s.Outcome().Round, s.Transcript()
}

func (d drawn) act(p protocol.Pending) transcript.Act {
	r, i := p.Round-1, p.Speaker.Index
	said := transcript.Act{Status: transcript.Said}
	switch p.Payload.Format {
	case transcript.FormatMessage:
		if d.silent[r][i] {
			said.Status = transcript.Invalid
		}
	case transcript.FormatProposal:
		if said.Key = fmt.Sprint(d.votes[r][i]*(i+1), r/2); !d.proposes[r][i] {
			said = transcript.Act{Status: transcript.Skipped}
		}
	case transcript.FormatBallot:
		said.Ballot = &transcript.Ballot{Choice: min(d.votes[r][i], len(p.Payload.Candidates)-1)}
	case transcript.FormatActs:
		if said.Tags = d.acts[r][i].Names(); d.unlabelled[r][i] {
			said = transcript.Act{Status: transcript.Invalid}
		}
	case transcript.FormatDistance:
		if d.distance[r] != nil {
			said.Values = []float64{*d.distance[r]}
		}
	}
	return said
}

// trajectory returns the collaboration as it is analysed when it has run all rounds.
func (d drawn) trajectory(t *testing.T, n int) acts.Trajectory {
	last, said := d.play(t, stopping.Never{})
	if last != rounds {
		t.Fatalf("it ended with round %d", last)
	}
	run := acts.Trajectory{ID: fmt.Sprint("run", n), Unit: fmt.Sprint(n), Environment: "exchange", Agents: agents}
	spoke := [rounds]bool{}
	for r, seen := range stopping.RoundsOf(said, rounds) {
		round := acts.Round{Score: d.score[r], Agreed: seen.Agreed, Proposals: seen.Proposals, Agreement: seen.Agreement, Acts: make([]stopping.Acts, agents)}
		for i := range agents {
			if !d.silent[r][i] {
				spoke[r] = true
				if !d.unlabelled[r][i] {
					round.Acts[i] = d.acts[r][i]
				}
			}
		}
		if r > 0 && spoke[r] && spoke[r-1] {
			round.Distance = d.distance[r]
		}
		run.Rounds = append(run.Rounds, round)
	}
	return run
}

// methodNamed returns a method; the bound of the e-process is one that few collaborations can set.
func methodNamed(t *testing.T, method string) crossval.Method {
	t.Helper()
	m, err := crossval.MethodNamed(method, new(0.6))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every method, fitted on collaborations drawn at random, stops others while they run at
// the round at which it stops them looking back.
func TestLiveIsAfterTheFact(t *testing.T) {
	stopped := map[string]int{}
	seeds := uint64(12)
	if *long {
		seeds = 40
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 3))
		var all []drawn
		var runs []acts.Trajectory
		for n := range 24 {
			d := draw(rng)
			all, runs = append(all, d), append(runs, d.trajectory(t, n))
		}
		past, err := crossval.NewData(runs[:12])
		if err != nil {
			t.Fatal(err)
		}
		later, err := crossval.NewData(runs[12:])
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range stopping.MethodNames() {
			fitted, _, err := crossval.FitAll(t.Context(), past, methodNamed(t, method))
			if err != nil {
				t.Fatal(err)
			}
			fit, err := json.Marshal(stopping.LearnedFit{Fitted: fitted})
			if err != nil {
				t.Fatal(err)
			}
			rule, err := stopping.NewLearned(stopping.LearnedParams{From: "past", Method: method, Fit: fit})
			if err != nil {
				t.Fatalf("%s: %v", fit, err)
			}
			for i, d := range all[12:] {
				want := later.StopOf(fitted, i)
				if got, said := d.play(t, rule); got != want.Round {
					t.Fatalf("seed %d, run %d: %s stops at round %d while it runs and at %d looking back\n%s\n%+v", seed, i, method, got, want.Round, fit, stopping.RoundsOf(said, got))
				}
				if want.Fired && want.Round < rounds {
					stopped[method]++
				}
			}
		}
	}
	for _, method := range stopping.MethodNames()[1:] {
		if stopped[method] < 10 {
			t.Errorf("%s stops %d of 480 collaborations, too few to tell", method, stopped[method])
		}
	}
}

// The fit does not depend on the order of the collaborations.
func TestFitIsOfASet(t *testing.T) {
	seeds := uint64(3)
	if *long {
		seeds = 10
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 4))
		var runs []acts.Trajectory
		for n := range 30 {
			runs = append(runs, draw(rng).trajectory(t, n))
		}
		written := map[string]string{}
		for range 3 {
			d, err := crossval.NewData(runs)
			if err != nil {
				t.Fatal(err)
			}
			for _, method := range stopping.MethodNames() {
				fitted, validated, err := crossval.FitAll(t.Context(), d, methodNamed(t, method))
				if err != nil {
					t.Fatal(err)
				}
				data, err := json.Marshal([]any{fitted, validated})
				if err != nil {
					t.Fatal(err)
				}
				if was, ok := written[method]; ok && was != string(data) {
					t.Errorf("seed %d: %s in one order and %s in another", seed, was, data)
				}
				written[method] = string(data)
			}
			rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		}
	}
}
