package cli_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"roundtable/cmd/internal/cli"
	"roundtable/workflows/protocol"
)

func TestDefaultsAreYAML(t *testing.T) {
	out, err := cli.FormatYAML(protocol.DefaultRoundtable())
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Rounds int
		Ties   string
		Phases []any
	}
	if err := yaml.Unmarshal([]byte(out), &back); err != nil {
		t.Fatal(err)
	}
	if back.Rounds != 10 || back.Ties != "keep" || len(back.Phases) != 3 || strings.Contains(out, `"`) {
		t.Errorf("%+v from\n%s", back, out)
	}
	if out, err := cli.FormatYAML(struct{}{}); out != "" || err != nil {
		t.Errorf("no parameters are %q, %v", out, err)
	}
	out, err = cli.FormatYAML(struct {
		Yes string `json:"yes"`
	}{"true"})
	if err != nil || out != "yes: \"true\"\n" {
		t.Errorf("a text that looks like a truth value is %q, %v", out, err)
	}
}
