// Package envtest is the suite that every environment passes: dealing is
// repeatable, scripted agents play by the rules, parsing takes any bytes,
// prompts render, agents know no more than was declared, and a short game
// reads the same as the one recorded in testdata.
//
//	func TestEnvironment(t *testing.T) { envtest.Run(t, env, envtest.Options{Private: []string{"Utility"}}) }
//	func FuzzParse(f *testing.F)       { envtest.Fuzz(f, env) }
package envtest

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"roundtable/envs"
)

// Options of Run. The zero value is fine for an environment whose agents all know the same.
type Options struct {
	// Private names the fields of the Observation struct that may differ from
	// agent to agent of one instance. All others must be equal.
	Private []string
	// Golden is the recorded game, "testdata/play.txt" if empty, "-" for none.
	// go test -update writes it.
	Golden string
	// Instances is how many to deal at most, 3 if zero.
	Instances int
	// Hostile are more answers that Parse has to survive.
	Hostile []string
}

// seed of everything that is dealt here.
const seed = 20250321

// Run runs the whole suite.
func Run(t *testing.T, env envs.Environment, opt Options) {
	t.Helper()
	if opt.Golden == "" {
		opt.Golden = "testdata/play.txt"
	}
	if opt.Instances == 0 {
		opt.Instances = 3
	}
	if n := env.Instances(); n > 0 {
		opt.Instances = min(opt.Instances, n)
	}
	t.Run("deal", func(t *testing.T) { testDeal(t, env, opt) })
	t.Run("observations", func(t *testing.T) { testObservations(t, env, opt) })
	t.Run("prompts", func(t *testing.T) { testPrompts(t, env, opt) })
	t.Run("policies", func(t *testing.T) { testPolicies(t, env) })
	t.Run("play", func(t *testing.T) { testPlay(t, env, opt) })
	t.Run("hostile", func(t *testing.T) { testHostile(t, env, opt) })
	t.Run("golden", func(t *testing.T) { testGolden(t, env, opt) })
}

func dealInstance(t testing.TB, env envs.Environment, index int) envs.Instance {
	t.Helper()
	in, err := env.Instance(seed, index)
	if err != nil {
		t.Fatalf("Instance(%d, %d): %v", uint64(seed), index, err)
	}
	return in
}

// identifier is what needs no quoting in tables, paths and shells.
var identifier = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func testDeal(t *testing.T, env envs.Environment, opt Options) {
	if env.Version() < 1 {
		t.Errorf("Version() = %d; versions start at 1", env.Version())
	}
	ids := map[string]bool{}
	for i := range opt.Instances {
		a, b := dealInstance(t, env, i), dealInstance(t, env, i)
		if a.ID() != b.ID() || !slices.Equal(a.Agents(), b.Agents()) {
			t.Errorf("instance %d dealt twice differs: %q and %q", i, a.ID(), b.ID())
		}
		if !identifier.MatchString(a.ID()) || ids[a.ID()] {
			t.Errorf("instance %d: ID %q must be new and of letters, digits, '.', '_' and '-'", i, a.ID())
		}
		ids[a.ID()] = true
		testAgents(t, a.Agents())
		for agent := range a.Agents() {
			if !reflect.DeepEqual(a.Observe(agent), b.Observe(agent)) || !reflect.DeepEqual(a.Observe(agent), a.Observe(agent)) {
				t.Errorf("instance %d dealt twice: agent %d observes different things", i, agent)
			}
		}
	}
	if _, err := env.Instance(seed, -1); err == nil {
		t.Error("Instance(seed, -1) gives no error")
	}
	if n := env.Instances(); n > 0 {
		if _, err := env.Instance(seed, n); err == nil {
			t.Errorf("there are %d instances, yet Instance(seed, %d) gives no error", n, n)
		}
	}
}

func testAgents(t *testing.T, agents []envs.Agent) {
	t.Helper()
	if len(agents) < 2 {
		t.Errorf("%d agents; a group has at least 2", len(agents))
	}
	names := map[string]bool{}
	for _, a := range agents {
		if a.Name == "" || names[a.Name] {
			t.Errorf("agent name %q is empty or used twice", a.Name)
		}
		names[a.Name] = true
	}
}

// testObservations holds that agents of one instance observe the same type of
// struct and that only its declared fields differ.
func testObservations(t *testing.T, env envs.Environment, opt Options) {
	for i := range opt.Instances {
		in := dealInstance(t, env, i)
		first := reflect.Indirect(reflect.ValueOf(in.Observe(0)))
		if first.Kind() != reflect.Struct {
			t.Fatalf("Observe gives a %v; the suite expects a struct", first.Kind())
		}
		for _, name := range opt.Private {
			if !first.FieldByName(name).IsValid() {
				t.Errorf("the private field %q is not in %v", name, first.Type())
			}
		}
		for agent := range in.Agents() {
			other := reflect.Indirect(reflect.ValueOf(in.Observe(agent)))
			if other.Type() != first.Type() {
				t.Fatalf("agent 0 observes a %v, agent %d a %v", first.Type(), agent, other.Type())
			}
			for f := range first.NumField() {
				name := first.Type().Field(f).Name
				if slices.Contains(opt.Private, name) || !first.Type().Field(f).IsExported() {
					continue
				}
				if !reflect.DeepEqual(first.Field(f).Interface(), other.Field(f).Interface()) {
					t.Errorf("instance %d: %s differs between agents 0 and %d but is not declared private", i, name, agent)
				}
			}
		}
	}
}

// keepDefaults leaves every parameter as it is.
func keepDefaults(any) error { return nil }

func testPolicies(t *testing.T, env envs.Environment) {
	if len(env.Policies()) == 0 {
		t.Fatal("no scripted policy")
	}
	if _, err := env.Policy("no-such-policy", keepDefaults); err == nil {
		t.Error("an unknown policy gives no error")
	}
	refused := errors.New("refused")
	for _, name := range env.Policies() {
		if !identifier.MatchString(name) {
			t.Errorf("policy %q needs quoting", name)
		}
		if _, err := env.Policy(name, keepDefaults); err != nil {
			t.Errorf("policy %s: %v", name, err)
		}
		decode := func(v any) error {
			if p := reflect.ValueOf(v); p.Kind() != reflect.Pointer || p.Elem().Kind() != reflect.Struct {
				return fmt.Errorf("decode is given a %T; it takes a pointer to a struct", v)
			}
			return refused
		}
		if _, err := env.Policy(name, decode); !errors.Is(err, refused) {
			t.Errorf("policy %s does not pass on the error of its parameters: %v", name, err)
		}
	}
}
