package campaignfile

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Numbers that are others in YAML 1.1 than they look are refused wherever they stand; texts
// and numbers that say their base are not.
func TestLeadingZeros(t *testing.T) {
	for text, want := range map[string]string{
		"010":   `key: 010 begins with 0, which some read as octal; write 10, 0o10 for octal, or "010" for a text`,
		"-007":  "write -7",
		"00":    "write 0,",
		"08":    "write 8",
		"0_10":  "begins with 0",
		`"010"`: "", "0o10": "", "0x10": "", "0": "", "0.5": "", "10": "", "-0.25": "", "0e3": "",
		"[1, {a: 012}]": "key[1].a: 012 begins with 0",
	} {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(text), &n); err != nil {
			t.Fatal(err)
		}
		var errs Errors
		_, ok := toJSON(n.Content[0], "key", &errs)
		if got := errs.Error(); ok != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
