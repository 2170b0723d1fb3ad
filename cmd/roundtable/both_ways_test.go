package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
)

// TestGridsBothWays: the grid of every example plans the same conditions with its values plain, with a
// label on each, with each axis under a name of its own whose values set its key, and with other names
// for those that have their own already. Combinations and the campaign's question follow the names. An
// example without a grid has its rule on an axis of one value. What is shown of conditions with labels
// and without is compared in TestExamples, and what plan says of them in TestPlanBothWays.
func TestGridsBothWays(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	axes := planBothWays(t, conditionsPlanned, "*", "forks/original", "seat/seat", "try/try", "stopping/past")
	for what, least := range map[string]int{"without labels": 40, "with labels": 40, "with names": 40, "with other names": 1} {
		if axes[what] < least {
			t.Errorf("only %d axes were written %s", axes[what], what)
		}
	}
}

// TestPlanBothWays: so does plan, with the same calls, tokens, cost and time; -long of every example.
func TestPlanBothWays(t *testing.T) {
	t.Parallel()
	names := []string{"peers", "controls"}
	if *long {
		names = []string{"*", "forks/original", "seat/seat", "try/try", "stopping/past"}
	}
	if axes := planBothWays(t, numbersPlanned, names...); axes["with names"] < len(names) {
		t.Errorf("axes were written %v", axes)
	}
}

// TestProgramBothWays: so does that of the example whose environment is a program, which has to be trusted.
func TestProgramBothWays(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3 here to be the environment")
	}
	t.Setenv("ROUNDTABLE_PROGRAMS", "*")
	if axes := planBothWays(t, numbersPlanned, "program/well"); axes["with names"] != 2 {
		t.Errorf("axes were written %v", axes)
	}
}

// planBothWays plans examples with their axes written otherwise, and returns how many were. read
// returns what is compared of the plan of a file.
func planBothWays(t *testing.T, read func(t *testing.T, lake, file string) string, names ...string) map[string]int {
	t.Helper()
	dir := t.TempDir()
	for from, to := range map[string]string{"../../examples": "examples", "../../envs/recsys/testdata/ml-tiny": "envs/recsys/testdata/ml-tiny"} {
		noError(t, os.CopyFS(filepath.Join(dir, to), os.DirFS(from)))
	}
	var files []string
	for _, name := range names {
		found, err := filepath.Glob(filepath.Join(dir, "examples", name+".yaml"))
		noError(t, err)
		files = append(files, found...)
	}
	lake, axes := filepath.Join(dir, "lake"), map[string]int{}
	for _, file := range files {
		original, err := os.ReadFile(file)
		noError(t, err)
		want := read(t, lake, file)
		for what, change := range map[string]axisChange{
			"without labels": plainAxis, "with labels": labelledAxis, "with names": namedAxis, "with other names": renamedAxis,
		} {
			text, changed := changeGrid(t, original, change)
			if axes[what] += changed; changed == 0 {
				continue
			}
			save(t, filepath.Dir(file), "changed.yaml", text)
			if got := read(t, lake, filepath.Join(filepath.Dir(file), "changed.yaml")); got != want {
				t.Errorf("%s %s plans\n%s, not\n%s\n%s", filepath.Base(file), what, got, want, text)
			}
		}
	}
	return axes
}

// axisChange returns an axis, written otherwise; no values if it stays as it is.
type axisChange func(axis string, values []any) (string, []any)

// conditionsPlanned returns the ids of the conditions that a file plans.
func conditionsPlanned(t *testing.T, lake, file string) string {
	t.Helper()
	s, err := store.NewLocal(lake)
	noError(t, err)
	p, _, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), file, s, false)
	if err != nil {
		t.Errorf("%s: %v", filepath.Base(file), err)
	}
	var ids []string
	for _, c := range p.Campaign.Conditions {
		ids = append(ids, c.ID())
	}
	slices.Sort(ids)
	return strings.Join(ids, "\n")
}

// numbersPlanned returns what plan says of a file, but for names: the ids of its conditions, and all numbers.
func numbersPlanned(t *testing.T, lake, file string) string {
	t.Helper()
	d := ran(t, "plan", file, "--json", "--lake", lake)
	if d.code != 0 {
		t.Errorf("%s: code %d, %s", filepath.Base(file), d.code, d.err)
		return ""
	}
	said := document(t, d.out)
	var all []string
	prediction := said["prediction"].(map[string]any)
	for _, one := range slices.Concat(said["conditions"].([]any), prediction["conditions"].([]any)) {
		var b strings.Builder
		condition := one.(map[string]any)
		delete(condition, "values") // on axes, which have other names
		writeNumbersOf(&b, condition)
		all = append(all, fmt.Sprintln(condition["condition"], b.String()))
	}
	slices.Sort(all) // the axes give their order
	delete(prediction, "conditions")
	var b strings.Builder
	writeNumbersOf(&b, []any{said["cells"], prediction})
	return strings.Join(all, "") + b.String()
}

