package catalogue

import (
	"fmt"
	"io/fs"

	"roundtable/envs"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
)

// environment returns the entry of an environment that needs no data.
func environment[P any, E any, PE interface {
	*E
	envs.Environment
}](name, about string, defaults P, build func(P) (PE, error)) Plugin[envs.Environment, fs.FS] {
	return Plugin[envs.Environment, fs.FS]{Name: name, About: about, Params: defaults, Policies: PE(new(E)).Policies(), New: func(decode envs.Decode, _ fs.FS) (envs.Environment, error) {
		return with(defaults, decode, func(p P) (envs.Environment, error) { return build(p) })
	}}
}

// dataEnvironment returns the entry of an environment that reads a folder; needs
// says what to put there if the campaign names none.
func dataEnvironment[P any](name, about string, defaults P, policies []string, build func(P, fs.FS) (envs.Environment, error), needs string) Plugin[envs.Environment, fs.FS] {
	return Plugin[envs.Environment, fs.FS]{Name: name, About: about, Params: defaults, Policies: policies, New: func(decode envs.Decode, data fs.FS) (envs.Environment, error) {
		return with(defaults, decode, func(p P) (envs.Environment, error) {
			if data == nil {
				return nil, fmt.Errorf("needs %s", needs)
			}
			return build(p, data)
		})
	}}
}

func proto[P any, T any, PT interface {
	*T
	protocol.Protocol
}](name, about string, defaults P, build func(P, protocol.Setting) (PT, error)) Plugin[protocol.Protocol, protocol.Setting] {
	return Plugin[protocol.Protocol, protocol.Setting]{Name: name, About: about, Params: defaults, Traits: PT(new(T)).Traits(), New: func(decode envs.Decode, set protocol.Setting) (protocol.Protocol, error) {
		return with(defaults, decode, func(p P) (protocol.Protocol, error) { return build(p, set) })
	}}
}

func rule[P any](name, about string, defaults P, build func(P) (decision.Rule, error)) Plugin[decision.Rule, struct{}] {
	return Plugin[decision.Rule, struct{}]{Name: name, About: about, Params: defaults, New: func(decode envs.Decode, _ struct{}) (decision.Rule, error) {
		return with(defaults, decode, build)
	}}
}

func stop[P any](name, about string, defaults P, build func(P) (stopping.Rule, error), reads ...stopping.Trace) Plugin[stopping.Rule, struct{}] {
	return Plugin[stopping.Rule, struct{}]{Name: name, About: about, Params: defaults, Reads: reads, New: func(decode envs.Decode, _ struct{}) (stopping.Rule, error) {
		return with(defaults, decode, build)
	}}
}

// fixed builds a stopping rule without parameters.
func fixed(r stopping.Rule) func(struct{}) (stopping.Rule, error) {
	return func(struct{}) (stopping.Rule, error) { return r, nil }
}

// with decodes parameters over the defaults and builds.
func with[P, T any](defaults P, decode envs.Decode, build func(P) (T, error)) (T, error) {
	if err := decode(&defaults); err != nil {
		var none T
		return none, err
	}
	return build(defaults)
}

func (p Plugin[T, N]) alias(names ...string) Plugin[T, N] {
	p.Aliases = names
	return p
}

func (p Plugin[T, N]) former(defaults map[string]any) Plugin[T, N] {
	p.Former = defaults
	return p
}
