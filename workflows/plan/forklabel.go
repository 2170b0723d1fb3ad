package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs/wording"
)

// controlLabel is what a change is called that changes nothing.
const controlLabel = "as it was"

// label returns what a change is called: by the file, or by what it does.
func (f forking) label(c ForkChange) string {
	if c.Label != "" {
		return c.Label
	}
	var words []string
	for _, path := range slices.Sorted(maps.Keys(c.Set)) {
		words = append(words, path+" "+strings.Trim(string(jsonOf(c.Set[path])), `"`))
	}
	if len(c.Drop) > 0 {
		words = append(words, "without "+wording.And(c.Drop))
	}
	for _, m := range c.Remove {
		words = append(words, m.String()+" removed")
	}
	for _, r := range c.Replace {
		words = append(words, ForkMessage{r.Round, r.Agent, r.Phase, r.Entry}.String()+" replaced")
	}
	if len(words) == 0 {
		words = []string{controlLabel}
	}
	if c.At != nil && c.At.Round > 0 {
		words = append(words, fmt.Sprintf("from round %d", c.At.Round))
	} else if c.At != nil && c.At.Entry > 0 {
		words = append(words, fmt.Sprintf("from entry %d", c.At.Entry))
	}
	return wording.Shorten(strings.Join(words, ", "))
}

// String returns which messages are picked.
func (m ForkMessage) String() string {
	var words []string
	if m.Entry != nil {
		words = append(words, fmt.Sprintf("entry %d", *m.Entry))
	}
	if m.Phase != "" {
		words = append(words, m.Phase)
	}
	if m.Round > 0 {
		words = append(words, fmt.Sprintf("round %d", m.Round))
	}
	if m.Agent != "" {
		words = append(words, "of "+m.Agent)
	}
	return strings.Join(words, " ")
}

// idsOf returns the ids of a campaign's conditions.
func idsOf(c Campaign) []string {
	var all []string
	for _, condition := range c.Conditions {
		all = append(all, condition.ID())
	}
	return all
}

// nodesOf returns a recorded condition as a file would say it, at a source without lines.
func nodesOf(c Condition, source int) map[string]*yaml.Node {
	keys := map[string]*yaml.Node{}
	for key, value := range objectOf(c) {
		var doc yaml.Node
		if err := yaml.Unmarshal(value, &doc); err != nil {
			panic("plan: " + err.Error()) // JSON is YAML
		}
		n := plainNode(doc.Content[0])
		atSource(n, source)
		if name := valueOf(n, "name"); slices.Contains(choiceKeys, key) && (name == nil || name.Value == "") {
			continue // a protocol without a rule
		}
		keys[key] = n
	}
	return keys
}

// plainNode returns the node of a recorded value as a file has it: the parameters of a
// plug-in stand next to its name.
func plainNode(n *yaml.Node) *yaml.Node {
	params := valueOf(n, "params")
	if n.Kind == yaml.MappingNode && valueOf(n, "name") != nil && params != nil && len(n.Content) == 4 {
		n = &yaml.Node{Kind: yaml.MappingNode, Content: append([]*yaml.Node{keyNode(n, "name"), valueOf(n, "name")}, params.Content...)}
	}
	for i, inner := range n.Content {
		n.Content[i] = plainNode(inner)
	}
	return n
}
