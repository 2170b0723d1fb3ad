package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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
			flat[i] = values[a].flatTexts()
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
	return names, rows
}

// Shared returns what the conditions have in common, in words.
func (f File) Shared() []string {
	var base map[string]json.RawMessage
	if json.Unmarshal(f.Campaign.Base, &base) != nil {
		return nil
	}
	var words []string
	for _, key := range conditionKeys {
		if v := base[key]; v != nil {
			words = append(words, fmt.Sprintf("%s %s", key, Value{Value: v}.inWords()))
		}
	}
	return words
}

// inWords returns a plug-in's name and, in brackets, its parameters; of other values the value.
func (v Value) inWords() string {
	flat := v.flatTexts()
	name := wording.Shorten(flat[""])
	delete(flat, "")
	var params []string
	for _, key := range slices.Sorted(maps.Keys(flat)) {
		params = append(params, strings.TrimPrefix(key, ".")+" "+wording.Shorten(flat[key]))
	}
	if len(params) == 0 {
		return name
	}
	return strings.TrimPrefix(fmt.Sprintf("%s (%s)", name, strings.Join(params, ", ")), " ")
}

// flatTexts returns the texts of a plug-in by ".key" of each parameter, and by "" of its
// name; of other values by "" alone.
func (v Value) flatTexts() map[string]string {
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
