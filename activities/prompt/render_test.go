package prompt_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/activities/prompt"
	"roundtable/envs"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/transcript"
)

// golden compares with testdata/<name>.txt.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if updating() {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; -update writes what it is now:\n%s", file, got)
	}
}

// Every phase's prompt of a small game, as the second agent reads it.
func TestGolden(t *testing.T) {
	chain := rounds(2, protocol.Phase{Name: "message"}, protocol.Phase{Name: "message"}, protocol.Phase{Name: "proposal"}, protocol.Phase{Name: "vote", Every: 2})
	chain.Ties = transcript.TiesLottery
	first := rounds(2)
	first.Ties = transcript.TiesFirst
	all := rules()
	all["judge"] = must(decision.NewJudge(decision.JudgeParams{}))
	all["consensus"] = must(decision.NewAgreement(decision.MajorityConsensus()))
	for name, x := range map[string]struct {
		env       envs.Environment
		rule      string
		params    protocol.RoundtableParams
		proposals []string
	}{
		"majority":      {threeTraders(), "majority", rounds(2), allocations},
		"rated":         {threeTraders(), "rated", rounds(2), allocations},
		"rated_partial": {threeTraders(), "rated_partial", rounds(2), allocations},
		"ranked":        {threeTraders(), "ranked", first, allocations},
		"cumulative":    {threeTraders(), "cumulative", rounds(2), allocations},
		"chain":         {threeTraders(), "plurality", chain, allocations},
		"vote_first":    {threeTraders(), "majority", rounds(1, protocol.Phase{Name: "vote"}, protocol.Phase{Name: "message"}), allocations},
		"recsys":        {movies(tiny()), "unanimous", rounds(2), ratings},
		"judge":         {threeTraders(), "judge", rounds(1), allocations},
		"consensus":     {threeTraders(), "consensus", rounds(2), allocations},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			g := newGame(t, x.env, all[x.rule], x.params, nil)
			g.play(t, x.proposals, func(p protocol.Pending) {
				if p.Speaker.Index != 1 && p.Speaker.Role == "" {
					return
				}
				messages := g.render(t, p.Step)
				if b.Len() == 0 || p.Speaker.Role != "" {
					fmt.Fprintf(&b, "=== system ===\n%s\n", messages[0].Content)
				}
				fmt.Fprintf(&b, "\n=== entry %d: %s of round %d ===\n%s\n", p.Entry, p.Phase, p.Round, messages[1].Content)
			})
			golden(t, name, b.String())
		})
	}
}

// In every environment, under every rule: two messages, complete, without what
// templates write when something is missing, and never again a private reason,
// another's background or a text that is executed as a template.
func TestNobodySeesTooMuch(t *testing.T) {
	for _, x := range []struct {
		env       envs.Environment
		proposals []string
	}{{threeTraders(), allocations}, {movies(tiny()), ratings}} {
		for name, rule := range rules() {
			g := newGame(t, x.env, rule, rounds(3), nil)
			private := g.private(t)
			system := map[int]string{}
			g.play(t, x.proposals, func(p protocol.Pending) {
				messages := g.render(t, p.Step)
				me := p.Speaker.Index
				if len(messages) != 2 || messages[0].Role != "system" || messages[1].Role != "user" {
					t.Fatalf("%s: %d messages", name, len(messages))
				}
				if system[me] == "" {
					system[me] = messages[0].Content
				}
				if messages[0].Content != system[me] {
					t.Errorf("%s: the system message of agent %d changes", name, me)
				}
				whole := messages[0].Content + "\n" + messages[1].Content
				for _, wrong := range []string{"<no value>", "<nil>", "%!", "SECRET", "map[", "&lt;", "&#34;"} {
					if strings.Contains(whole, wrong) {
						t.Errorf("%s: agent %d is shown %q", name, me, wrong)
					}
				}
				for agent, lines := range private {
					for _, line := range lines {
						if strings.Contains(whole, line) != (agent == me) {
							t.Errorf("%s: agent %d and the private line %q of agent %d", name, me, line, agent)
						}
					}
				}
				if scene := fmt.Sprintf("%+v", g.source().Scene(p.Step, nil).Situation); strings.Contains(scene, "SECRET") {
					t.Errorf("%s: a scripted agent is told a private reason", name)
				}
			})
			if reasons := g.reasons(); reasons < 10 {
				t.Fatalf("only %d private reasons were there to be seen", reasons)
			}
		}
	}
}

// private is the lines of each agent's background that are in nobody else's.
func (g *game) private(t *testing.T) [][]string {
	var backgrounds []string
	for agent := range g.instance.Agents() {
		backgrounds = append(backgrounds, g.told(t, agent).Background)
	}
	lines := make([][]string, len(backgrounds))
	for agent, text := range backgrounds {
		for line := range strings.Lines(text) {
			shared := false
			for other, b := range backgrounds {
				shared = shared || other != agent && strings.Contains(b, strings.TrimSpace(line))
			}
			if line = strings.TrimSpace(line); !shared && len(line) > 12 {
				lines[agent] = append(lines[agent], line)
			}
		}
		if len(lines[agent]) == 0 {
			t.Fatalf("agent %d knows nothing of its own:\n%s", agent, text)
		}
	}
	return lines
}

// reasons is how many entries had a private reason.
func (g *game) reasons() int {
	n := 0
	for _, e := range g.Transcript().Entries {
		if e.Kind == transcript.Ask && e.Payload.Format != transcript.FormatMessage {
			n++
		}
	}
	return n
}

