package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/programs"
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
	if d := document(t, data); len(d) != len(list.ValidArgs)-4 { // tables, figures, collaborations and programs are listed if they are named
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

// TestListPrograms: what ROUNDTABLE_PROGRAMS trusts is listed, and no longer counts once a file of it has changed.
func TestListPrograms(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "well.py", "print(1)")
	entry, err := programs.TrustOf(dir, []string{"python3", "well.py"})
	noError(t, err)
	hash := entry[strings.LastIndex(entry, "#"):]
	t.Setenv(programs.TrustEnv, "")
	contains(t, ran(t, "list", "programs").out, "Programs (ROUNDTABLE_PROGRAMS):\n  none\n")
	t.Setenv(programs.TrustEnv, entry+",*,"+hash)
	for range 2 {
		d, j := ran(t, "list", "programs"), ran(t, "list", "programs", "--json")
		state := ": as it was trusted\n"
		if read(t, dir, "well.py") != "print(1)" {
			state = ": not as it was trusted, so it is not run\n"
		}
		contains(t, d.out, "  python3 well.py\n      in "+dir+", "+hash+state, "  *\n      every program is trusted\n",
			"  a command\n      "+hash+": named by its hash alone\n")
		if list := document(t, j.out)["programs"].([]any); len(list) != 3 || list[0].(map[string]any)["folder"] != dir {
			t.Errorf("%v", list)
		}
		save(t, dir, "well.py", "import os")
	}
}

// TestListSaysWhatTablesHold: what list tables says of a table is in the titles, columns and
// leading words of those that the examples make, and no longer what it once said.
func TestListSaysWhatTablesHold(t *testing.T) {
	t.Parallel()
	text, err := runCommand(t, "list", "tables", "--json", "--lake", filepath.Join(t.TempDir(), "none"))
	noError(t, err)
	var list struct {
		Tables []struct{ Name, About string }
	}
	noError(t, json.Unmarshal([]byte(text), &list))
	files, err := filepath.Glob(filepath.Join("testdata", "pinned", "*.txt"))
	noError(t, err)
	made := map[string]string{}
	for _, file := range files {
		name := ""
		for line := range strings.Lines(read(t, ".", file)) {
			if rest, ok := strings.CutPrefix(line, "=== "); ok {
				name = ""
				if rest, ok = strings.CutPrefix(rest, "table "); ok {
					name, _, _ = strings.Cut(rest, ":")
				}
			}
			if name != "" {
				made[name] += line
			}
		}
	}
	for name, holds := range map[string]map[string]string{ // a word of what it says: where that is
		"early-stopping":        {"score": "total utility", "stopping rules": "First Agreement | Consecutive Agreements"},
		"early-stopping-recsys": {"mean absolute error": `"MAE"`, "stopping rule": "First Agreement | Consecutive Agreements"},
		"stopping-times":        {"the round at which each stops": "early stopped round", "before the last one": "effective ratio", "saves": "tokens saved, %"},
		"nested":                {"nested": "Dialogue Act (nested)"},
		"deliberation-rewards":  {"NR": " NR | ", "NAR": " NAR | ", "VR": " VR % | "},
		"centralized-gap":       {"gap to the centralized decision": "HR → gap", "regressed on errors": "slope | se | R²"},
		"strategies":            {"strategy": "suggestible | stubborn", "condition and personality": "personality |", "moves": "moves |"},
		"influence":             {"weight of each agent's start": "agent | personality | weight"},
		"message-language":      {"words": `"words"`, "reading grade": `"grade"`, "information distance": `"information distance"`},
		"estimate-errors":       {"errors of estimates": "HR | HR sd | NMAE"},
		"savings":               {"saved": "rounds saved, %", "cost": "label calls", "all rounds": "all rounds |"},
		"decision-time":         {"round of the decision": "rounds |", "rule": "rule |"},
		"solution-counting":     {"counting the last answers": "counted |", "what was decided": "decided |"},
		"discussion-compute":    {"rounds, calls and tokens": "rounds | calls | input tokens", "how many times": "calls × | tokens ×"},
		"worth":                 {"first answers' majority": "first majority, %", "flips": "to right, % | to wrong, %", "cost of a point": "USD a point"},
		"worth-votes":           {"how many independent votes": "effective votes", "what a majority promises": "Condorcet, %"},
		"variance":              {"number of agents": "agents", "variance": "variance of one"},
		"front":                 {"reach more for less": "dominated in tokens by", "tokens": "tokens low"},
	} {
		i := slices.IndexFunc(list.Tables, func(x struct{ Name, About string }) bool { return x.Name == name })
		if i < 0 || made[name] == "" {
			t.Errorf("%s is not listed, or no example makes it", name)
			continue
		}
		for word, where := range holds {
			if !strings.Contains(list.Tables[i].About, word) || !strings.Contains(made[name], where) {
				t.Errorf("%s: list says %q, which has no %q, or the table no %q:\n%.400s", name, list.Tables[i].About, word, where, made[name])
			}
		}
	}
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
