// Package jsonschema builds JSON Schemas of answers. Properties keep the order in which
// they are given: a service that holds a model to a schema has it write them in that order.
package jsonschema

import (
	"bytes"
	"encoding/json"
)

// Schema is a JSON Schema, or a part of one.
type Schema struct {
	Type        any        `json:"type,omitempty"` // a name, or a list of names
	Enum        []any      `json:"enum,omitempty"`
	AnyOf       []Schema   `json:"anyOf,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
	Closed      *bool      `json:"additionalProperties,omitempty"` // false: no other properties
	Items       *Schema    `json:"items,omitempty"`
	MinItems    *int       `json:"minItems,omitempty"`
	MaxItems    *int       `json:"maxItems,omitempty"`
	UniqueItems bool       `json:"uniqueItems,omitempty"`
	Minimum     *float64   `json:"minimum,omitempty"`
	Maximum     *float64   `json:"maximum,omitempty"`
}

// Property is a property of an object.
type Property struct {
	Name   string
	Schema Schema
}

type properties []Property

// MarshalJSON writes the properties in their order.
func (p properties) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, one := range p {
		name, err := marshalPlain(one.Name)
		if err != nil {
			return nil, err
		}
		of, err := marshalPlain(one.Schema)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, name...), ':'), of...)
	}
	return append(b, '}'), nil
}

// Object describes an object that has all of the properties and no others.
func Object(all ...Property) Schema {
	s := Schema{Type: "object", Properties: all, Required: make([]string, len(all)), Closed: new(bool)}
	for i, p := range all {
		s.Required[i] = p.Name
	}
	return s
}

// ObjectOf describes an object that has these names and no others, each with a value as of describes it.
func ObjectOf(names []string, of Schema) Schema {
	all := make([]Property, len(names))
	for i, name := range names {
		all[i] = Property{name, of}
	}
	return Object(all...)
}

// Array describes a list of least to most items.
func Array(items Schema, least, most int) Schema {
	return Schema{Type: "array", Items: &items, MinItems: &least, MaxItems: &most}
}

// Set describes a list of least to most items, no two of them equal.
func Set(items Schema, least, most int) Schema {
	s := Array(items, least, most)
	s.UniqueItems = true
	return s
}

// Text describes any text.
func Text() Schema { return Schema{Type: "string"} }

// OneOf describes a text that is one of these.
func OneOf(texts ...string) Schema {
	s := Schema{Type: "string", Enum: make([]any, len(texts))}
	for i, t := range texts {
		s.Enum[i] = t
	}
	return s
}

// Number describes a number from least to most.
func Number(least, most float64) Schema {
	return Schema{Type: "number", Minimum: &least, Maximum: &most}
}

// Integer describes a whole number from least to most.
func Integer(least, most int) Schema {
	s := Number(float64(least), float64(most))
	s.Type = "integer"
	return s
}

// AnyNumber describes a number without bounds.
func AnyNumber() Schema { return Schema{Type: "number"} }

// AnyInteger describes a whole number without bounds.
func AnyInteger() Schema { return Schema{Type: "integer"} }

// OrNull describes what s describes, or null.
func OrNull(s Schema) Schema { return Schema{AnyOf: []Schema{s, {Type: "null"}}} }

// JSON returns the schema in JSON, as it is sent to a service.
func (s Schema) JSON() json.RawMessage {
	data, err := marshalPlain(s)
	if err != nil {
		panic("jsonschema: " + err.Error()) // names, texts and finite numbers always marshal
	}
	return data
}

// marshalPlain leaves <, > and & as they are: they may be in the name of a good or a dish.
func marshalPlain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
