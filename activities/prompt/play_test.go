package prompt_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/envs/exchange"
	"roundtable/envs/recsys"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// updating says whether golden files are to be written, by envtest's flag.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// must is v; tests panic on errors that cannot happen.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// game is a collaboration played with written answers.
type game struct {
	*protocol.Session
	env       envs.Environment
	instance  envs.Instance
	templates *prompt.Templates
	said      map[int]prompt.Said
}

func newGame(t testing.TB, env envs.Environment, rule decision.Rule, params protocol.RoundtableParams, override fs.FS) *game {
	t.Helper()
	instance := must(env.Instance(1, 0))
	set := protocol.Setting{Agents: len(instance.Agents()), Rule: rule, Seed: 1}
	files := must(fs.Sub(protocol.Prompts, "prompts/roundtable"))
	pack := must(prompt.NewPack(env.Prompts(), files, nil, override, rule.Words()))
	return &game{
		Session: protocol.NewSession(must(protocol.NewRoundtable(params, set)), set, stopping.Never{}),
		env:     env, instance: instance, templates: must(pack.Parse()), said: map[int]prompt.Said{},
	}
}

func (g *game) source() prompt.Source {
	return prompt.Source{
		Env: g.env, Instance: g.instance, Protocol: g.Protocol(), Transcript: g.Transcript(),
		Said: func(entry int) prompt.Said { return g.said[entry] },
	}
}

func (g *game) told(t testing.TB, agent int) prompt.SystemPrompt {
	t.Helper()
	told, err := g.templates.RenderSystem(g.instance.Observe(agent))
	if err != nil {
		t.Fatal(err)
	}
	return told
}

func (g *game) render(t testing.TB, s transcript.Step) []model.Message {
	t.Helper()
	messages, err := g.templates.Render(g.source(), g.told(t, s.Speaker.Index), s)
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

// secret marks the private reason of an entry.
func secret(agent, entry int) string { return fmt.Sprintf("SECRET-%d-%d.", agent, entry) }

// answer is what an agent writes: each message, reason and ballot tells who wrote it.
func (g *game) answer(p protocol.Pending, proposals []string) string {
	agent, n := p.Speaker.Index, len(p.Payload.Candidates)
	names := g.instance.Agents()
	reason := secret(agent, p.Entry)
	switch {
	case p.Payload.Format == transcript.FormatMessage && agent == 0:
		return fmt.Sprintf(`{"target": "all", "message": "Round %d: what do you want?"}`, p.Round)
	case p.Payload.Format == transcript.FormatMessage:
		return fmt.Sprintf(`{"target": [%q, %q], "message": "Round %d: {{.Told}} <no> & \"more\"."}`, names[0].Name, names[(agent+1)%len(names)].Name, p.Round)
	case p.Payload.Format == transcript.FormatProposal && (agent+p.Round)%len(names) == 0:
		return fmt.Sprintf(`{"reason_for_decision": %q, "proposal": null}`, reason)
	case p.Payload.Format == transcript.FormatProposal:
		return fmt.Sprintf(`{"reason_for_decision": %q, "proposal": %s}`, reason, proposals[(agent+p.Round)%len(proposals)])
	case agent == len(names)-1 && p.Round == 1:
		return fmt.Sprintf(`{"reason_for_decision": %q, "decision": null}`, reason)
	}
	var ballot string
	switch b := p.Payload.Ballot; b.Kind {
	case transcript.Choose:
		ballot = fmt.Sprint(n)
		if p.Round == 1 {
			ballot = fmt.Sprint(agent%n + 1)
		}
	case transcript.Rank:
		var order []string
		for c := range n {
			order = append(order, fmt.Sprint((c+agent)%n+1))
		}
		ballot = "[" + strings.Join(order, ", ") + "]"
	default:
		var points []string
		for c := range n {
			v := b.Min + (c+agent)%(b.Max-b.Min+1)
			if b.Kind == transcript.Distribute {
				v = 0
				if c == agent%n {
					v = b.Points
				}
			}
			if !b.Partial || c != agent {
				points = append(points, fmt.Sprintf(`"%d": %d`, c+1, v))
			}
		}
		ballot = "{" + strings.Join(points, ", ") + "}"
	}
	return fmt.Sprintf(`{"reason_for_decision": %q, "decision": %s}`, reason, ballot)
}

// play goes on until the end; see is called before each answer.
func (g *game) play(t testing.TB, proposals []string, see func(protocol.Pending)) {
	t.Helper()
	for g.Outcome() == nil {
		for _, p := range g.Pending() {
			see(p)
		}
		for _, p := range g.Pending() {
			raw := g.answer(p, proposals)
			a, err := prompt.Parse([]byte(raw), p.Step, g.instance)
			if err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			g.said[p.Entry] = prompt.Said{Text: a.Text, Reason: a.Reason, Proposal: a.Proposal}
			if err := g.Record(p.Entry, a.Act); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func threeTraders() envs.Environment { return must(exchange.New(exchange.Params{Agents: 3})) }

func movies(files fs.FS) envs.Environment {
	p := recsys.Defaults()
	p.Synthetic, p.N = true, 5
	return must(recsys.New(p, files))
}

func tiny() fs.FS { return os.DirFS("../../envs/recsys/testdata/ml-tiny") }

// allocations gives everything of each good to one agent or splits it.
var allocations = []string{
	`{"Alex": {"apples": 100, "bread": 0, "cloth": 0}, "Blake": {"apples": 0, "bread": 100, "cloth": 0}, "Casey": {"apples": 0, "bread": 0, "cloth": 100}}`,
	`{"Alex": {"apples": 80, "bread": 10, "cloth": 10}, "Blake": {"apples": 10, "bread": 80, "cloth": 10}, "Casey": {"apples": 10, "bread": 10, "cloth": 80}}`,
	`{"Alex": {"apples": 1, "bread": 99, "cloth": 0.5}, "Blake": {"apples": 98, "bread": 0.25, "cloth": 0}, "Casey": {"apples": 1, "bread": 0.75, "cloth": 99.5}}`,
}

var ratings = []string{`{"rating": 1.25}`, `{"rating": 4}`, `{"rating": 2.5}`}

func rules() map[string]decision.Rule {
	return map[string]decision.Rule{
		"unanimous":     must(decision.NewUnanimous(decision.UnanimousParams{})),
		"majority":      must(decision.NewMajority(decision.MajorityParams{})),
		"plurality":     must(decision.NewPlurality(decision.PluralityParams{})),
		"rated":         must(decision.NewRated(decision.DefaultRated())),
		"rated_partial": must(decision.NewRated(decision.RatedParams{Max: 9, Partial: true})),
		"ranked":        must(decision.NewRanked(decision.RankedParams{})),
		"cumulative":    must(decision.NewCumulative(decision.CumulativeParams{})),
	}
}

func rounds(n int, phases ...protocol.Phase) protocol.RoundtableParams {
	p := protocol.DefaultRoundtable()
	p.Rounds = n
	if len(phases) > 0 {
		p.Phases = phases
	}
	return p
}
