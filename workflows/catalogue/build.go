package catalogue

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"roundtable/envs"
	"roundtable/envs/program"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
)

// NewEnvironment returns the entry of an environment that needs no data.
func NewEnvironment[P any, E any, PE interface {
	*E
	envs.Environment
}](name, about string, defaults P, build func(P) (PE, error)) Environment {
	e := Environment{Name: name, About: about, Params: defaults, Blank: PE(new(E))}
	e.Policies = e.Blank.Policies()
	e.New = func(decode envs.Decode, _ Needs) (envs.Environment, error) {
		return decodeOver(defaults, decode, func(p P) (envs.Environment, error) { return build(p) })
	}
	return e
}

// NewDataEnvironment returns the entry of an environment that reads a folder. blank is one that has
// read nothing; needs is what an error says must be in the folder if the campaign names none.
func NewDataEnvironment[P any](
	name, about string, defaults P, blank envs.Environment,
	build func(P, fs.FS) (envs.Environment, error), needs string,
) Environment {
	e := Environment{Name: name, About: about, Params: defaults, Policies: blank.Policies(), Blank: blank}
	e.New = func(decode envs.Decode, have Needs) (envs.Environment, error) {
		return decodeOver(defaults, decode, func(p P) (envs.Environment, error) {
			if have.Data == nil {
				return nil, fmt.Errorf("needs %s", needs)
			}
			return build(p, have.Data)
		})
	}
	return e
}

// NewProgramEnvironment returns the entry of an environment that the user's program plays; the
// program itself lists its policies.
func NewProgramEnvironment[P any, PE envs.Environment](name, about string, defaults P,
	build func(P, program.Asker) (PE, error)) Environment {
	return Environment{Name: name, About: about, Params: defaults,
		New: func(decode envs.Decode, have Needs) (envs.Environment, error) {
			return decodeOver(defaults, decode, func(p P) (envs.Environment, error) { return build(p, have.Programs) })
		}}
}

// NewProtocol returns the entry of a protocol. WithPrompts adds its templates.
func NewProtocol[P any, T any, PT interface {
	*T
	protocol.Protocol
}](name, about string, defaults P, build func(P, protocol.Setting) (PT, error)) Protocol {
	return Protocol{Name: name, About: about, Params: defaults, Traits: PT(new(T)).Traits(),
		New: func(decode envs.Decode, set protocol.Setting) (protocol.Protocol, error) {
			return decodeOver(defaults, decode, func(p P) (protocol.Protocol, error) { return build(p, set) })
		}}
}

// NewRule returns the entry of a decision rule with its defaults.
func NewRule[P any](name, about string, defaults P, build func(P) (decision.Rule, error)) Rule {
	return Rule{Name: name, About: about, Params: defaults,
		New: func(decode envs.Decode, _ struct{}) (decision.Rule, error) {
			return decodeOver(defaults, decode, build)
		}}
}

// NewStop returns the entry of a stopping rule, with what it looks at.
func NewStop[P any](name, about string, defaults P, build func(P) (stopping.Rule, error),
	reads ...stopping.Trace) Stop {
	return Stop{Name: name, About: about, Params: defaults, Reads: reads,
		New: func(decode envs.Decode, _ struct{}) (stopping.Rule, error) {
			return decodeOver(defaults, decode, build)
		}}
}

// Fixed returns a build function, for NewStop, of a rule without parameters.
func Fixed(r stopping.Rule) func(struct{}) (stopping.Rule, error) {
	return func(struct{}) (stopping.Rule, error) { return r, nil }
}

// decodeOver decodes parameters over a copy of the defaults and builds.
func decodeOver[P, T any](defaults P, decode envs.Decode, build func(P) (T, error)) (T, error) {
	var none T
	params, err := copyDefaults(defaults)
	if err != nil {
		return none, err
	}
	if err := decode(&params); err != nil {
		return none, err
	}
	return build(params)
}

// copyDefaults returns a copy that shares no list with the defaults: decoding writes into
// the list that it finds, and the next condition would have this one's values.
func copyDefaults[P any](defaults P) (P, error) {
	var params P
	data, err := json.Marshal(defaults)
	if err == nil {
		err = json.Unmarshal(data, &params)
	}
	return params, err
}

// WithAliases returns the entry with these aliases.
func (p Plugin[T, N]) WithAliases(names ...string) Plugin[T, N] {
	p.Aliases = names
	return p
}

// WithExplicit returns the entry with the parameters that conditions always state.
func (p Plugin[T, N]) WithExplicit(params ...string) Plugin[T, N] {
	p.Explicit = params
	return p
}

// WithPrompts returns the entry of a protocol with its folder of templates.
func (p Plugin[T, N]) WithPrompts(folder fs.FS) Plugin[T, N] {
	p.Prompts = folder
	return p
}
