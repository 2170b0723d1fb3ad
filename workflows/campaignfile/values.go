package campaignfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// maxLabel is the longest label in characters.
const maxLabel = 60

// parseLabelled reads the values of an axis, of which each may have a label:
// {label: …, value: …}. Labels are shown and are part of no identity. It returns
// nothing if one cannot be used.
func (p *parser) parseLabelled(key string, nodes []*yaml.Node) []setting {
	values := make([]setting, len(nodes))
	for i, n := range nodes {
		values[i] = setting{key: key, value: n}
		label, v := valueOf(n, "label"), valueOf(n, "value")
		switch {
		case n.Kind == yaml.MappingNode && label != nil && valueOf(n, "set") != nil:
			p.errs.add(n, "grid."+key, "values that set several keys stand on an axis with its own name, as grid: "+
				"{size: [{label: …, set: {…}}]}")
			return nil
		// it is misspelt
		case n.Kind == yaml.MappingNode && label == nil && v != nil && len(n.Content) == 4 && valueOf(n, "name") == nil:
			other := n.Content[0].Value
			if other == "value" {
				other = n.Content[2].Value
			}
			p.errs.add(n, joinKey("grid."+key, other),
				"unknown key; a value with a label is written {label: …, value: …}")
			return nil
		case n.Kind != yaml.MappingNode || label == nil || v == nil && valueOf(n, "name") == nil:
			continue
		case v == nil || len(n.Content) != 4:
			p.errs.add(n, "grid."+key, "a value with a label is written {label: …, value: …}")
			continue
		}
		values[i].value, values[i].label = v, p.parseLabel("grid."+key, label)
	}
	p.refuseSameLabels(nodes, values)
	return values
}

// parseLabel returns a value's label; empty if it is none.
func (p *parser) parseLabel(key string, label *yaml.Node) string {
	if label.Kind != yaml.ScalarNode || !isLabel(label.Value) {
		p.errs.add(label, key+".label", "%s is not a label; expected 1 to %d printable characters",
			shortText(label), maxLabel)
		return ""
	}
	return label.Value
}

// refuseSameLabels refuses values of an axis that are called alike.
func (p *parser) refuseSameLabels(nodes []*yaml.Node, values []setting) {
	for i, x := range values {
		name := x.labelOrText()
		for _, other := range values[:i] {
			if name != "" && name == other.labelOrText() && x.label+other.label != "" {
				p.errs.add(nodes[i], "grid."+x.key+".label", "%q is there twice", name)
			}
		}
	}
}

func isLabel(label string) bool {
	return strings.TrimSpace(label) == label && label != "" && utf8.RuneCountInString(label) <= maxLabel &&
		!strings.ContainsFunc(label, func(r rune) bool { return !unicode.IsPrint(r) })
}

// labelOrText returns what a value of the grid is called: its label, or itself if it is a
// single word or number; empty for a list or mapping without a label.
func (x setting) labelOrText() string {
	switch {
	case x.label != "":
		return x.label
	case x.value.Kind == yaml.ScalarNode && !isNull(x.value):
		return x.value.Value
	}
	return ""
}

// shownValues returns the values of a point, in the file's order of the axes.
func (at point) shownValues(axes []axis) []plan.Value {
	var list []plan.Value
	for _, a := range axes {
		for _, x := range at {
			if x.key == a.key {
				var ignored Errors
				v, _ := x.canonicalValue(&ignored)
				list = append(list, plan.Value{Axis: x.key, Value: v, Label: x.label})
			}
		}
	}
	return list
}