// changeGrid returns a campaign file whose axes are written otherwise, and how many are. A grid that
// another file has part of stays as it is, and so does an axis of which an included
// combination has a value of its own.
func changeGrid(t *testing.T, original []byte, change axisChange) (string, int) {
	t.Helper()
	var file map[string]any
	noError(t, yaml.Unmarshal(original, &file))
	if file["extends"] != nil {
		return "", 0
	}
	grid, _ := file["grid"].(map[string]any)
	if grid == nil && file["rule"] != nil {
		grid = map[string]any{"rule": []any{file["rule"]}}
		file["grid"] = grid
		delete(file, "rule")
	}
	var combinations []map[string]any
	for _, key := range []string{"exclude", "include"} {
		list, _ := grid[key].([]any)
		for _, one := range list {
			combinations = append(combinations, one.(map[string]any))
		}
	}
	until, _ := file["until"].(map[string]any)
	changed := 0
	for axis, values := range maps.Clone(grid) {
		list, ok := values.([]any)
		if !ok || axis == "exclude" || axis == "include" {
			continue
		}
		isNew := func(c map[string]any) bool { return c[axis] != nil && placeOf(list, c[axis]) < 0 }
		name, made := change(axis, list)
		if made == nil || slices.ContainsFunc(combinations, isNew) {
			continue
		}
		changed++
		delete(grid, axis)
		grid[name] = made
		for _, c := range combinations {
			if value := c[axis]; value != nil {
				delete(c, axis)
				c[name] = nameOf(made[placeOf(list, value)])
			}
		}
		if until["compare"] == axis {
			until["compare"] = name
			if value := until["reference"]; value != nil {
				until["reference"] = nameOf(made[placeOf(list, value)])
			}
		}
	}
	text, err := yaml.Marshal(file)
	noError(t, err)
	return string(text), changed
}

// nameOf returns what a combination calls a value of a grid.
func nameOf(value any) any {
	if m, ok := value.(map[string]any); ok && m["label"] != nil {
		return m["label"]
	}
	return value
}

// placeOf returns which of the values of an axis has a name; -1 if none has.
func placeOf(values []any, name any) int {
	return slices.IndexFunc(values, func(v any) bool { return reflect.DeepEqual(nameOf(v), name) })
}

// splitLabel splits a value of a grid into its label, the value itself, and whether it sets keys by name.
func splitLabel(value any) (plain any, setsKeys bool) {
	m, ok := value.(map[string]any)
	if _, is := m["set"]; ok && is {
		return nil, true
	}
	if v, is := m["value"]; ok && is && m["label"] != nil {
		return v, false
	}
	return value, false
}

func eachValue(axis string, values []any, change func(i int, plain any) any) []any {
	var all []any
	for i, value := range values {
		plain, setsKeys := splitLabel(value)
		if setsKeys {
			return nil
		}
		all = append(all, change(i, plain))
	}
	return all
}

func plainAxis(axis string, values []any) (string, []any) {
	return axis, eachValue(axis, values, func(_ int, plain any) any { return plain })
}

func labelledAxis(axis string, values []any) (string, []any) {
	return axis, eachValue(axis, values, func(i int, plain any) any { return map[string]any{"label": fmt.Sprintf("value %d", i), "value": plain} })
}

func namedAxis(axis string, values []any) (string, []any) {
	return strings.ReplaceAll(axis, ".", "_") + "_of_it", eachValue(axis, values, func(i int, plain any) any {
		return map[string]any{"label": fmt.Sprintf("value %d", i), "set": map[string]any{axis: plain}}
	})
}

// renamedAxis gives other names to an axis that has its own, and to its values.
func renamedAxis(axis string, values []any) (string, []any) {
	var all []any
	for i, value := range values {
		if _, setsKeys := splitLabel(value); !setsKeys {
			return axis, nil
		}
		other := maps.Clone(value.(map[string]any))
		other["label"] = fmt.Sprintf("value %d", i)
		all = append(all, other)
	}
	return axis + "_by_another_name", all
}
