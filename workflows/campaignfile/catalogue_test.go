package campaignfile_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
)

func TestBuiltin(t *testing.T) {
	if err := catalogue.Builtin().Check(); err != nil {
		t.Error(err)
	}
}

// A name that is given twice is an error that says which, an alias included.
func TestNamesAreGivenOnce(t *testing.T) {
	rule := func(name string) catalogue.Rule {
		return catalogue.NewRule(name, "", decision.PluralityParams{}, decision.NewPlurality)
	}
	talk := catalogue.NewProtocol("talk", "", protocol.DefaultDelphi(), protocol.NewDelphi)
	for says, c := range map[string]catalogue.Catalogue{
		`the catalogue has two decision rules called "majority"`: catalogue.Builtin().WithRules(rule("majority")),
		`two decision rules called "mine"`:                       catalogue.Builtin().WithRules(rule("mine")).WithRules(rule("mine")),
		`two decision rules called "simple"`:                     catalogue.Builtin().WithRules(rule("simple")), // an alias of plurality
		`two decision rules called "unanimity"`:                  catalogue.Builtin().WithRules(rule("mine").WithAliases("unanimity")),
		`two environments called "qa"`:                           catalogue.Builtin().WithEnvironments(catalogue.Builtin().Environments[4]),
		`two stopping rules called "never"`:                      catalogue.Builtin().WithStopping(catalogue.Builtin().Stopping[0]),
		`two protocols called "roundtable"`:                      catalogue.Builtin().WithProtocols(catalogue.Builtin().Protocols[0]),
		`the protocol "talk" has no prompts`:                     catalogue.Builtin().WithProtocols(talk),
		"decision rule 1 of the catalogue has no name":           {Rules: []catalogue.Rule{rule("")}},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
}

// An entry has its name and its aliases; what is meant is said, and what a campaign must give.
func TestFind(t *testing.T) {
	c := catalogue.Builtin()
	for name, want := range map[string]string{"plurality": "plurality", "simple": "plurality", "pluralty": "did you mean plurality?", "": `unknown rule ""; expected unanimous, majority, plurality,`} {
		found, err := catalogue.Find("rule", c.Rules, name)
		if found.Name != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q is %q, %v", name, found.Name, err)
		}
	}
	explicit := map[string]string{"qa": "reading", "recsys": "history"}
	for name, want := range map[string]string{"qa": "needs questions: set data:", "recsys": "needs MovieLens-100k: set data:"} {
		found, err := catalogue.Find("environment", c.Environments, name)
		if err == nil {
			_, err = found.New(envs.DecodeStrict([]byte(`{}`)), catalogue.Needs{})
		}
		if err == nil || !strings.Contains(err.Error(), want) || len(found.Policies) == 0 || strings.Join(found.Explicit, " ") != explicit[name] {
			t.Errorf("%s without data: %v; policies %q, explicit %q", name, err, found.Policies, found.Explicit)
		}
	}
}

// A rule stops what leaves all that it looks at.
func TestStopsOf(t *testing.T) {
	for want, leaves := range map[string][]stopping.Trace{
		"never learned":                                 nil,
		"never learned converged":                       {stopping.States, stopping.Proposals},
		"never first_agreement learned agreed_at_start": {stopping.Decisions},
		"never first_agreement consecutive_agreements learned agreed_at_start": {stopping.Proposals, stopping.Decisions},
	} {
		if got := strings.Join(catalogue.Builtin().StopsOf(protocol.Traits{Leaves: leaves}), " "); got != want {
			t.Errorf("%v can be stopped by %s, want %s", leaves, got, want)
		}
	}
}

// What is added changes no other catalogue.
func TestCataloguesAreValues(t *testing.T) {
	one := catalogue.Builtin()
	one.Rules = append(make([]catalogue.Rule, 0, 100), one.Rules...)
	rule := func(name string) catalogue.Rule {
		return catalogue.NewRule(name, "", decision.PluralityParams{}, decision.NewPlurality)
	}
	a, b := one.WithRules(rule("a")), one.WithRules(rule("b"))
	if n := len(one.Rules); len(a.Rules) != n+1 || a.Rules[n].Name != "a" || b.Rules[n].Name != "b" {
		t.Errorf("%d rules, then %s and %s", n, a.Rules[n].Name, b.Rules[n].Name)
	}
}

// What a condition is given stays its own: the next one starts from the defaults.
func TestDefaultsStay(t *testing.T) {
	c, want := catalogue.Builtin(), catalogue.Builtin()
	for i, p := range c.Protocols {
		defaultsStay(t, p, want.Protocols[i], protocol.Setting{}, `{"phases": ["proposal", "vote"]}`)
	}
	for i, p := range c.Rules {
		defaultsStay(t, p, want.Rules[i], struct{}{}, `{}`)
	}
	for i, p := range c.Stopping {
		defaultsStay(t, p, want.Stopping[i], struct{}{}, `{}`)
	}
	for i, p := range c.Environments {
		defaultsStay(t, p, want.Environments[i], catalogue.Needs{}, `{"domains": ["camping"]}`)
	}
}

func defaultsStay[T, N any](t *testing.T, p, want catalogue.Plugin[T, N], need N, given string) {
	t.Helper()
	_, _ = p.New(envs.DecodeStrict([]byte(given)), need) // refused or not
	enough := errors.New("enough seen")
	_, err := p.New(func(v any) error {
		if got := reflect.ValueOf(v).Elem().Interface(); !reflect.DeepEqual(got, want.Params) {
			t.Errorf("%s starts from %+v, want %+v", p.Name, got, want.Params)
		}
		return enough
	}, need)
	if !errors.Is(err, enough) {
		t.Errorf("%s: %v", p.Name, err)
	}
}
