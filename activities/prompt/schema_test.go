package prompt_test

import (
	"encoding/json"
	"strings"
	"testing"

	"roundtable/activities/prompt"
	"roundtable/workflows/transcript"
)

// Answers that the schema describes are answers that Parse takes.
func TestSchema(t *testing.T) {
	for _, s := range forms() {
		text := prompt.Schema(s, []string{"Alex", "Blake"})
		if s.Payload.Format == transcript.FormatText || s.Payload.Format == transcript.FormatProposal {
			if text != nil {
				t.Errorf("%s has the schema %s", s.Payload.Format, text)
			}
			continue
		}
		var schema node
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		for _, fill := range []int{1, 2, 3} {
			raw := must(json.Marshal(schema.example(fill)))
			if _, err := prompt.Parse(raw, s, economy(t)); err != nil && !strings.Contains(err.Error(), "candidate") && !strings.Contains(err.Error(), "points") {
				t.Errorf("%s %s: %s is of the right form, but %v", s.Payload.Format, s.Payload.Ballot.Kind, raw, err)
			}
		}
	}
}

// node is the part of JSON Schema that is used.
type node struct {
	Type       any
	AnyOf      []node
	Items      *node
	Enum       []string
	Properties map[string]node
}

// example is a value of the schema.
func (n node) example(fill int) any {
	switch {
	case n.AnyOf != nil:
		return n.AnyOf[(fill-1)%len(n.AnyOf)].example(fill)
	case n.Properties != nil:
		object := map[string]any{}
		for name, p := range n.Properties {
			object[name] = p.example(fill)
		}
		return object
	case n.Items != nil:
		return []any{n.Items.example(fill)}
	case n.Enum != nil:
		return n.Enum[0]
	case n.Type == "string":
		return "text"
	case n.Type == "integer":
		return fill
	}
	return nil
}
