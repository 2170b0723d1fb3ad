package plan

import (
	"encoding/json"
	"maps"
	"slices"

	"roundtable/envs"
	"roundtable/workflows/catalogue"
)

// pinDefaults writes in a condition today's value of every parameter whose
// default has changed since campaigns were first recorded, so that its plan says
// what it means. recorded are the conditions of the campaign that goes on, if
// one does: what they leave out keeps its former meaning in the whole campaign.
func pinDefaults(plugins catalogue.Catalogue, c *Condition, recorded []Condition) {
	pinParameters(plugins.Environments, c, recorded, func(c *Condition) *Choice { return &c.Env })
	pinParameters(plugins.Protocols, c, recorded, func(c *Condition) *Choice { return &c.Protocol })
	pinParameters(plugins.Rules, c, recorded, func(c *Condition) *Choice { return &c.Rule })
	pinParameters(plugins.Stopping, c, recorded, func(c *Condition) *Choice { return &c.Stop })
}

func pinParameters[T, N any](list []catalogue.Plugin[T, N], c *Condition, recorded []Condition, of func(*Condition) *Choice) {
	choice := of(c)
	plugin, err := catalogue.Find("plug-in", list, choice.Name)
	if err != nil || len(plugin.Former) == 0 {
		return
	}
	given, today := choice.givenParameters(), objectOf(plugin.Params)
	for _, key := range slices.Sorted(maps.Keys(plugin.Former)) {
		leftOut := func(r Condition) bool {
			was := of(&r)
			return plugin.Named(was.Name) && was.givenParameters()[key] == nil
		}
		if given[key] == nil && !slices.ContainsFunc(recorded, leftOut) {
			given[key] = today[key]
		}
	}
	if len(given) > 0 {
		choice.Params = jsonOf(given)
	}
}

// givenParameters returns the parameters of a choice by name.
func (c Choice) givenParameters() map[string]json.RawMessage {
	if len(c.Params) == 0 {
		return map[string]json.RawMessage{}
	}
	return objectOf(c.Params)
}

// decodeFormer returns a decoder that starts from the former values of the
// parameters that a recorded choice leaves out.
func decodeFormer(former map[string]any, c Choice, decode envs.Decode) envs.Decode {
	left, given := maps.Clone(former), c.givenParameters()
	maps.DeleteFunc(left, func(key string, _ any) bool { return given[key] != nil })
	if len(left) == 0 {
		return decode
	}
	return func(v any) error {
		if err := json.Unmarshal(jsonOf(left), v); err != nil {
			return err
		}
		return decode(v)
	}
}

// objectOf returns the fields of a value as JSON has them; none if it is no object.
func objectOf(v any) map[string]json.RawMessage {
	object := map[string]json.RawMessage{}
	if json.Unmarshal(jsonOf(v), &object) != nil {
		return map[string]json.RawMessage{}
	}
	return object
}

func jsonOf(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic("plan: " + err.Error()) // parameters are plain values
	}
	return data
}
