package prompt_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"sync"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/model/scripted"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/envs/qa"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

var long = prompt.Long

// outcome of one debate: whether the group is right, and the share of its agents that are.
type outcome struct{ group, share float64 }

// held plays one debate of ten scripted answerers on a puzzle. Draws belong to
// the cell, agent and round and not to the condition, so conditions are paired.
func held(t testing.TB, env envs.Environment, m model.Model, order string, puzzle, replicate int) outcome {
	t.Helper()
	p := protocol.DefaultDebate()
	p.Order = order
	set := protocol.Setting{
		Agents: 10, Rule: must(decision.NewPlurality(decision.PluralityParams{})), Seed: envs.Stream(1, "debate", puzzle, replicate).Uint64(),
	}
	in := must(env.Instance(1, puzzle))
	s := protocol.NewSession(must(protocol.NewDebate(p, set)), set, stopping.Never{})
	said := map[int]prompt.Said{}
	source := prompt.Source{Env: env, Instance: in, Protocol: s.Protocol(), Transcript: s.Transcript(), Said: func(entry int) prompt.Said { return said[entry] }}
	last := map[int]float64{}
	for s.Outcome() == nil {
		for _, step := range s.Pending() {
			act := transcript.Act{Status: transcript.Said}
			if step.Kind == transcript.Env {
				act.Key = prompt.Key(must(in.(envs.Cued).Cue(envs.Cue{Name: "gold"})).Proposals[0])
			} else {
				rng := envs.Stream(2, "answers", puzzle, replicate, step.Speaker.Index, step.Round)
				response := must(m.Complete(context.Background(), model.Request{Scene: source.Scene(step.Step, rng)}))
				answer := must(prompt.Parse(response.Text, step.Step, in))
				said[step.Entry] = prompt.Said{Text: answer.Text, Proposal: answer.Proposal}
				last[step.Speaker.Index] = in.Utility(step.Speaker.Index, answer.Proposal)
				act = answer.Act
			}
			if err := s.Record(step.Entry, act); err != nil {
				t.Fatal(err)
			}
		}
	}
	o := outcome{}
	if at := s.Outcome().Standing; at >= 0 {
		o.group = in.Utility(0, said[at].Proposal)
	}
	for _, right := range last {
		o.share += right / 10
	}
	return o
}

// difference is the mean of paired differences and its standard error.
func difference(a, b []float64) (mean, se float64) {
	n := float64(len(a))
	for i := range a {
		mean += (a[i] - b[i]) / n
	}
	for i := range a {
		se += (a[i] - b[i] - mean) * (a[i] - b[i] - mean)
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}

var orders = flag.Bool("orders", false, "play the 17,000 debates of TestOrdersAreRecovered")

// TestOrdersAreRecovered: what the scripted answerer was given is found again.
// 24 puzzles × 60 replicates = 1,440 debates an order, seeds 1 and 2, ten agents,
// one round of debate, accuracy 0.4, conformity 0.8. Declared beforehand:
//
//   - with bias 2, truth last > MADC > fixed > truth first in the accuracy of the
//     group, each step beyond four standard errors; random is within 5 points of
//     fixed (90 % interval);
//   - with bias 0, every order is within 2 points of fixed in the share of
//     agents that are right, and within 5 points in accuracy (90 % intervals).
func TestOrdersAreRecovered(t *testing.T) {
	if !*orders {
		t.Skip("17,000 debates; -orders")
	}
	params := qa.Defaults()
	params.Format, params.File, params.Agents = "bbh", "orders.json", 10
	env := must(qa.New(params, os.DirFS("../../examples/data")))
	const puzzles, replicates = 24, 60
	play := func(bias float64) (group, share map[string][]float64) {
		config := must(json.Marshal(map[string]float64{"accuracy": 0.4, "conformity": 0.8, "bias": bias}))
		policy := must(env.Policy("answerer", func(v any) error { return json.Unmarshal(config, v) }))
		m := must(scripted.New(scripted.Params{}, policy))
		group, share = map[string][]float64{}, map[string][]float64{}
		var mu sync.Mutex
		t.Run(fmt.Sprintf("bias %g", bias), func(t *testing.T) {
			for _, order := range protocol.Orders() {
				t.Run(order, func(t *testing.T) {
					t.Parallel()
					var right, shares []float64
					for puzzle := range puzzles {
						for replicate := range replicates {
							o := held(t, env, m, order, puzzle, replicate)
							right, shares = append(right, 100*o.group), append(shares, 100*o.share)
						}
					}
					mu.Lock()
					defer mu.Unlock()
					group[order], share[order] = right, shares
				})
			}
		})
		return group, share
	}
	equal := func(what, order string, by map[string][]float64, margin float64) {
		mean, se := difference(by[order], by[protocol.OrderFixed])
		t.Logf("%s: %s - fixed = %.2f ± %.2f", what, order, mean, se)
		if math.Abs(mean)+1.645*se > margin {
			t.Errorf("%s: %s - fixed is %.2f ± %.2f, not within %v points", what, order, mean, se, margin)
		}
	}
	group, _ := play(2)
	ranked := []string{protocol.OrderTruthLast, protocol.OrderMADC, protocol.OrderFixed, protocol.OrderTruthFirst}
	for i := 1; i < len(ranked); i++ {
		mean, se := difference(group[ranked[i-1]], group[ranked[i]])
		t.Logf("bias 2: %s - %s = %.2f ± %.2f", ranked[i-1], ranked[i], mean, se)
		if mean < 4*se {
			t.Errorf("bias 2: %s - %s is %.2f ± %.2f", ranked[i-1], ranked[i], mean, se)
		}
	}
	equal("bias 2, accuracy", protocol.OrderRandom, group, 5)
	group, share := play(0)
	for _, order := range protocol.Orders()[1:] {
		equal("bias 0, share", order, share, 2)
		equal("bias 0, accuracy", order, group, 5)
	}
}
