package prompt_test

import (
	"context"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/activities/model"
	"roundtable/activities/model/anthropic"
	"roundtable/activities/model/modeltest"
	"roundtable/activities/model/openai"
	"roundtable/activities/money"
	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/envs/qa"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// wordsOf returns so many bytes of words, others for each mark.
func wordsOf(bytes int, mark string) string {
	rng := envs.Stream(1, mark)
	words := strings.Fields("apples bread cloth I would give more of it to you if the others keep what they have said since then my utility rises by a third and yours falls only a little so let us agree on this split before the last round ends without any decision")
	var b strings.Builder
	for b.Len() < bytes {
		b.WriteString(words[rng.IntN(len(words))] + " ")
	}
	return b.String()[:bytes]
}

// Bytes of answers, as recorded ones of real models are long (cmd/internal/predictions/lengths.go).
const (
	messageBytes  = 540
	solutionBytes = 531
)

// realistic is what an agent answers, as long as recorded answers are.
func realistic(p protocol.Pending) string {
	mark := fmt.Sprint(p.Speaker.Index, p.Round, p.Phase)
	switch p.Payload.Format {
	case transcript.FormatMessage:
		return fmt.Sprintf(`{"target": [], "message": %q}`, wordsOf(messageBytes, mark))
	case transcript.FormatProposal:
		return fmt.Sprintf(`{"reason_for_decision": %q, "proposal": %s}`, wordsOf(messageBytes, mark),
			allocations[(p.Speaker.Index+p.Round)%len(allocations)])
	case transcript.FormatBallot:
		return fmt.Sprintf(`{"reason_for_decision": %q, "decision": %d}`, wordsOf(messageBytes, mark),
			p.Round%p.Payload.Ballot.N+1)
	}
	return fmt.Sprintf("%s\nThe answer is (%c).", wordsOf(solutionBytes, mark), 'A'+(p.Speaker.Index+p.Round)%5)
}

// treatment is a collaboration whose prompts are sent to services that cache beginnings.
type treatment struct {
	env      envs.Environment
	protocol string
	rule     string
	build    func(protocol.Setting) (protocol.Protocol, error)
	// share is which of the input tokens are read from the cache at least, by service, in per cent; more than
	// atMost per cent could not be: so many stand in the beginning of a prompt of the phases before.
	share  map[string]float64
	atMost float64
}

// puzzlesFor asks so many agents a question.
func puzzlesFor(agents int) envs.Environment {
	p := qa.Defaults()
	p.Format, p.File, p.Agents = "bbh", "orders.json", agents
	return must(qa.New(p, os.DirFS("../../examples/data")))
}

func debateOf(rounds int, change func(*protocol.DebateParams)) func(protocol.Setting) (protocol.Protocol, error) {
	return func(set protocol.Setting) (protocol.Protocol, error) {
		p := protocol.DefaultDebate()
		p.Rounds = rounds
		if change != nil {
			change(&p)
		}
		return protocol.NewDebate(p, set)
	}
}

// play asks each question of a collaboration; settle is called after the first call of a phase, if one
// leads, and after all.
func (x treatment) play(t testing.TB, ask func([]model.Message, protocol.Pending), settle func()) {
	instance, rule := must(x.env.Instance(1, 0)), rules()[x.rule]
	set := protocol.Setting{Agents: len(instance.Agents()), Rule: rule, Seed: 1}
	pack := must(prompt.NewPack(x.env.Prompts(), must(fs.Sub(protocol.Prompts, "prompts/"+x.protocol)), nil, nil, rule.Words()))
	g := &game{
		Session: protocol.NewSession(must(x.build(set)), set, stopping.Never{}),
		env:     x.env, instance: instance, templates: must(pack.Parse()), said: map[int]prompt.Said{},
	}
	for g.Outcome() == nil {
		for i, p := range g.Pending() {
			ask(g.render(t, p.Step), p)
			if i == 0 {
				settle()
			}
			a := must(prompt.Parse([]byte(realistic(p)), p.Step, instance))
			g.said[p.Entry] = prompt.Said{Text: a.Text, Reason: a.Reason, Proposal: a.Proposal}
			if err := g.Record(p.Entry, a.Act); err != nil {
				t.Fatal(err)
			}
		}
		settle()
	}
}

// cachingServices are fake services by the rules of prompt caching that their documentation had on 28
// November 2026. GPT-5.6 and later take marks in the same places as Claude (openai.TestMarks has their
// form), and read what ends exactly there; Claude looks 20 blocks back. What is written costs 1.25 times
// the price of input with both, nothing more with GPT-5.5 and earlier.
var cachingServices = map[string]struct {
	least, step, back int // of modeltest.Prefixes
	price             string
}{
	"GPT-5.4":         {1024, 128, 0, "openai/gpt-5.4"},
	"GPT-6 Luna":      {1024, 0, 0, "openai/gpt-6-luna"},
	"Claude Opus 5":   {512, 0, 20, "anthropic/claude-opus-5"},
	"Claude Sonnet 5": {1024, 0, 20, "anthropic/claude-sonnet-5"},
}

// sharedBytes returns how many bytes of a text stand in the beginning of one of the others.
func sharedBytes(text string, others []string) int {
	longest := 0
	for _, o := range others {
		n := 0
		for n < len(text) && n < len(o) && text[n] == o[n] {
			n++
		}
		longest = max(longest, n)
	}
	return longest
}

// cachedShare sends the prompts of a treatment to a service and returns what came of it.
func cachedShare(t testing.TB, x treatment, service string) (share, atMost, bill float64) {
	s := cachingServices[service]
	rules := &modeltest.Prefixes{Least: s.least, Step: s.step, Back: s.back}
	server := httptest.NewServer(rules)
	defer server.Close()
	var m model.Model
	if s.step > 0 {
		m = must(openai.New(openai.Config{Model: "m", BaseURL: server.URL + "/v1"}))
	} else {
		m = must(anthropic.New(anthropic.Config{Model: "m", BaseURL: server.URL, APIKeyEnv: "TEST_KEY", CacheControl: true}))
	}
	table, _ := money.Default()
	price, ok := table.Find(s.price)
	if !ok {
		t.Fatalf("no price of %s", s.price)
	}
	var input, read, fresh, output int64
	var earlier []string
	x.play(t, func(messages []model.Message, p protocol.Pending) {
		got, err := m.Complete(context.Background(), model.Request{Messages: messages})
		if err != nil {
			t.Fatal(err)
		}
		u := got.Usage
		u.Output = int64(len(realistic(p)) / modeltest.TokenBytes)
		bill += money.Cost(price.Price, u)
		input, read, output = input+u.Input, read+u.CachedInput, output+u.Output
		var text strings.Builder
		for _, m := range messages {
			text.WriteString("\n<" + m.Role + ">\n" + m.Content)
		}
		fresh += int64(text.Len()-sharedBytes(text.String(), earlier)) / modeltest.TokenBytes
		earlier = append(earlier, text.String())
	}, rules.Settle)
	least := money.Cost(price.Price, model.Usage{Input: fresh, Output: output})
	return 100 * float64(read) / float64(input), 100 * (1 - float64(fresh)/float64(input)), bill / least
}

func retoldOf(rounds int) func(protocol.Setting) (protocol.Protocol, error) {
	return debateOf(rounds, func(p *protocol.DebateParams) { p.Memory = protocol.MemoryRetold })
}

func discussionOf(turns int) func(protocol.Setting) (protocol.Protocol, error) {
	return func(set protocol.Setting) (protocol.Protocol, error) {
		p := protocol.DefaultDiscussion()
		p.Rounds, p.Personas.Kind, p.SkipDecision = turns, "none", true
		return protocol.NewDiscussion(p, set)
	}
}

// Four fifths of what the agents of an exchange economy read come from a service's cache, and the bill is
// that of new tokens and answers and at most 40 % more. Prompts are those of edition 3; in the order of
// edition 2 it was 27 % with GPT-5.4, and nothing elsewhere, since nothing was marked.
//
// Other papers fix an order in which less repeats: in a debate an agent's own answer comes before the
// others', all of which are new in each round, and in a discussion its role before what was said. There
// atMost is what a cache without any minimum could read, since no more is the beginning of an earlier prompt.
func TestPrefixesAreCached(t *testing.T) {
	t.Setenv("TEST_KEY", modeltest.Canary)
	for name, x := range map[string]treatment{
		"exchange economy, 3 agents, 10 rounds": {threeTraders(), "roundtable", "majority",
			func(set protocol.Setting) (protocol.Protocol, error) { return protocol.NewRoundtable(rounds(10), set) },
			map[string]float64{"GPT-5.4": 83, "GPT-6 Luna": 84, "Claude Opus 5": 86, "Claude Sonnet 5": 84}, 88},
		"debate, 10 agents, 3 rounds": {puzzlesFor(10), "debate", "plurality", debateOf(3, nil),
			map[string]float64{"GPT-5.4": 47, "GPT-6 Luna": 49, "Claude Opus 5": 49, "Claude Sonnet 5": 49}, 53},
		"retold": {puzzlesFor(10), "debate", "plurality", retoldOf(3), nil, 17},
		"discussion, 10 agents, 3 turns": {puzzlesFor(10), "discussion", "plurality", discussionOf(3),
			map[string]float64{"GPT-5.4": 34, "GPT-6 Luna": 35, "Claude Opus 5": 39, "Claude Sonnet 5": 35}, 44},
	} {
		for service := range cachingServices {
			if !*long && service != "GPT-5.4" && service != "Claude Opus 5" { // one of each kind
				continue
			}
			t.Run(name+"/"+service, func(t *testing.T) {
				share, most, bill := cachedShare(t, x, service)
				t.Logf("%.1f %% read from the cache of at most %.1f %%; bill %.2f", share, most, bill)
				if share < x.share[service] || share > most || most > x.atMost || bill > 1.4 {
					t.Errorf("%.1f %% of the input is read from the cache and at most %.1f %% can be, want %v %% of at most %v %%; the bill is %.2f times that of new tokens and answers, want at most 1.4",
						share, most, x.share[service], x.atMost, bill)
				}
			})
		}
	}
}

// A template may say anywhere that something ends, also where its text is trimmed.
func TestEndsStandInTheText(t *testing.T) {
	for _, text := range []string{"\n\n{{.Ended 1}}Hello{{.Ended 2}}\n\n{{.Ended 3}}", "{{.Ended 1}}", "a{{.Ended 1}}{{.Ended 2}}\n"} {
		g := newGame(t, threeTraders(), rules()["majority"], rounds(2), fstest.MapFS{"protocol/message.tmpl": {Data: []byte("{{.Me}}" + text)},
			"protocol/system.tmpl": {Data: []byte("")}})
		messages := g.render(t, g.Pending()[0].Step)
		whole := ""
		for _, part := range model.SplitAtEnds(messages)[0] {
			if whole += part.Text; part.Text == "" {
				t.Errorf("%q: an empty part of %q", text, messages[0].Content)
			}
		}
		if whole != messages[0].Content {
			t.Errorf("%q: parts are %q, want %q", text, whole, messages[0].Content)
		}
	}
}