// AxisLabels returns the labels of conditions, by condition ID and then by axis key, for axes on
// which some value has a label; nil if there are none. The label of a value without one is its
// own text. Baselines and controls have axes of their own.
func (f File) AxisLabels() map[string]map[string]string {
	some := map[string]bool{}
	for i, values := range f.Values {
		for _, v := range values {
			some[v.Axis] = some[v.Axis] || v.Label != "" && f.baselines[i] == ""
		}
	}
	labels := map[string]map[string]string{}
	put := func(condition int, axis, label string) {
		id := f.Campaign.Conditions[condition].ID()
		if labels[id] == nil {
			labels[id] = map[string]string{}
		}
		labels[id][axis] = label
	}
	for i, values := range f.Values {
		for _, v := range values {
			if title := f.baselines[i]; some[v.Axis] && (title == "" || v.Label != title) {
				put(i, v.Axis, v.String())
			}
		}
		if f.baselines[i] != "" {
			put(i, baselineAxis, f.baselines[i])
		}
		if c := f.Campaign.Conditions[i].Control; c != "" {
			put(i, controlKey, string(c))
		}
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}

// ownName is what an axis may be called whose values set several keys.
var ownName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,39}$`)

// isOwnAxis reports whether a key of the grid is an axis with its own name: the
// values of its list say what they set.
func isOwnAxis(key string, list *yaml.Node) bool {
	return ownName.MatchString(key) && !slices.Contains(append(Keys(), baselineAxis, controlKey), key) &&
		list.Kind == yaml.SequenceNode &&
		slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return valueOf(n, "set") != nil })
}

// parseBundles reads the values of an axis with its own name, {label: …, set: {…}}:
// each sets several keys together.
func (p *parser) parseBundles(key string, nodes []*yaml.Node) []setting {
	var values []setting
	var sound []*yaml.Node
	for _, n := range nodes {
		if x, ok := p.parseBundle(key, n); ok {
			values, sound = append(values, x), append(sound, n)
		}
	}
	p.refuseSameLabels(sound, values)
	return values
}

// parseBundle reads one of them; false if it cannot be used.
func (p *parser) parseBundle(key string, n *yaml.Node) (setting, bool) {
	before := len(p.errs)
	name := "grid." + key
	x := setting{key: key, value: n, sets: []assignment{}}
	label, set := valueOf(n, "label"), valueOf(n, "set")
	if n.Kind != yaml.MappingNode || label == nil || set == nil || len(n.Content) != 4 {
		p.errs.add(n, name, "%s is not a value of an axis with its own name; write {label: …, set: {…}}", shortText(n))
		return x, false
	}
	x.label = p.parseLabel(name, label)
	if set.Kind != yaml.MappingNode {
		p.errs.add(set, name+".set", "%s is not a mapping of keys to values, as {model: …, generate.temperature: 0}",
			shortText(set))
		return x, false
	}
	x.value = set
	for i := 0; i+1 < len(set.Content); i += 2 {
		at, v := set.Content[i], set.Content[i+1]
		root, _, _ := strings.Cut(at.Value, ".")
		switch {
		case !slices.Contains(conditionKeys, root):
			p.errs.add(at, name+".set."+at.Value,
				"cannot be set here; %s and keys within them (as protocol.rounds) can",
				strings.Join(conditionKeys, ", "))
		case slices.ContainsFunc(x.sets, func(a assignment) bool { return a.path == at.Value }):
			p.errs.add(at, name+".set."+at.Value, "given twice")
		default:
			x.sets = append(x.sets, assignment{at.Value, v})
		}
	}
	for _, inner := range x.sets {
		for _, outer := range x.sets {
			if rest, within := strings.CutPrefix(inner.path, outer.path+"."); within &&
				nodeAt(outer.value, rest) != nil {
				p.errs.add(inner.value, name+".set."+inner.path, "given twice; %s has it too", outer.path)
			}
		}
	}
	return x, len(p.errs) == before
}

// nodeAt returns the node at a dotted path of mappings; nil if there is none.
func nodeAt(n *yaml.Node, path string) *yaml.Node {
	for n != nil && path != "" {
		var head string
		head, path, _ = strings.Cut(path, ".")
		n = valueOf(n, head)
	}
	return n
}

// canonicalValue returns the canonical JSON of a value.
func (x setting) canonicalValue(errs *Errors) (json.RawMessage, bool) {
	if x.sets == nil {
		return canonicalJSON(x.value, x.key, errs)
	}
	object, sound := map[string]json.RawMessage{}, true
	for _, set := range x.sets {
		v, ok := canonicalJSON(set.value, set.path, errs)
		object[set.path], sound = v, sound && ok
	}
	if !sound {
		return nil, false
	}
	return plan.JSON(object), true
}

// replacedPath is a path of a condition that the grid sets.
type replacedPath struct {
	path   string
	axis   string
	always bool // every combination sets it
}

func replacedPaths(axes []axis) []replacedPath {
	var all []replacedPath
	for _, a := range axes {
		count := map[string]int{}
		for _, x := range a.values {
			for _, set := range x.listAssignments() {
				if count[set.path]++; count[set.path] == 1 {
					all = append(all, replacedPath{path: set.path, axis: a.key})
				}
			}
		}
		for i, r := range all {
			all[i].always = r.always || count[r.path] == a.given
		}
	}
	return all
}

// refuseOverlaps refuses two axes that set the same key: one of them would do nothing.
func (p *parser) refuseOverlaps(axes []axis) {
	by := map[string]string{}
	for _, a := range axes {
		for _, r := range replacedPaths([]axis{a}) {
			if other, twice := by[r.path]; twice {
				p.errs.add(a.node, "grid."+a.key, "sets %s, and so does grid.%s; leave one out", r.path, other)
			}
			by[r.path] = a.key
		}
	}
}

// Columns returns the table that tells the conditions apart: names of columns, and a row of texts
// for each condition. An axis with labels or of plain values is one column; an axis of plug-ins
// has a column for each parameter that differs.
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
		var ignored Errors
		if v, ok := canonicalJSON(n, key, &ignored); ok {
			given[key] = v
		}
	}
	return given
}

// Shared returns what the conditions have in common, in words: a plug-in with its parameters in
// brackets, and parameters that different plug-ins share, by their paths.
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
			flat = flatTexts(plan.Value{Value: given[key]})
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
func flatTexts(v plan.Value) map[string]string {
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
		flat[name] = plan.Value{Value: value}.String()
	}
	return flat
}
