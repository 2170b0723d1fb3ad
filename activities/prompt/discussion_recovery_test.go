package prompt_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/model/scripted"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/envs/qa"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
)

// discussed plays one discussion of scripted answerers and says whether the
// group is right. Draws do not belong to the condition, so conditions are paired.
func discussed(t testing.TB, env envs.Environment, m model.Model, rule decision.Rule, p protocol.DiscussionParams, puzzle, replicate int) float64 {
	t.Helper()
	in := must(env.Instance(1, puzzle))
	set := protocol.Setting{Agents: len(in.Agents()), Rule: rule, Seed: 1}
	s := protocol.NewSession(must(protocol.NewDiscussion(p, set)), set, stopping.Never{})
	said := map[int]prompt.Said{}
	source := prompt.Source{Env: env, Instance: in, Protocol: s.Protocol(), Transcript: s.Transcript(), Said: func(entry int) prompt.Said { return said[entry] }}
	for s.Outcome() == nil {
		for _, step := range s.Pending() {
			rng := envs.Stream(2, "discussion", puzzle, replicate, step.Speaker.Index, step.Round, step.Phase)
			response := must(m.Complete(context.Background(), model.Request{Scene: source.Scene(step.Step, rng)}))
			answer := must(prompt.Parse(response.Text, step.Step, in))
			said[step.Entry] = prompt.Said{Text: answer.Text, Proposal: answer.Proposal}
			if err := s.Record(step.Entry, answer.Act); err != nil {
				t.Fatal(err)
			}
		}
	}
	return in.Utility(0, said[s.Outcome().Standing].Proposal)
}

// TestKindsAreRecovered: what scripted agents were given is found again. Five
// agents, right with probability 0.7 alone, who always repeat what they have
// heard; 24 yes-or-no questions × 60 replicates (2 without -long), votes from the first turn on.
// Declared beforehand, and known without running anything:
//
//   - if all draft alone, a vote is right as often as three of five are: 0.83692;
//   - consensus is right as often as one agent is, 0.7, with and without drafts;
//   - without drafts everybody repeats the first agent, so that voting and
//     consensus decide the same in every single discussion;
//   - agents who are right half the time make no difference to each other.
func TestKindsAreRecovered(t *testing.T) {
	replicates := 60
	if !*long {
		replicates = 2
	}
	params := qa.Defaults()
	params.Format, params.File, params.Agents = "strategyqa", "strategies.json", 5
	env := must(qa.New(params, os.DirFS("../../examples/data")))
	voting := must(decision.NewPlurality(decision.PluralityParams{}))
	consensus := must(decision.NewAgreement(decision.UnanimityConsensus()))
	play := func(accuracy float64, rule decision.Rule, draft bool) (right []float64) {
		config := must(json.Marshal(map[string]float64{"accuracy": accuracy, "conformity": 1}))
		m := must(scripted.New(scripted.Params{}, must(env.Policy("answerer", func(v any) error { return json.Unmarshal(config, v) }))))
		p := protocol.DefaultDiscussion()
		p.Personas, p.VoteFrom, p.AllDraft = protocol.Personas{Kind: "none"}, 1, draft
		for puzzle := range 24 {
			for replicate := range replicates {
				right = append(right, discussed(t, env, m, rule, p, puzzle, replicate))
			}
		}
		return right
	}
	share := func(what string, right []float64, want float64) {
		mean, _ := difference(right, make([]float64, len(right)))
		if se := math.Sqrt(want * (1 - want) / float64(len(right))); math.Abs(mean-want) > 4*se {
			t.Errorf("%s: %.4f are right, want %.4f ± %.4f", what, mean, want, se)
		}
	}
	voted, agreed := play(0.7, voting, true), play(0.7, consensus, true)
	share("voting on drafts", voted, 0.83692)
	share("consensus on drafts", agreed, 0.7)
	if mean, se := difference(voted, agreed); *long && mean < 4*se {
		t.Errorf("voting - consensus on drafts is %.3f ± %.3f", mean, se)
	}
	voted, agreed = play(0.7, voting, false), play(0.7, consensus, false)
	share("voting", voted, 0.7)
	for i := range voted {
		if voted[i] != agreed[i] {
			t.Fatalf("discussion %d: voting and consensus differ where all repeat the first agent", i)
		}
	}
	voted, agreed = play(0.5, voting, true), play(0.5, consensus, true)
	if mean, se := difference(voted, agreed); math.Abs(mean) > 4*se {
		t.Errorf("voting - consensus of agents who toss coins is %.3f ± %.3f", mean, se)
	}
}
