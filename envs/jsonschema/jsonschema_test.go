package jsonschema

import "testing"

// What is written is JSON Schema of draft 2020-12, with the properties in the order in which they were given.
func TestJSON(t *testing.T) {
	for want, s := range map[string]Schema{
		`{"type":"string"}`:                                                    Text(),
		`{"type":"string","enum":["<b>","a & b"]}`:                             OneOf("<b>", "a & b"),
		`{"type":"number"}`:                                                    AnyNumber(),
		`{"type":"number","minimum":0,"maximum":0.5}`:                          Number(0, 0.5),
		`{"type":"integer"}`:                                                   AnyInteger(),
		`{"type":"integer","minimum":-1,"maximum":0}`:                          Integer(-1, 0),
		`{"anyOf":[{"type":"string"},{"type":"null"}]}`:                        OrNull(Text()),
		`{"type":"object","additionalProperties":false}`:                       Object(),
		`{"type":"array","items":{"type":"string"},"minItems":0,"maxItems":2}`: Array(Text(), 0, 2),
		`{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":1,"uniqueItems":true}`:                                           Set(AnyInteger(), 1, 1),
		`{"type":"object","properties":{"z":{"type":"string"},"<a>":{"type":"number"}},"required":["z","<a>"],"additionalProperties":false}`: Object(Property{"z", Text()}, Property{"<a>", AnyNumber()}),
		`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}},"required":["b","a"],"additionalProperties":false}`:     ObjectOf([]string{"b", "a"}, Text()),
	} {
		if got := string(s.JSON()); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
