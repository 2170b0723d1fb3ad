package wire

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Without returns a schema without some keywords, in its order. Services refuse a schema
// with a keyword that they do not know, and then the whole of it would be lost.
func Without(schema json.RawMessage, keywords ...string) json.RawMessage {
	if slices.ContainsFunc(keywords, func(k string) bool { return bytes.Contains(schema, []byte(`"`+k+`"`)) }) {
		return json.RawMessage(withoutKeywords(jsontext.Value(schema), keywords, false))
	}
	return schema
}

// withoutKeywords is Without; named says that the members are properties, whose names are not keywords.
func withoutKeywords(v jsontext.Value, keywords []string, named bool) jsontext.Value {
	dec, b := jsontext.NewDecoder(bytes.NewReader(v)), []byte{}
	open, err := dec.ReadToken()
	if err != nil || open.Kind() != '{' && open.Kind() != '[' {
		return v
	}
	end := jsontext.Kind('}')
	if open.Kind() == '[' {
		end = ']'
	}
	for dec.PeekKind() != end {
		var name jsontext.Value
		if end == '}' {
			if name, err = dec.ReadValue(); err != nil {
				return v
			}
			name = name.Clone()
		}
		value, err := dec.ReadValue()
		if err != nil {
			return v
		}
		word := string(bytes.Trim(name, `"`))
		if !named && slices.Contains(keywords, word) {
			continue
		}
		if len(b) > 0 {
			b = append(b, ',')
		}
		if name != nil {
			b = append(append(b, name...), ':')
		}
		b = append(b, withoutKeywords(value.Clone(), keywords, !named && word == "properties")...)
	}
	return slices.Concat(jsontext.Value{byte(open.Kind())}, b, jsontext.Value{byte(end)})
}

// Bounds are the keywords that Anthropic's services refuse, on Bedrock too.
func Bounds() []string {
	return []string{"minimum", "maximum", "minItems", "maxItems", "uniqueItems"}
}
