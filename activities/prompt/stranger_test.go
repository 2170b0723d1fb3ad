package prompt_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"roundtable/workflows/protocol"
)

// TestStrangersTemplates: templates that print all that they are given show an agent
// nothing that only others know.
func TestStrangersTemplates(t *testing.T) {
	override := fstest.MapFS{}
	for _, name := range must(fs.Glob(protocol.Prompts, "prompts/roundtable/*.tmpl")) {
		override["protocol/"+name[strings.LastIndex(name, "/")+1:]] = &fstest.MapFile{Data: []byte(
			`{{printf "%+v" .}}{{with .LastVote}}{{printf "%+v" .}}{{end}}{{with .Standing}}{{printf "%+v" .}}{{end}}{{with .Decision}}{{printf "%+v" .}}{{end}}`)}
	}
	for name, rule := range rules() {
		g := newGame(t, threeTraders(), rule, rounds(3), override)
		private := g.private(t)
		g.play(t, allocations, func(p protocol.Pending) {
			var whole strings.Builder
			for _, m := range g.render(t, p.Step) {
				whole.WriteString(m.Content)
			}
			me := p.Speaker.Index
			if !strings.Contains(whole.String(), private[me][0]) {
				t.Fatalf("%s: agent %d is not shown what it knows, so nothing is shown:\n%s", name, me, &whole)
			}
			for agent, lines := range private {
				for _, line := range lines {
					if agent != me && strings.Contains(whole.String(), line) {
						t.Errorf("%s: agent %d is shown the private line %q of agent %d", name, me, line, agent)
					}
				}
			}
			for agent := range private {
				if agent != me && strings.Contains(whole.String(), fmt.Sprintf("SECRET-%d-", agent)) {
					t.Errorf("%s: agent %d is shown a private reason of agent %d", name, me, agent)
				}
			}
		})
		if g.reasons() < 10 {
			t.Fatalf("%s: only %d private reasons were there to be seen", name, g.reasons())
		}
	}
}
