package scaffold

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/seats"
	"roundtable/workflows/until"
)

// Schema is a JSON Schema, or a part of one.
type Schema map[string]any

// CampaignSchema returns the schema of a campaign file that can name these plug-ins.
func CampaignSchema(plugins catalogue.Catalogue) Schema {
	properties := fieldsOf(reflect.TypeFor[campaignfile.Header]())
	model := Schema{"anyOf": []Schema{{"type": "string", "pattern": "/"},
		{"type": "object", "properties": Schema{"name": Schema{"type": "string", "pattern": "/"}}}}}
	choices := map[string]Schema{
		"env": choiceOf(plugins.Environments), "protocol": choiceOf(plugins.Protocols),
		"rule": choiceOf(plugins.Rules), "stop": choiceOf(plugins.Stopping), "model": model,
	}
	properties["notify"].(Schema)["properties"].(Schema)["on"] = listOf(Schema{"enum": campaignfile.NotifyEvents()})
	number := Schema{"type": "integer", "minimum": 1}
	generate, reasks := typeOf(reflect.TypeFor[plan.Generate]()), Schema{"type": "integer", "minimum": 0, "maximum": 10}
	for key, s := range choices {
		properties[key] = s
	}
	for key, s := range map[string]Schema{
		"models": mappingOf(model), "agents": agentsSchema(model, generate), "generate": generate, "reasks": reasks,
		"reask": {"enum": []plan.Reask{plan.ReaskFresh, plan.ReaskShown}},
		"reasoning": {"enum": []protocol.Reasoning{protocol.ReasoningFirst, protocol.ReasoningNone,
			protocol.ReasoningPaper}},
		"name":        {"type": "string", "pattern": plan.NamePattern},
		"cache_scope": {"enum": []string{"condition", "campaign", "lake"}},
		"cost":        {"enum": []string{"unknown"}},
		"controls":    listOf(Schema{"enum": campaignfile.Controls()}),
		"instances":   byEnvironment(number, listOf(Schema{"type": []string{"string", "number"}})),
		"replicates":  byEnvironment(number),
		"prices":      {"anyOf": []Schema{{"type": "string"}, mappingOf(Schema{"type": "object"})}},
		"labels":      closedObject(Schema{"model": model, "generate": generate, "reasks": reasks}),
		"defaults":    defaultsSchema(plugins),
		"until":       questionSchema(),
		"grid":        gridSchema(choices, properties),
	} {
		properties[key] = s
	}
	s := closedObject(properties)
	s["$schema"], s["title"] = "https://json-schema.org/draft/2020-12/schema", "A campaign file of roundtable"
	s["required"] = []string{"name"}
	return s
}

// closedObject returns an object without other keys.
func closedObject(properties Schema) Schema {
	return Schema{"type": "object", "properties": properties, "additionalProperties": false}
}

func mappingOf(s Schema) Schema { return Schema{"type": "object", "additionalProperties": s} }

func listOf(s Schema) Schema { return Schema{"type": "array", "minItems": 1, "items": s} }

// agentsSchema returns the schema of who sits at the table.
func agentsSchema(model, generate Schema) Schema {
	seat := fieldsOf(reflect.TypeFor[seats.Seat]())
	seat["stance"], seat["model"], seat["generate"] = Schema{"enum": seats.Stances()}, model, generate
	list := listOf(Schema{"anyOf": []Schema{{"type": "string"}, closedObject(seat)}})
	shares := Schema{}
	for _, stance := range seats.Stances() {
		shares[stance] = Schema{"type": "number", "minimum": 0, "maximum": 1}
	}
	return Schema{"anyOf": []Schema{list,
		closedObject(Schema{"list": list, "pool": list, "stances": closedObject(shares)})}}
}

