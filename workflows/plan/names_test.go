package plan

import (
	"encoding/json"
	"slices"
	"testing"
)

// What begins an id is safe in paths on every system.
func TestSlug(t *testing.T) {
	for name, want := range map[string]string{"majority": "majority", "GPT-4.1/b": "gpt_4_1_b", "a{|}~z 09:": "a____z_09_", "β": "_"} {
		if got := slugOf(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

// The paths that an axis sets: its own, those of its values, and those of a fork's changes.
func TestPaths(t *testing.T) {
	for key, want := range map[string][]string{
		"protocol.rounds": {"protocol.rounds"},
		"size":            {"env.agents", "set"},
		ForkChangeAxis:    {"fork", "rule"},
		ForkOriginAxis:    {ForkOriginAxis},
	} {
		axis := Axis{Key: key, Values: []json.RawMessage{json.RawMessage(`{"env.agents": 3, "set": {"rule": "majority"}}`)}}
		if got := axis.Paths(); !slices.Equal(got, want) {
			t.Errorf("%s sets %q, want %q", key, got, want)
		}
	}
}

// Replicates that go on from one collaboration name it once.
func TestOrigins(t *testing.T) {
	fork := Condition{Fork: &Fork{Campaign: "o", Condition: "majority-1", Replicates: 1}}
	c := Campaign{Name: "f", Replicates: 3, Instances: []int{2, 1}, Conditions: []Condition{fork, {}}}
	if got, want := c.Origins(), []string{"majority-1-i0-r0", "majority-1-i1-r0"}; !slices.Equal(got, want) {
		t.Errorf("it goes on from %q, want %q", got, want)
	}
}
