package prompt

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"roundtable/activities/model"
	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// check refuses what is well formed and says nothing that could count.
func check(a Answer, step transcript.Step, inst envs.Instance) error {
	own := step.Speaker.Role == "" && slices.Equal(a.Act.To, []int{step.Speaker.Index})
	switch f := step.Payload.Format; {
	case own && len(inst.Agents()) > 1:
		return fmt.Errorf(`"target" names nobody but %s, who wrote the message; name others, or nobody to write to all`,
			inst.Agents()[step.Speaker.Index].Name)
	case (f == transcript.FormatMessage || f == transcript.FormatText || f == transcript.FormatReply) &&
		saysNothing(a.Text):
		return fmt.Errorf("its text is %q, which says nothing", Clean([]byte(a.Text), 60))
	}
	return nil
}

// saysNothing reports whether a text is of dots, dashes and their like only.
func saysNothing(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && !strings.ContainsFunc(text,
		func(r rune) bool { return !unicode.IsPunct(r) && !unicode.IsSpace(r) })
}

// texts are the properties of answers that are a model's own words.
var texts = []string{reasonProperty, "message", "explanation", "role", "description", "why"}

const reasonProperty = "reason_for_decision"

// shownText is a property with a text, as forms in prompts have it.
var shownText = regexp.MustCompile(`"([a-z_]+)"\s*:\s*("(?:[^"\\]|\\.)*")`)

// CheckCopied returns an error if an answer repeats a placeholder of its form: "your message" is
// not a message. reasonless is true if only its reasons do, which others may not even see: the
// answer then has no reasons.
func CheckCopied(raw []byte, question []model.Message, form Form) (reasonless bool, err error) {
	object, err := Object(raw)
	if err != nil {
		return false, nil // a ballot alone
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(object, &given) != nil {
		return false, nil
	}
	for _, name := range texts {
		var text string
		if json.Unmarshal(given[name], &text) != nil || text == "" || !isPlaceholder(text) &&
			!isShown(name, text, question, form) {
			continue
		}
		if name != reasonProperty {
			return false, fmt.Errorf("%q is %q, which only marks the place in the form; write your own words there",
				name, Clean([]byte(text), 80))
		}
		reasonless = true
	}
	return reasonless, nil
}

// isPlaceholder reports whether a text is <something>, or dots.
func isPlaceholder(text string) bool {
	text = strings.TrimSpace(text)
	return saysNothing(text) || strings.HasPrefix(text, "<") && strings.Index(text, ">") == len(text)-1
}

// isShown reports whether the question or the form has a text as that property's.
func isShown(name, text string, question []model.Message, form Form) bool {
	shown := func(in string) bool {
		for _, m := range shownText.FindAllStringSubmatch(in, -1) {
			var there string
			if m[1] == name && json.Unmarshal([]byte(m[2]), &there) == nil && bareWords(there) == bareWords(text) {
				return true
			}
		}
		return false
	}
	return shown(form.Example) || slices.ContainsFunc(question,
		func(m model.Message) bool { return m.Role != "assistant" && shown(m.Content) })
}

// bareWords is a text in lower case, without what stands around its words.
func bareWords(text string) string {
	return strings.ToLower(strings.TrimFunc(text,
		func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) || r == '<' || r == '>' }))
}