// Prompts and scenes are the same whatever the gold rating is.
func TestGoldIsToldToNobody(t *testing.T) {
	turned := fstest.MapFS{}
	changed := 0
	err := fs.WalkDir(tiny(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(tiny(), name)
		if name == "u1.test" { // 5 stars become 1, 4 become 2
			var b strings.Builder
			for line := range strings.Lines(string(data)) {
				f := strings.Split(line, "\t")
				f[2] = map[string]string{"1": "5", "2": "4", "3": "5", "4": "2", "5": "1"}[f[2]]
				b.WriteString(strings.Join(f, "\t"))
				changed++
			}
			data = []byte(b.String())
		}
		turned[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil || changed == 0 {
		t.Fatal(err, changed)
	}
	record := func(files fs.FS) (told []string, score envs.Score) {
		g := newGame(t, movies(files), rules()["majority"], rounds(3), nil)
		g.play(t, ratings, func(p protocol.Pending) {
			scene := g.source().Scene(p.Step, nil)
			observed, err := json.Marshal(scene.Situation)
			if err != nil {
				t.Fatal(err)
			}
			told = append(told, fmt.Sprint(g.render(t, p.Step)), string(observed))
		})
		return told, g.instance.Score(must(g.instance.Parse([]byte(ratings[0]))))
	}
	a, scoreA := record(tiny())
	b, scoreB := record(turned)
	if !reflect.DeepEqual(a, b) {
		t.Error("what agents are told depends on the gold rating")
	}
	if reflect.DeepEqual(scoreA, scoreB) {
		t.Error("the gold rating is not different: the test shows nothing")
	}
}

// What a step does not see, and what has another audience, is in no prompt and
// in no scene; what it sees comes in its own order.
func TestSeesAndAudience(t *testing.T) {
	g := newGame(t, threeTraders(), rules()["majority"], rounds(3), nil)
	var asked transcript.Step
	g.play(t, allocations, func(p protocol.Pending) {
		if p.Phase == "vote" && p.Round == 2 && p.Speaker.Index == 0 {
			asked = p.Step
		}
	})
	entry := func(audience transcript.Audience, from int, format transcript.Format, text string) int {
		s := transcript.Step{Kind: transcript.Ask, Speaker: transcript.Speaker{Index: from}, Round: 9, Audience: audience}
		s.Payload.Format = format
		i := g.Transcript().Append(s, transcript.Act{Status: transcript.Said})
		g.said[i] = prompt.Said{Text: text, Proposal: envs.Proposal(text)}
		return i
	}
	me, you := transcript.Speaker{Index: 0}, transcript.Speaker{Index: 1}
	only := func(who ...transcript.Speaker) transcript.Audience { return transcript.Audience{Speakers: who} }
	from := entry(transcript.Everybody, 1, transcript.FormatMessage, "TO-ALL")
	entry(only(me, you), 1, transcript.FormatMessage, "TO-ME")
	entry(only(you), 1, transcript.FormatMessage, "TO-YOU")
	entry(only(transcript.Speaker{Role: "judge", Index: 0}), 1, transcript.FormatMessage, "TO-JUDGE")
	entry(only(), 1, transcript.FormatMessage, "TO-NOBODY")
	entry(only(you), 2, transcript.FormatProposal, "PROPOSED-TO-YOU")
	to := entry(transcript.Everybody, 2, transcript.FormatMessage, "TO-ALL-AGAIN")
	entry(transcript.Everybody, 2, transcript.FormatMessage, "TOO-LATE")

	asked.Payload.Candidates = nil
	asked.Sees = []transcript.Range{{From: to, To: to + 1}, {From: from, To: to}}
	whole := fmt.Sprint(g.render(t, asked))
	scene := fmt.Sprintf("%+v", g.source().Scene(asked, nil).Situation)
	for _, text := range []string{whole, scene} {
		again, all, mine := strings.Index(text, "TO-ALL-AGAIN"), strings.LastIndex(text, "TO-ALL"), strings.Index(text, "TO-ME")
		if again < 0 || all < again || mine < all {
			t.Errorf("seen in the order %d, %d, %d:\n%s", again, all, mine, text)
		}
		for _, hidden := range []string{"TO-YOU", "TO-JUDGE", "TO-NOBODY", "TOO-LATE", "PROPOSED", "Round 1", "Round 2"} {
			if strings.Contains(text, hidden) {
				t.Errorf("%s is seen:\n%s", hidden, text)
			}
		}
	}
	asked.Sees = nil
	if text := fmt.Sprint(g.render(t, asked)); !strings.Contains(text, "No agent has proposed anything yet.") || !strings.Contains(text, "Nothing is decided yet.") || strings.Contains(text, "# Messages") {
		t.Errorf("who sees nothing is shown\n%s", text)
	}
}

// The same words have the same hash, and two agents' have not.
func TestHash(t *testing.T) {
	g := newGame(t, threeTraders(), rules()["majority"], rounds(1), nil)
	asked := prompt.Hash(g.render(t, g.Pending()[0].Step))
	if again := prompt.Hash(g.render(t, g.Pending()[0].Step)); again != asked {
		t.Error("one prompt has two hashes")
	}
	if other := prompt.Hash(g.render(t, g.Pending()[1].Step)); other == asked {
		t.Error("two agents' prompts have one hash")
	}
}
