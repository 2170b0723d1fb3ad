package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
)

// Columns returns what tells the conditions of a campaign apart: the names of the
// columns and the text of each condition under them. An axis with labels is one
// column, and so is one of plain values; of plug-ins each parameter that differs has its own.
func (f File) Columns() (names []string, rows [][]string) {
	rows = make([][]string, len(f.Values))
	for a := range f.Campaign.Grid {
		whole := true
		flat := make([]map[string]string, len(f.Values))
		for i, values := range f.Values {
			flat[i] = flatTexts(values[a])
			whole = whole && len(flat[i]) == 1
		}
		for _, values := range f.Values {
			whole = whole || values[a].Label != ""
		}
		keys := map[string]bool{}
		for i, values := range f.Values {
			if whole {
				flat[i] = map[string]string{"": values[a].String()}
			}
			for key := range flat[i] {
				keys[key] = true
			}
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if !slices.ContainsFunc(flat, func(m map[string]string) bool { return m[key] != flat[0][key] }) {
				continue
			}
			names = append(names, f.Campaign.Grid[a].Key+key)
			for i := range rows {
				rows[i] = append(rows[i], wording.Shorten(flat[i][key]))
			}
		}
	}
	add := func(name string, of func(i int) string) {
		some := false
		for i := range rows {
			some = some || of(i) != ""
		}
		for i := 0; some && i < len(rows); i++ {
			rows[i] = append(rows[i], of(i))
		}
		if some {
			names = append(names, name)
		}
	}
	if len(f.Campaign.Grid) == 0 { // else they stand under its axes
		add(baselineAxis, func(i int) string { return f.baselines[i] })
	}
	add(controlKey, func(i int) string { return string(f.Campaign.Conditions[i].Control) })
	return names, rows
}

// givenSettings returns what a condition was given, by key.
func givenSettings(keys map[string]*yaml.Node) map[string]json.RawMessage {
	given := map[string]json.RawMessage{}
	for key, n := range keys {
		var ignored FileErrors
		if v, ok := canonicalJSON(n, key, &ignored); ok {
			given[key] = v
		}
	}
	return given
}

// Shared returns what the conditions have in common, in words: a plug-in with its
// parameters in brackets, and those that different plug-ins share by their paths.
func (f File) Shared() []string {
	var words []string
	for _, key := range conditionKeys {
		words = append(words, f.sharedOf(key)...)
	}
	return words
}

func (f File) sharedOf(key string) []string {
	var same map[string]string // texts by parameter, as flatTexts has them
	named := true
	for i, given := range f.given {
		flat := map[string]string{}
		if given[key] != nil {
			flat = flatTexts(Value{Value: given[key]})
		}
		if i == 0 {
			same = flat
			continue
		}
		named = named && same[""] == flat[""]
		maps.DeleteFunc(same, func(param, text string) bool { other, there := flat[param]; return !there || other != text })
	}
	name := wording.Shorten(same[""])
	if key == "agents" {
		name = rolesIn(same[""])
	}
	delete(same, "")
	var params []string
	for _, param := range slices.Sorted(maps.Keys(same)) {
		text := strings.TrimPrefix(param, ".") + " " + wording.Shorten(same[param])
		if !named {
			text = key + param + " " + wording.Shorten(same[param])
		}
		params = append(params, text)
	}
	switch {
	case !named:
		return params
	case len(params) == 0 && name == "":
		return nil
	case len(params) == 0:
		return []string{key + " " + name}
	}
	return []string{strings.ReplaceAll(fmt.Sprintf("%s %s (%s)", key, name, strings.Join(params, ", ")), "  ", " ")}
}

// flatTexts returns the texts of a plug-in by ".key" of each parameter, and by "" of its
// name; of other values by "" alone.
func flatTexts(v Value) map[string]string {
	var object map[string]json.RawMessage
	if json.Unmarshal(v.Value, &object) != nil || object == nil {
		return map[string]string{"": v.String()}
	}
	flat := map[string]string{}
	for key, value := range object {
		name := "." + key
		if key == "name" {
			name = ""
		}
		flat[name] = Value{Value: value}.String()
	}
	return flat
}
