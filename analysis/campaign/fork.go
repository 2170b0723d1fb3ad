package campaign

import (
	"encoding/json"
	"strings"
)

// Fork is what a condition's settings say about the campaign whose collaborations it continues.
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

// ForkedMessage selects messages that a fork removes or replaces; zero and nil fields match any.
type ForkedMessage struct {
	Round int    `json:"round"`
	Agent *int   `json:"agent"`
	Phase string `json:"phase"`
	Entry *int   `json:"entry"`
}

// ForkOf returns the fork in a condition's settings (collaborations.settings_json); nil if there is
// none.
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

// IsControl reports whether the fork changes nothing.
func (f Fork) IsControl() bool {
	return len(f.Was)+len(f.Drop)+len(f.Remove)+len(f.Replace) == 0
}

// Origin returns the replicate of the original that a replicate of the fork continues; replicate
// itself if f is nil.
func (f *Fork) Origin(replicate int32) int32 {
	if f == nil || f.Replicates < 1 {
		return replicate
	}
	return replicate % f.Replicates
}
