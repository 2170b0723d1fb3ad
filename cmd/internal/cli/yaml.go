package cli

import (
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

// FormatYAML writes parameters as a campaign file would; "" if there are none.
func FormatYAML(params any) (string, error) {
	data, err := json.Marshal(params)
	if err != nil || string(data) == "null" || string(data) == "{}" {
		return "", err
	}
	var n yaml.Node // JSON is YAML; this way the order of the fields stays
	if err := yaml.Unmarshal(data, &n); err != nil {
		return "", err
	}
	plainStyle(&n)
	out, err := yaml.Marshal(&n)
	return string(out), err
}

// plainStyle takes JSON's braces and quotes away, but for short lists.
func plainStyle(n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		n.Style = 0
	}
	if n.Kind == yaml.ScalarNode {
		n.Style &^= yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		plainStyle(c)
	}
}
