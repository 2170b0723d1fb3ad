package prompt

import (
	"strings"
	"testing"

	"roundtable/envs"
	"roundtable/envs/menu"
	"roundtable/workflows/transcript"
)

func kitchen(t *testing.T) envs.Instance {
	t.Helper()
	m, err := menu.New(menu.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	in, err := m.Instance(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Estimates are read in the environment's form, and errors say what is accepted.
func TestParseEstimate(t *testing.T) {
	in, step := kitchen(t), transcript.Step{Payload: transcript.Payload{Format: transcript.FormatEstimate}}
	a, err := Parse([]byte(`Well: {"reason_for_decision": "I see it", "estimate": {"values": {}, "ingredients": {"rice": 4}}}`), step, in)
	if err != nil || a.Text != `{"ingredients":{"rice":4},"values":{}}` || a.Reason != "I see it" || a.Act.Status != transcript.Said {
		t.Errorf("%+v, %v", a, err)
	}
	for text, want := range map[string]string{
		`{"estimate": null}`:                                         `it needs "estimate"`,
		`{"estimate": {"ingredients": {}}}`:                          `it needs "ingredients" and "values"`,
		`{"estimate": {"ingredients": {"gold": 1}, "values": {}}}`:   "there is no ingredient",
		`{"estimate": {"ingredients": {"rice": -1}, "values": {}}}`:  "it is from 0",
		`{"estimate": {"ingredients": {"rice": 1e9}, "values": {}}}`: "it is from 0",
	} {
		if _, err := Parse([]byte(text), step, in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A message is cut at its limit of characters, not of bytes.
func TestMessageLimit(t *testing.T) {
	for most, want := range map[int]string{0: "äöü€", 2: "äö", 4: "äöü€", 9: "äöü€"} {
		step := transcript.Step{Payload: transcript.Payload{Format: transcript.FormatMessage, MaxText: most}}
		a, err := Parse([]byte(`{"target": [], "message": "äöü€"}`), step, kitchen(t))
		if err != nil || a.Text != want {
			t.Errorf("limit %d: %q, %v; want %q", most, a.Text, err, want)
		}
	}
}
