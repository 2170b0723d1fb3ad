package prompt_test

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/envs/consensus"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// TestPlaces: what agents are told of places, by memory, delay and weights; the
// prompts are read by people when they change.
func TestPlaces(t *testing.T) {
	task := consensus.Defaults()
	task.Starts, task.Stubborn = [][]float64{{10}, {40}, {-100}}, 1
	env := must(consensus.New(task))
	var b strings.Builder
	for _, change := range []func(*protocol.ConsensusParams){
		func(p *protocol.ConsensusParams) {},
		func(p *protocol.ConsensusParams) { p.Memory = protocol.MemoryCurrent },
		func(p *protocol.ConsensusParams) {
			p.Memory, p.Delay = protocol.MemoryCurrent, protocol.Delay{{1}}
			p.Weights = [][]float64{{1, 2, 1}, {1, 1, 1}, {1, 1, 0.5}}
		},
	} {
		params := protocol.DefaultConsensus()
		params.Rounds = 3
		change(&params)
		shown := walk(t, env, params, 2)
		for agent, text := range shown {
			fmt.Fprintf(&b, "=== memory %s, delay %v, weights %v: agent %d, round 2\n%s\n\n", params.Memory, params.Delay, params.Weights, agent+1, text)
		}
	}
	const golden = "testdata/places.txt"
	if updating() {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(must(os.ReadFile(golden))); b.String() != want {
		t.Errorf("the prompts have changed (-update writes them):\n%s", b.String())
	}
}

// walk moves everybody to 30 plus its index in each round, and returns what
// agents are told in one of them.
func walk(t *testing.T, env *consensus.Task, params protocol.ConsensusParams, round int) []string {
	t.Helper()
	in := must(env.Instance(1, 0)).(envs.World)
	set := protocol.Setting{Agents: 3, Rule: decision.None{}}
	pack := must(prompt.NewPack(env.Prompts(), must(fs.Sub(protocol.Prompts, "prompts/consensus")), nil, nil, decision.None{}.Words()))
	g := &game{
		Session: protocol.NewSession(must(protocol.NewConsensus(params, set)), set, stopping.Never{}),
		env:     env, instance: in, templates: must(pack.Parse()), said: map[int]prompt.Said{},
	}
	var told []string
	for g.Outcome() == nil {
		for _, p := range g.Pending() {
			i := p.Speaker.Index
			act := transcript.Act{Status: transcript.Said}
			at := must(in.Parse(fmt.Appendf(nil, "%d", 30+i)))
			switch p.Phase {
			case protocol.PhaseStart:
				at = in.Start(i).Position
			case protocol.PhasePosition:
				if p.Round == round {
					m := g.render(t, p.Step)
					told = append(told, m[0].Content+"\n---\n"+m[1].Content)
				}
			}
			g.said[p.Entry] = prompt.Said{Proposal: at, Reason: secret(i, p.Entry)}
			if err := g.Record(p.Entry, act); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, text := range told {
		for other := range 3 {
			if shows := strings.Contains(text, fmt.Sprintf("SECRET-%d-", other)); shows != (other == i && params.Memory == protocol.MemoryFull) {
				t.Errorf("agent %d is told the reason of agent %d: %v", i, other, shows)
			}
		}
	}
	return told
}
