package plan

import (
	"regexp"
	"slices"

	"roundtable/workflows/until"
)

// MaxCells bounds what a campaign may ask for.
const MaxCells = 10_000_000

// conditionKeys are the keys of a campaign file that make a condition; a grid may vary them.
var conditionKeys = []string{"env", "protocol", "rule", "stop", "model", "models", "agents", "generate", "reasks",
	"reask", "reasoning"}

// NamePattern is what the name of a campaign looks like.
const NamePattern = `^[a-z0-9][a-z0-9-]{0,62}$`

var validName = regexp.MustCompile(NamePattern)

// IsName reports whether a campaign can have that name.
func IsName(name string) bool { return validName.MatchString(name) }

// ConditionKeys returns the keys that make a condition; a grid may vary them.
func ConditionKeys() []string { return slices.Clone(conditionKeys) }

// ForkChangeAxis is the axis of the changes in a fork's grid, ForkOriginAxis that of the
// conditions which are forked. No other grid has axes with such names.
const (
	ForkChangeAxis = "fork.change"
	ForkOriginAxis = "fork.condition"
)

// EnvKey returns a key of the condition's environment, equal where instances are the same.
func (c Condition) EnvKey() string { return Digest(c.Env)[:8] }

// QuestionGrid returns what the campaign's question has to know of its cells.
func (c Campaign) QuestionGrid() until.Grid {
	var g until.Grid
	for i, condition := range c.Conditions {
		g.Conditions = append(g.Conditions,
			until.Condition{ID: condition.ID(), Env: condition.EnvKey(), Instances: c.InstancesOf(i),
				Replicates: c.ReplicatesOf(i)})
	}
	return g
}
