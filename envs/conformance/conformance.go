// Package conformance holds what every environment promises, as a list of checks:
// dealing is repeatable, scripted agents play by the rules, parsing takes any bytes,
// prompts render, agents know no more than was declared. envtest runs it for
// environments in Go, and `roundtable check-env` for programs.
package conformance

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"

	"roundtable/envs"
)

// Options of the checks. The zero value is fine for an environment whose agents all know the same.
type Options struct {
	// Private names the fields of the Observation struct that may differ from
	// agent to agent of one instance. All others must be equal.
	Private []string
	// Instances is how many to deal at most, 3 if zero.
	Instances int
	// Hostile are more answers that Parse has to survive.
	Hostile []string
}

// Reporter is told what is wrong, as testing.TB is. Fatalf does not return.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Check is one of the checks.
type Check struct {
	Name string
	Run  func(r Reporter, env envs.Environment, opt Options)
}

// Checks returns all checks, in an order in which the simplest come first.
func Checks() []Check {
	return []Check{
		{"deal", checkDeal}, {"observations", checkObservations}, {"prompts", checkPrompts},
		{"forms", checkForms}, {"policies", checkPolicies}, {"play", checkPlay}, {"hostile", checkHostile},
	}
}

// For returns the options with defaults filled in, and no more Instances than env has.
func (o Options) For(env envs.Environment) Options {
	if o.Instances == 0 {
		o.Instances = 3
	}
	if n := env.Instances(); n > 0 {
		o.Instances = min(o.Instances, n)
	}
	return o
}

// seed of everything that is dealt here.
const seed = 20250321

// DealInstance returns instance index of env under the seed of all checks; an error is fatal.
func DealInstance(r Reporter, env envs.Environment, index int) envs.Instance {
	r.Helper()
	in, err := env.Instance(seed, index)
	if err != nil {
		r.Fatalf("Instance(%d, %d): %v", uint64(seed), index, err)
	}
	return in
}

// identifier is what needs no quoting in tables, paths and shells.
var identifier = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]*$`)

func checkDeal(r Reporter, env envs.Environment, opt Options) {
	if env.Version() < 1 {
		r.Errorf("Version() = %d; versions start at 1", env.Version())
	}
	ids, size := map[string]bool{}, 0
	for i := range opt.Instances {
		a, b := DealInstance(r, env, i), DealInstance(r, env, i)
		if a.ID() != b.ID() || !slices.Equal(a.Agents(), b.Agents()) {
			r.Errorf("instance %d dealt twice differs: %q and %q", i, a.ID(), b.ID())
		}
		if !identifier.MatchString(a.ID()) || ids[a.ID()] {
			r.Errorf("instance %d: ID %q must be new and of letters, digits, '.', '_' and '-'", i, a.ID())
		}
		ids[a.ID()] = true
		checkAgents(r, a.Agents())
		if i == 0 {
			size = len(a.Agents())
		} else if n := len(a.Agents()); n != size {
			r.Errorf("instance %d has %d agents, instance 0 has %d; all have the same number", i, n, size)
		}
		for agent := range a.Agents() {
			if !reflect.DeepEqual(a.Observe(agent), b.Observe(agent)) ||
				!reflect.DeepEqual(a.Observe(agent), a.Observe(agent)) {
				r.Errorf("instance %d dealt twice: agent %d observes different things", i, agent)
			}
		}
	}
	if _, err := env.Instance(seed, -1); err == nil {
		r.Errorf("Instance(seed, -1) gives no error")
	}
	if n := env.Instances(); n > 0 {
		if _, err := env.Instance(seed, n); err == nil {
			r.Errorf("there are %d instances, yet Instance(seed, %d) gives no error", n, n)
		}
	}
}

func checkAgents(r Reporter, agents []envs.Agent) {
	r.Helper()
	if len(agents) < 2 {
		r.Errorf("%d agents; a group has at least 2", len(agents))
	}
	names := map[string]bool{}
	for _, a := range agents {
		if a.Name == "" || names[a.Name] {
			r.Errorf("agent name %q is empty or used twice", a.Name)
		}
		names[a.Name] = true
	}
}

// checkObservations holds that agents of one instance observe the same type of
// struct and that only its declared fields differ.
func checkObservations(r Reporter, env envs.Environment, opt Options) {
	for i := range opt.Instances {
		in := DealInstance(r, env, i)
		first := reflect.Indirect(reflect.ValueOf(in.Observe(0)))
		if first.Kind() != reflect.Struct {
			r.Fatalf("Observe gives a %v; the suite expects a struct", first.Kind())
		}
		for _, name := range opt.Private {
			if !first.FieldByName(name).IsValid() {
				r.Errorf("the private field %q is not in %v", name, first.Type())
			}
		}
		for agent := range in.Agents() {
			other := reflect.Indirect(reflect.ValueOf(in.Observe(agent)))
			if other.Type() != first.Type() {
				r.Fatalf("agent 0 observes a %v, agent %d a %v", first.Type(), agent, other.Type())
			}
			for f := range first.NumField() {
				name := first.Type().Field(f).Name
				if slices.Contains(opt.Private, name) || !first.Type().Field(f).IsExported() {
					continue
				}
				if !reflect.DeepEqual(first.Field(f).Interface(), other.Field(f).Interface()) {
					r.Errorf("instance %d: %s differs between agents 0 and %d but is not declared private",
						i, name, agent)
				}
			}
		}
	}
}

// keepDefaults leaves every parameter as it is.
func keepDefaults(any) error { return nil }

func checkPolicies(r Reporter, env envs.Environment, _ Options) {
	if len(env.Policies()) == 0 {
		r.Fatalf("no scripted policy")
	}
	if _, err := env.Policy("no-such-policy", keepDefaults); err == nil {
		r.Errorf("an unknown policy gives no error")
	}
	refused := errors.New("refused")
	for _, name := range env.Policies() {
		if !identifier.MatchString(name) {
			r.Errorf("policy %q needs quoting", name)
		}
		if _, err := env.Policy(name, keepDefaults); err != nil {
			r.Errorf("policy %s: %v", name, err)
		}
		decode := func(v any) error {
			if p := reflect.ValueOf(v); p.Kind() != reflect.Pointer || p.Elem().Kind() != reflect.Struct {
				return fmt.Errorf("decode is given a %T; it takes a pointer to a struct", v)
			}
			return refused
		}
		if _, err := env.Policy(name, decode); !errors.Is(err, refused) {
			r.Errorf("policy %s does not pass on the error of its parameters: %v", name, err)
		}
	}
}
