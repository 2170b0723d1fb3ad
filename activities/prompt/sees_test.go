package prompt_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// What environments need besides their defaults, and what is played besides a
// protocol's defaults. A new environment or protocol is tested without an entry.
var (
	small = map[string]struct{ params, data string }{
		"recsys": {`{"synthetic":true,"n":5}`, "../../envs/recsys/testdata/ml-tiny"},
		"qa":     {`{"format":"bbh","file":"orders.json","agents":3}`, "../../examples/data"},
	}
	variants = map[string][]string{
		"roundtable":   {`{"rounds":3}`},
		"debate":       {`{"rounds":3}`, `{"rounds":3,"talk":"one_by_one"}`, `{"rounds":3,"talk":"summarizer"}`, `{"rounds":3,"topology":"star"}`},
		"deliberation": {`{"rounds":2}`, `{"rounds":2,"authority":"vote"}`, `{"rounds":2,"tools":["solver","calculator"]}`, `{"variant":"centralized"}`, `{"variant":"oracle"}`},
		"discussion":   {`{"rounds":3}`, `{"rounds":3,"extract":false}`, `{"rounds":3,"all_draft":true}`, `{"rounds":3,"paradigm":"report"}`, `{"rounds":3,"collective":true}`},
	}
)

// Every protocol in every environment that it works in: what an entry says
// stands in the prompts of those who see it, and in no other's.
func TestPromptsShowWhatStepsSee(t *testing.T) {
	for _, proto := range catalogue.Protocols() {
		for _, e := range catalogue.Environments() {
			x := small[e.Name]
			var data fs.FS
			if x.data != "" {
				data = os.DirFS(x.data)
			}
			env, err := e.New(func(v any) error { return json.Unmarshal([]byte(cmp.Or(x.params, "{}")), v) }, data)
			if err != nil {
				t.Fatal(err)
			}
			for _, params := range append(variants[proto.Name], "{}") {
				g, ok := markedGame(t, proto, env, params)
				if ok {
					t.Run(proto.Name+" in "+e.Name+" "+params, g.checkAll)
				}
			}
		}
	}
}

// marked is a collaboration in which everything that is said has a mark of its own.
type marked struct{ *game }

// markedGame is one of a protocol in an environment; false if the two do not go together.
func markedGame(t *testing.T, proto catalogue.Plugin[protocol.Protocol, protocol.Setting], env envs.Environment, params string) (marked, bool) {
	t.Helper()
	instance := must(env.Instance(1, 0))
	_, moves := instance.(envs.World)
	_, hidden := instance.(envs.Estimating)
	if moves != proto.Traits.World || proto.Traits.Estimates && !hidden {
		return marked{}, false
	}
	c := plan.Condition{Protocol: plan.Choice{Name: proto.Name, Params: []byte(params)}, Stop: plan.Choice{Name: "never"}}
	if !proto.Traits.Ruleless {
		c.Rule.Name = "plurality"
	}
	s, err := c.Session(len(instance.Agents()), 1)
	if err != nil {
		t.Fatalf("%s %s: %v", proto.Name, params, err)
	}
	var words decision.Words
	if !proto.Traits.Ruleless {
		words = must(c.BuildRule()).Words()
	}
	files := must(fs.Sub(protocol.Prompts, "prompts/"+proto.Name))
	templates := must(must(prompt.NewPack(env.Prompts(), files, nil, words)).Parse())
	return marked{&game{Session: s, env: env, instance: instance, templates: templates, said: map[int]prompt.Said{}}}, true
}

