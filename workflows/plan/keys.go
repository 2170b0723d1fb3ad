package plan

import (
	"regexp"
	"slices"

	"roundtable/workflows/until"
)

// MaxCells is the most cells that a campaign may have.
const MaxCells = 10_000_000

// conditionKeys are the keys of a campaign file that make a condition; a grid may vary them.
var conditionKeys = []string{"env", "protocol", "rule", "stop", "model", "models", "agents", "generate", "reasks",
	"reask", "reasoning"}

// NamePattern is the regular expression of a campaign's name.
const NamePattern = `^[a-z0-9][a-z0-9-]{0,62}$`

var validName = regexp.MustCompile(NamePattern)

// IsName reports whether a campaign can have that name.
func IsName(name string) bool { return validName.MatchString(name) }

// ConditionKeys returns the keys that make a condition; a grid may vary them.
func ConditionKeys() []string { return slices.Clone(conditionKeys) }

// Keys of the axes of a fork's grid: its changes, and the conditions that are forked. No other
// grid has axes with these keys.
const (
	ForkChangeAxis = "fork.change"
	ForkOriginAxis = "fork.condition"
)

// EnvKey returns a key of the condition's environment: equal keys, same instances.
func (c Condition) EnvKey() string { return Digest(c.Env)[:8] }

// QuestionGrid returns the campaign's cells as package until takes them.
func (c Campaign) QuestionGrid() until.Grid {
	var g until.Grid
	for i, condition := range c.Conditions {
		g.Conditions = append(g.Conditions,
			until.Condition{ID: condition.ID(), Env: condition.EnvKey(), Instances: c.InstancesOf(i),
				Replicates: c.ReplicatesOf(i)})
	}
	return g
}
