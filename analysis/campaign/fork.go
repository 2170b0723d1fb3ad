package campaign

import (
	"encoding/json"
	"strings"
)

// Fork is what a condition says of the campaign from whose collaborations its own go on.
type Fork struct {
	Campaign   string                     `json:"campaign"`
	Condition  string                     `json:"condition"`
	Replicates int32                      `json:"replicates"` // of that campaign
	Round      int                        `json:"round"`
	Entry      int                        `json:"entry"`
	Was        map[string]json.RawMessage `json:"was"`
	Drop       []int                      `json:"drop"`
	Remove     []ForkedMessage            `json:"remove"`
	Replace    []ForkedMessage            `json:"replace"`
}

// ForkedMessage is one that a fork removes or replaces; what is not said is any.
type ForkedMessage struct {
	Round int    `json:"round"`
	Agent *int   `json:"agent"`
	Phase string `json:"phase"`
	Entry *int   `json:"entry"`
}

// ForkOf returns what settings, as collaborations.settings_json, say of a fork; nil if
// they say nothing of one.
func ForkOf(settings string) *Fork {
	if !strings.Contains(settings, `"fork":{`) {
		return nil
	}
	var of struct{ Fork *Fork }
	if json.Unmarshal([]byte(settings), &of) != nil {
		return nil
	}
	return of.Fork
}

// IsControl reports whether nothing is changed.
func (f Fork) IsControl() bool {
	return len(f.Was)+len(f.Drop)+len(f.Remove)+len(f.Replace) == 0
}

// Origin returns the replicate that a replicate continues: its own without a fork.
func (f *Fork) Origin(replicate int32) int32 {
	if f == nil || f.Replicates < 1 {
		return replicate
	}
	return replicate % f.Replicates
}