func (g marked) checkAll(t *testing.T) {
	for g.Outcome() == nil {
		for _, p := range g.Pending() {
			if p.Kind == transcript.Ask {
				g.check(t, p)
			}
		}
		for _, p := range g.Pending() {
			g.said[p.Entry] = prompt.Said{Text: mark("text", p.Entry), Reason: mark("reason", p.Entry), Proposal: envs.Proposal(mark("proposal", p.Entry))}
			if err := g.Record(p.Entry, g.act(p)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func mark(part string, entry int) string { return fmt.Sprintf("<%s %d>", part, entry) }

func (g marked) act(p protocol.Pending) transcript.Act {
	a := transcript.Act{Status: transcript.Said, Key: fmt.Sprint(p.Entry), Values: []float64{float64(p.Entry)}}
	if p.Payload.Format == transcript.FormatBallot {
		a.Key, a.Ballot = "", &transcript.Ballot{Choice: p.Speaker.Index % len(p.Payload.Candidates)}
	}
	return a
}

// check holds the prompt of a step to what it sees.
func (g marked) check(t *testing.T, p protocol.Pending) {
	t.Helper()
	told, err := g.templates.RenderSystem(g.instance.Observe(p.Speaker.Index))
	if p.Speaker.Role != "" {
		told, err = g.templates.RenderRoleSystem(g.instance.Observe(0))
	}
	if err != nil {
		t.Fatal(err)
	}
	messages, err := g.templates.Render(g.source(), told, p.Step)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, m := range messages {
		text.WriteString(m.Content)
	}
	must, may := g.shown(p.Step)
	for i, e := range g.Transcript().Entries {
		for _, part := range []string{"text", "reason", "proposal"} {
			there := strings.Contains(text.String(), mark(part, i))
			switch own := e.Speaker == p.Speaker; {
			case must[i] == part && !there && !g.listed(p.Step, i, text.String()):
				t.Errorf("entry %d (%s of %s, format %q) stands in Sees of entry %d (%s of %s), but no template shows its %s",
					i, e.Phase, g.who(e.Speaker), e.Payload.Format, p.Entry, p.Phase, g.who(p.Speaker), part)
			case there && !may[i]:
				t.Errorf("entry %d (%s of %s) does not stand in Sees of entry %d (%s of %s), whose prompt shows its %s",
					i, e.Phase, g.who(e.Speaker), p.Entry, p.Phase, g.who(p.Speaker), part)
			case there && part == "reason" && !own:
				t.Errorf("the prompt of entry %d (%s of %s) shows the private reason of %s", p.Entry, p.Phase, g.who(p.Speaker), g.who(e.Speaker))
			}
		}
	}
}

// listed says whether a prompt shows an entry as a candidate, by its proposal.
func (g marked) listed(step transcript.Step, entry int, text string) bool {
	return slices.ContainsFunc(step.Payload.Candidates, func(c transcript.Candidate) bool { return c.Entry == entry }) &&
		strings.Contains(text, mark("proposal", entry))
}

func (g marked) who(s transcript.Speaker) string {
	if s.Role != "" {
		return s.Role
	}
	return g.instance.Agents()[s.Index].Name
}

// shown returns which part of an entry a step's prompt must show, and of which
// entries it may show something: what is seen, its candidates, and what a
// decision that is seen was about. Of proposals and states of one speaker the
// latest counts.
func (g marked) shown(step transcript.Step) (must map[int]string, may map[int]bool) {
	must, may = map[int]string{}, map[int]bool{}
	latest := map[string]int{}
	candidates := func(list []transcript.Candidate) {
		for _, c := range list {
			may[c.Entry] = true
		}
	}
	candidates(step.Payload.Candidates)
	for _, r := range step.Sees {
		for i, e := range g.Transcript().Entries[r.From:r.To] {
			entry := r.From + i
			if !e.Audience.Hears(step.Speaker) {
				continue
			}
			may[entry] = true
			state := e.Kind == transcript.Env && e.Speaker.Role == ""
			switch {
			case e.Payload.Format == transcript.FormatBallot:
			case e.Payload.Format == transcript.FormatPersona && entry != step.Speaker.Index: // others' may be left out
			case state, e.Payload.Format == transcript.FormatProposal:
				key := e.Kind.String() + g.who(e.Speaker)
				if before, again := latest[key]; again {
					delete(must, before)
				}
				latest[key], must[entry] = entry, "proposal"
			default:
				if e.Kind != transcript.Decide {
					must[entry] = "text"
				}
			}
			if e.Kind == transcript.Decide {
				candidates(e.Payload.Candidates)
				if d := e.Act.Decision; d.Standing >= 0 {
					may[d.Standing], must[d.Standing] = true, "proposal"
				}
			}
		}
	}
	return must, may
}

// A role's proposal, such as a facilitator's median, has no place in prompts: the
// collaboration ends with a sentence that says so, not with agents who lack it.
func TestWhatNoPromptCanShowIsRefused(t *testing.T) {
	g := newGame(t, threeTraders(), rules()["plurality"], rounds(1), nil)
	step := g.Pending()[0].Step
	median := transcript.Step{
		Kind: transcript.Ask, Speaker: transcript.Speaker{Role: "facilitator"}, Round: 1, Phase: "median",
		Audience: transcript.Everybody, Payload: transcript.Payload{Format: transcript.FormatProposal, Standing: -1},
	}
	source := g.source()
	source.Transcript = &transcript.Transcript{Agents: 3, Entries: []transcript.Entry{{Step: median, Act: transcript.Act{Status: transcript.Said}}}}
	told := g.told(t, 0)
	if _, err := g.templates.Render(source, told, step); err != nil {
		t.Fatalf("not seen: %v", err)
	}
	step.Sees = []transcript.Range{{From: 0, To: 1}}
	_, err := g.templates.Render(source, told, step)
	if err == nil || !strings.Contains(err.Error(), `entry 0 (median of facilitator, format "proposal") is seen by the step message of Alex`) {
		t.Errorf("got %v", err)
	}
}
