package main

import (
	"path/filepath"
	"strings"
	"testing"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/workflows/catalogue"
)

func TestListNamesTheWholeCatalogue(t *testing.T) {
	t.Parallel()
	lake := filepath.Join(t.TempDir(), "none")
	text, err := runCommand(t, "list", "--lake", lake)
	noError(t, err)
	data, err := runCommand(t, "list", "--lake", lake, "--json")
	noError(t, err)
	list, _, err := newRoot().Find([]string{"list"})
	noError(t, err)
	if d := document(t, data); len(d) != len(list.ValidArgs)-3 { // tables, figures and collaborations are listed if they are named
		t.Errorf("%d kinds, want %q", len(d), list.ValidArgs)
	}
	for _, name := range catalogued() {
		contains(t, text, "  "+name)
		contains(t, data, `"name": "`+name+`"`)
	}
	for _, env := range catalogue.Builtin().Environments {
		if env.Name == "program" { // which says itself what it has
			continue
		}
		if len(env.Policies) == 0 {
			t.Errorf("%s names no scripted policies", env.Name)
		}
		contains(t, text, env.Name+" has "+strings.Join(env.Policies, ", "))
		contains(t, data, `"`+env.Policies[0]+`"`)
	}
	one, err := runCommand(t, "list", "rules", "--lake", lake)
	noError(t, err)
	if strings.Contains(one, "roundtable\n") || !strings.Contains(one, "also absolute_majority") {
		t.Errorf("list rules says\n%s", one)
	}
	for kind, says := range map[string]string{"tables": "  utility-by-rule\n      exchange: decisions and utility by rule and round\n      needs the environment exchange\n      also paper1/table-1\n",
		"figures": "  rounds\n      score "} {
		if text, err = runCommand(t, "list", kind, "--lake", lake); err != nil || !strings.Contains(text, says) {
			t.Errorf("%v in\n%s", err, text)
		}
	}
	_, err = runCommand(t, "list", "moods")
	fails(t, err, cli.ExitUsage, "moods", "envs")
}

func catalogued() []string {
	var names []string
	for _, p := range catalogue.Builtin().Environments {
		names = append(names, p.Name)
	}
	for _, p := range catalogue.Builtin().Protocols {
		names = append(names, p.Name)
	}
	for _, p := range catalogue.Builtin().Rules {
		names = append(names, p.Name)
	}
	for _, p := range catalogue.Builtin().Stopping {
		names = append(names, p.Name)
	}
	for _, p := range providers.Names() {
		names = append(names, p[0])
	}
	return names
}

// TestListSchema: the schema is one JSON document that names every rule.
func TestListSchema(t *testing.T) {
	out, err := runCommand(t, "list", "--schema")
	noError(t, err)
	d := document(t, out)
	if d["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("it is a schema of %v", d["$schema"])
	}
	for _, rule := range catalogue.Builtin().Rules {
		contains(t, out, `"`+rule.Name+`"`)
	}
}
