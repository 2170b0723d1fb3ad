package qa

import (
	"roundtable/envs"
	"roundtable/envs/jsonschema"
)

// ProposalForm returns the form of an answer to a question of this kind. Its example for a choice
// is the last option.
func (in *Instance) ProposalForm() envs.Form {
	options := make([]string, len(in.q.Options))
	for i := range options {
		options[i] = "(" + letterOf(i) + ")"
	}
	switch in.q.Kind {
	case Choice:
		return envs.Form{Schema: jsonschema.OneOf(options...), Example: `"` + options[len(options)-1] + `"`}
	case YesNo:
		return envs.Form{Schema: jsonschema.OneOf("yes", "no"), Example: `"yes"`}
	case Integer:
		return envs.Form{Schema: jsonschema.AnyInteger(), Example: `37`}
	case Number:
		return envs.Form{Schema: jsonschema.AnyNumber(), Example: `3.7`}
	case Math:
		return envs.Form{Schema: jsonschema.Text(), Example: `"\\frac{17}{23}"`}
	case Several:
		return envs.Form{Schema: jsonschema.Text(), Example: `"` + options[0] + options[len(options)-1] + `"`}
	}
	return envs.Form{Schema: jsonschema.Text(), Example: `"<a few words>"`}
}
