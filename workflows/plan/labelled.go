package plan

import (
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
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
			p.errs.add(n, "grid."+key, "values that set several keys stand on an axis with its own name, as grid: {size: [{label: …, set: {…}}]}")
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
		p.errs.add(label, key+".label", "%s is no label; 1 to %d printable characters are accepted", shortText(label), maxLabel)
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

// Value is a condition's value on one axis of the grid.
type Value struct {
	Axis  string          `json:"axis"`
	Value json.RawMessage `json:"value"`
	Label string          `json:"label,omitempty"` // as the file says it
}

// shownValues returns the values of a point, in the file's order of the axes.
func (at point) shownValues(axes []axis) []Value {
	var list []Value
	for _, a := range axes {
		for _, x := range at {
			if x.key == a.key {
				var ignored FileErrors
				v, _ := x.canonical(&ignored)
				list = append(list, Value{x.key, v, x.label})
			}
		}
	}
	return list
}

// AxisLabels returns the labels of conditions by their ID, and then by the key of the
// axis, of those axes of which some value has a label; nil if none has. A value
// without one is called by its own text.
func (f File) AxisLabels() map[string]map[string]string {
	some := map[string]bool{}
	for _, values := range f.Values {
		for _, v := range values {
			some[v.Axis] = some[v.Axis] || v.Label != ""
		}
	}
	var labels map[string]map[string]string
	for i, values := range f.Values {
		for _, v := range values {
			if !some[v.Axis] {
				continue
			}
			if labels == nil {
				labels = map[string]map[string]string{}
			}
			id := f.Campaign.Conditions[i].ID()
			if labels[id] == nil {
				labels[id] = map[string]string{}
			}
			labels[id][v.Axis] = v.String()
		}
	}
	return labels
}

// String returns the label, or the value itself.
func (v Value) String() string {
	if v.Label != "" {
		return v.Label
	}
	var text string
	if json.Unmarshal(v.Value, &text) == nil {
		return text
	}
	return string(v.Value)
}
