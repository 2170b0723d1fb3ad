package wire

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Part is what one part of an answer says.
type Part struct {
	IsText   bool           // the answer has its text
	Text     jsontext.Value // of the answer, if IsText
	Thinking jsontext.Value // what the model thought; absent if nothing
}

// ReadParts reads an answer that is a list of parts of the form P: the texts follow each
// other, thoughts stand on lines of their own. It is not ok if it is something else, or a text is none.
func ReadParts[P any](list jsontext.Value, read func(P) Part) (text []byte, thinking string, ok bool) {
	var parts []P
	if Present(list) && json.Unmarshal(list, &parts, Lenient) != nil {
		return nil, "", false
	}
	var thoughts []string
	for _, p := range parts {
		part := read(p)
		if thought := String(part.Thinking); thought != "" {
			thoughts = append(thoughts, thought)
		}
		if !part.IsText {
			continue
		}
		if part.Text.Kind() != '"' {
			return nil, "", false
		}
		text = append(text, Unquote(part.Text)...)
	}
	return text, strings.Join(thoughts, "\n"), true
}
