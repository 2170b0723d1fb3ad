package prompt

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/activities/model"
	"roundtable/workflows/plan"
)

// Reask returns the messages that ask question again after unusable answers, each with its fault,
// in the way that the campaign sets.
func Reask(question []model.Message, way plan.Reask, form Form, unusable []Unusable) []model.Message {
	if way == plan.ReaskShown {
		return reaskShown(question, form, unusable)
	}
	if len(unusable) == 0 {
		return question
	}
	return reaskFresh(question, form, unusable)
}

// Unusable is an answer that could not be used, and why.
type Unusable struct {
	Raw   []byte
	Fault string
}

// reaskFresh adds to the question what was wrong, and the form filled in. The refused
// answers are left out: models copy what stands right above.
func reaskFresh(question []model.Message, form Form, unusable []Unusable) []model.Message {
	var b strings.Builder
	fault := unusable[len(unusable)-1].Fault
	if n := len(unusable); n == 1 {
		fmt.Fprintf(&b, "An earlier answer to this could not be used: %s.", fault)
	} else {
		fmt.Fprintf(&b, "%d earlier answers to this could not be used, the last one for this reason: %s.", n, fault)
	}
	switch {
	case form.Text:
		b.WriteString(" Answer again, from the beginning.")
		if form.Words != "" {
			b.WriteString(" " + form.Words)
		}
	case form.Example == "":
		b.WriteString(" Answer again with one JSON object in the form described above and nothing else.")
	default:
		fmt.Fprintf(&b, " Answer again with one JSON object and nothing else. This is an example of the form, with "+
			"made-up content; write your own in its place:\n%s", form.Example)
	}
	again := slices.Clone(question)
	last := &again[len(again)-1]
	last.Content += "\n\n" + b.String()
	return again
}

// reaskShown adds each refused answer and what was wrong with it as turns of the chat.
func reaskShown(question []model.Message, form Form, unusable []Unusable) []model.Message {
	words := "with one JSON object in the form asked for and nothing else"
	if form.Text {
		words = "in the form asked for"
	}
	again := slices.Clone(question)
	for _, u := range unusable {
		again = append(again,
			model.Message{Role: "assistant", Content: Clean(u.Raw, 4096)},
			model.Message{Role: "user", Content: fmt.Sprintf("That answer cannot be used: %s. Answer again %s.",
				u.Fault, words)})
	}
	return again
}
