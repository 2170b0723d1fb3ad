package prompt

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestCheckOverride(t *testing.T) {
	known := map[string]bool{"protocol/talk.tmpl": true, "protocol/vote.tmpl": true, "env/task.tmpl": true, "rule/name.tmpl": true}
	folder := fstest.MapFS{
		"README.md": {}, "protocol/.swp": {}, "notes/draft.txt": {}, // nobody's business
		"protocol/talk.tmpl": {}, "env/task.tmpl": {}, // templates
		"protocol/tlak.tmpl": {}, "vote.tmpl": {}, "env/vote.tmpl": {}, "protocol/talk.tmp": {}, "rule/quite-another.tmpl": {},
	}
	var got []string
	for _, err := range CheckOverride(folder, known) {
		got = append(got, err.Error())
	}
	want := []string{
		"env/vote.tmpl replaces no template; did you mean protocol/vote.tmpl?",
		"protocol/talk.tmp replaces no template; did you mean protocol/talk.tmpl?",
		"protocol/tlak.tmpl replaces no template; did you mean protocol/talk.tmpl?",
		"rule/quite-another.tmpl replaces no template",
		"vote.tmpl replaces no template; did you mean protocol/vote.tmpl?",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
