package prompt_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/activities/prompt"
	"roundtable/envs/qa"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// Voters and challengers are shown final answers as they were written, each
// agent's own, and with answers: canonical as they are compared.
func TestAnswersAreShownAsWritten(t *testing.T) {
	params := qa.Defaults()
	params.Format, params.File, params.Agents = "squad2", "s.json", 2
	env := must(qa.New(params, fstest.MapFS{"s.json": {Data: []byte(
		`{"data":[{"paragraphs":[{"context":"The Southampton Philharmonic Choir sang.","qas":[{"id":"q","question":"Who?","answers":[{"text":"Southampton Philharmonic Choir"}],"is_impossible":false}]}]}]}`)}}))
	in := must(env.Instance(1, 0))
	files := must(fs.Sub(protocol.Prompts, "prompts/discussion"))
	for answers, want := range map[string][2]string{
		protocol.Written:   {"Solution 1: The Southampton Philharmonic Choir\nSolution 2: southampton philharmonic choir.", "\nThe Southampton Philharmonic Choir\n"},
		protocol.Canonical: {"Solution 1: \"southampton philharmonic choir\"\nSolution 2: \"southampton philharmonic choir\"", "\n\"southampton philharmonic choir\"\n"},
	} {
		rule := must(decision.NewPlurality(decision.PluralityParams{}))
		p := protocol.DefaultDiscussion()
		p.Rounds, p.VoteFrom, p.Personas.Kind, p.Answers, p.Challenge = 1, 1, "none", answers, "solution"
		set := protocol.Setting{Agents: 2, Rule: rule, Seed: 1}
		s := protocol.NewSession(must(protocol.NewDiscussion(p, set)), set, stopping.Never{})
		templates := must(must(prompt.NewPack(env.Prompts(), files, nil, nil, rule.Words())).Parse())
		told := must(templates.RenderSystem(in.Observe(0)))
		said := map[int]prompt.Said{}
		source := prompt.Source{Env: env, Instance: in, Protocol: s.Protocol(), Transcript: s.Transcript(), Said: func(entry int) prompt.Said { return said[entry] }}
		for s.Outcome() == nil {
			for _, step := range s.Pending() {
				messages := must(templates.Render(source, told, step.Step))
				asked, text := messages[len(messages)-1].Content, `{"decision": 1}`
				switch step.Phase {
				case protocol.PhaseFinal:
					text = []string{"Answer: The Southampton Philharmonic Choir", "Answer:   southampton philharmonic choir."}[step.Speaker.Index]
				case protocol.PhaseBallots:
					if !strings.Contains(asked, want[0]) {
						t.Errorf("%s: voters are shown\n%s", answers, asked)
					}
				case protocol.PhaseChallenge, protocol.PhaseAnswerNew:
					if text = "DISAGREE"; !strings.Contains(asked, want[1]) {
						t.Errorf("%s: in %s an agent is shown\n%s", answers, step.Phase, asked)
					}
					if step.Phase == protocol.PhaseAnswerNew {
						text = "Answer: nobody"
					}
				default:
					text = "I think so. [AGREE]"
				}
				answer := must(prompt.Parse([]byte(text), step.Step, in))
				said[step.Entry] = prompt.Said{Text: answer.Text, Proposal: answer.Proposal}
				if err := s.Record(step.Entry, answer.Act); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n := len(s.Transcript().Entries); s.Transcript().Entries[n-1].Phase != protocol.PhaseAnswerNew || s.Transcript().Entries[n-1].Payload.Format != transcript.FormatAnswer {
			t.Errorf("%s: it ends with %+v", answers, s.Transcript().Entries[n-1].Step)
		}
	}
}
