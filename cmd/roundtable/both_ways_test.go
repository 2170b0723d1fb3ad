package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
)

// TestGridsBothWays: the grid of every example plans the same conditions with its values plain,
// with a label on each, and with each axis under a name of its own whose values set its key.
// What is shown of conditions with labels and without is compared in TestExamples.
func TestGridsBothWays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for from, to := range map[string]string{"../../examples": "examples", "../../envs/recsys/testdata/ml-tiny": "envs/recsys/testdata/ml-tiny"} {
		noError(t, os.CopyFS(filepath.Join(dir, to), os.DirFS(from)))
	}
	files, err := filepath.Glob(filepath.Join(dir, "examples", "*.yaml"))
	noError(t, err)
	s, err := store.NewLocal(t.TempDir())
	noError(t, err)
	axes := 0
	for _, file := range files {
		original, err := os.ReadFile(file)
		noError(t, err)
		want, err := planOf(t, s, file)
		noError(t, err)
		for what, change := range map[string]func(axis string, values []any) (string, []any){
			"without labels": plainAxis, "with labels": labelledAxis, "with names": namedAxis,
		} {
			text, changed := changeGrid(t, original, change)
			if axes += changed; changed == 0 {
				continue
			}
			save(t, filepath.Dir(file), "changed.yaml", text)
			got, err := planOf(t, s, filepath.Join(filepath.Dir(file), "changed.yaml"))
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s %s plans (%v)\n%v, not\n%v", filepath.Base(file), what, err, got, want)
			}
		}
	}
	if axes < 40 {
		t.Errorf("only %d axes were written otherwise", axes)
	}
}

// planOf returns the ids of the conditions that a file plans.
func planOf(t *testing.T, s store.Store, file string) (ids []string, err error) {
	t.Helper()
	p, _, _, err := planning.Read(t.Context(), catalogue.Builtin(), file, s, false)
	if err != nil {
		return nil, err
	}
	for _, c := range p.Campaign.Conditions {
		ids = append(ids, c.ID())
	}
	slices.Sort(ids)
	return ids, nil
}

// changeGrid returns a campaign file whose axes are written otherwise, and how many are. A grid that
// another file has part of, or with combinations that name values, stays as it is.
func changeGrid(t *testing.T, original []byte, change func(string, []any) (string, []any)) (string, int) {
	t.Helper()
	var file map[string]any
	noError(t, yaml.Unmarshal(original, &file))
	grid, _ := file["grid"].(map[string]any)
	if file["extends"] != nil || grid["exclude"] != nil || grid["include"] != nil || file["until"] != nil {
		return "", 0
	}
	changed := 0
	for axis, values := range grid {
		list, ok := values.([]any)
		if !ok {
			continue
		}
		if name, values := change(axis, list); values != nil {
			delete(grid, axis)
			grid[name] = values
			changed++
		}
	}
	text, err := yaml.Marshal(file)
	noError(t, err)
	return string(text), changed
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
