package people

import (
	"context"
	"strings"
	"testing"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/store/storetest"
)

// What a person typed is the answer that was stored; it may be deleted, and what models answered, or
// was answered elsewhere, is nobody's.
func TestCheck(t *testing.T) {
	typed := func(model string) answers.Turn {
		return answers.Turn{Entry: 3, Asks: []answers.Answer{{ModelAsked: model, Raw: []byte("(A)")}}}
	}
	before := typed("human")
	before.Asks[0].From = "c/original.0"
	for name, c := range map[string]struct {
		turn  answers.Turn
		typed string // "" for nothing
		found string
	}{
		"as typed": {typed("human/ann"), "(A)", ""}, "another": {typed("human/ann"), "(B)", "it is not the answer"}, "cut": {typed("human"), "(", "it is not the answer"},
		"deleted": {typed("human"), "", ""}, "a model": {typed("openai/m"), "(B)", ""}, "before a fork": {before, "(B)", ""},
	} {
		s := storetest.NewMemory(map[string]string{})
		if c.typed != "" {
			s.Objects[answerKey("c", "k-i0-r0-e3-a0")] = c.typed
		}
		found, err := Check(context.Background(), s, "c", "k-i0-r0", []answers.Turn{c.turn})
		if err != nil || (c.found == "") != (len(found) == 0) || len(found) > 0 && !strings.Contains(found[0].Problem, c.found) {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}
