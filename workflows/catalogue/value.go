package catalogue

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
)

// Catalogue holds the plug-ins that a program knows. It is passed to whatever looks
// for a plug-in by name, and nothing changes it.
type Catalogue struct {
	Environments []Environment
	Protocols    []Protocol
	Rules        []Rule
	Stopping     []Stop
}

// Builtin returns roundtable's own plug-ins.
func Builtin() Catalogue {
	c := Catalogue{Environments: builtInEnvironments(), Protocols: builtInProtocols(), Rules: builtInRules(),
		Stopping: stoppingRules()}
	for i, p := range c.Protocols {
		c.Protocols[i] = p.WithPrompts(promptsOf(p.Name))
	}
	return c
}

// promptsOf returns our templates of a protocol.
func promptsOf(name string) fs.FS {
	folder, err := fs.Sub(protocol.Prompts, "prompts/"+name)
	if err != nil {
		panic("catalogue: " + err.Error()) // a name that is not part of a path
	}
	return folder
}

// WithEnvironments returns the catalogue with more environments.
func (c Catalogue) WithEnvironments(more ...Environment) Catalogue {
	c.Environments = slices.Concat(c.Environments, more)
	return c
}

// WithProtocols returns the catalogue with more protocols.
func (c Catalogue) WithProtocols(more ...Protocol) Catalogue {
	c.Protocols = slices.Concat(c.Protocols, more)
	return c
}

// WithRules returns the catalogue with more decision rules.
func (c Catalogue) WithRules(more ...Rule) Catalogue {
	c.Rules = slices.Concat(c.Rules, more)
	return c
}

// WithStopping returns the catalogue with more stopping rules.
func (c Catalogue) WithStopping(more ...Stop) Catalogue {
	c.Stopping = slices.Concat(c.Stopping, more)
	return c
}

// Check returns an error that lists every plug-in without a name, without New, or with a name or
// alias that another of its kind has.
func (c Catalogue) Check() error {
	errs := slices.Concat(checkList("environment", c.Environments), checkList("protocol", c.Protocols),
		checkList("decision rule", c.Rules), checkList("stopping rule", c.Stopping))
	for _, p := range c.Protocols {
		if p.Prompts == nil {
			errs = append(errs, fmt.Errorf("the protocol %q has no prompts", p.Name))
		}
	}
	return errors.Join(errs...)
}

func checkList[T, N any](kind string, list []Plugin[T, N]) (errs []error) {
	taken := map[string]bool{}
	for i, p := range list {
		if p.Name == "" || p.New == nil {
			errs = append(errs, fmt.Errorf("%s %d of the catalogue has no name or no New: %q", kind, i+1, p.Name))
			continue
		}
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			if taken[name] {
				errs = append(errs, fmt.Errorf("the catalogue has two %ss called %q", kind, name))
			}
			taken[name] = true
		}
	}
	return errs
}

// StopsOf returns the names of the stopping rules that can stop a protocol with these traits.
func (c Catalogue) StopsOf(traits protocol.Traits) []string {
	var names []string
	for _, stop := range c.Stopping {
		if !slices.ContainsFunc(stop.Reads, func(t stopping.Trace) bool { return !slices.Contains(traits.Leaves, t) }) {
			names = append(names, stop.Name)
		}
	}
	return names
}