// questionSchema returns the schema of what ends a campaign.
func questionSchema() Schema {
	keys := fieldsOf(reflect.TypeFor[campaignfile.Until]())
	above := Schema{"type": "number", "exclusiveMinimum": 0}
	keys["measure"], keys["method"] = Schema{"enum": until.Measures()}, Schema{"enum": until.Methods()}
	keys["reference"] = Schema{"type": []string{"string", "number", "boolean"}}
	keys["width"], keys["smallest"], keys["ahead"] = above, above,
		Schema{"type": "integer", "minimum": 1, "maximum": 1000}
	keys["low"], keys["high"] = Schema{"type": "number"}, Schema{"type": "number"}
	keys["level"] = Schema{"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
	s := closedObject(keys)
	s["required"] = []string{"compare", "measure"}
	return s
}

// byEnvironment returns the schema of a value for all conditions, or of one for each environment.
func byEnvironment(one ...Schema) Schema {
	return Schema{"anyOf": append(one, mappingOf(Schema{"anyOf": one}))}
}

// gridSchema returns the schema of the grid: keys of a condition, with values that may have
// labels, and axes with their own names.
func gridSchema(choices map[string]Schema, properties Schema) Schema {
	label := Schema{"type": "string", "minLength": 1, "maxLength": 60}
	keys := Schema{}
	for _, key := range plan.ConditionKeys() {
		value, _ := properties[key].(Schema)
		if value == nil {
			value = Schema{}
		}
		if choices[key] == nil {
			value = Schema{} // a value of generate may be half of one
		}
		labelled := closedObject(Schema{"label": label, "value": value})
		labelled["required"] = []string{"label", "value"}
		keys[key] = listOf(Schema{"anyOf": []Schema{value, labelled}})
	}
	combinations := listOf(Schema{"type": "object", "minProperties": 1})
	keys["exclude"], keys["include"] = combinations, combinations
	paths := "^(" + strings.Join(plan.ConditionKeys(), "|") + ")"
	bundle := closedObject(Schema{"label": label,
		"set": Schema{"type": "object", "propertyNames": Schema{"pattern": paths + `(\..+)?$`}}})
	bundle["required"] = []string{"label", "set"}
	return Schema{
		"type": "object", "properties": keys,
		"patternProperties":    Schema{paths + `\.`: listOf(Schema{})},
		"additionalProperties": listOf(bundle),
	}
}

// defaultsSchema returns the schema of parameters by plug-in.
func defaultsSchema(plugins catalogue.Catalogue) Schema {
	return closedObject(Schema{
		"env": parametersOf(plugins.Environments), "protocol": parametersOf(plugins.Protocols),
		"rule": parametersOf(plugins.Rules), "stop": parametersOf(plugins.Stopping),
		"model": mappingOf(Schema{"type": "object"}),
	})
}

func parametersOf[T, N any](list []catalogue.Plugin[T, N]) Schema {
	all := Schema{}
	for _, p := range list {
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			all[name] = closedObject(paramsOf(p))
		}
	}
	return closedObject(all)
}

// choiceOf returns the schema of a plug-in: its name, or a mapping with its parameters.
// The name may be missing where the grid or another file gives it.
func choiceOf[T, N any](list []catalogue.Plugin[T, N]) Schema {
	var names []string
	var each []Schema
	for _, p := range list {
		mine := append([]string{p.Name}, p.Aliases...)
		names = append(names, mine...)
		params := paramsOf(p)
		params["name"] = Schema{}
		each = append(each, Schema{
			"if":   Schema{"properties": Schema{"name": Schema{"enum": mine}}, "required": []string{"name"}},
			"then": Schema{"description": p.About, "properties": params, "additionalProperties": false},
		})
	}
	return Schema{"anyOf": []Schema{
		{"enum": names},
		{"type": "object", "properties": Schema{"name": Schema{"enum": names}, "label": false}, "allOf": each},
	}}
}

// paramsOf returns the parameters of a plug-in with their defaults.
func paramsOf[T, N any](p catalogue.Plugin[T, N]) Schema {
	if p.Params == nil {
		return Schema{}
	}
	fields := fieldsOf(reflect.TypeOf(p.Params))
	var given map[string]any
	data, err := json.Marshal(p.Params)
	if err != nil || json.Unmarshal(data, &given) != nil {
		return fields
	}
	for name, value := range given {
		if field, ok := fields[name].(Schema); ok && value != nil {
			field["default"] = value
		}
	}
	return fields
}

// fieldsOf returns the fields of a struct by their keys in the file.
func fieldsOf(t reflect.Type) Schema {
	all := Schema{}
	if t.Kind() != reflect.Struct {
		return all
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			maps.Copy(all, fieldsOf(f.Type))
		case name != "" && name != "-":
			all[name] = typeOf(f.Type)
		}
	}
	return all
}

// typeOf returns the schema of what a Go value is read from; a type that reads itself
// takes anything here.
func typeOf(t reflect.Type) Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	readers := []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()}
	if slices.ContainsFunc(readers, reflect.PointerTo(t).Implements) {
		return Schema{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return Schema{"type": "integer"}
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		return Schema{"type": "integer", "minimum": 0}
	case reflect.Float32, reflect.Float64:
		return Schema{"type": "number"}
	case reflect.String:
		return Schema{"type": "string"}
	case reflect.Slice, reflect.Array:
		return Schema{"type": "array", "items": typeOf(t.Elem())}
	case reflect.Map:
		return mappingOf(typeOf(t.Elem()))
	case reflect.Struct:
		return closedObject(fieldsOf(t))
	}
	return Schema{}
}
