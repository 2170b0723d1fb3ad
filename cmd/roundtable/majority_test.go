package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
)

// A majority of all agents is hardly meant where answers can split; of two answers one has it,
// and elsewhere agents vote again.
func TestWarnsOfMajorityOverSplitAnswers(t *testing.T) {
	const file = "name: own\ndata: .\nmodel: scripted/answerer\nenv: {name: qa, format: csv, file: q.csv, agents: 3}\nprotocol: {name: debate, rounds: 4}\nrule: majority\n"
	for _, x := range []struct {
		replace, by string
		warned      bool
	}{
		{"", "", true},
		{"rule: majority", "grid: {rule: [plurality, majority]}", true},
		{"rule: majority", "rule: plurality", false},
		{"name: debate", "name: discussion", false},
		{"file: q.csv", "file: yes.csv, kind: yesno", false},
	} {
		s, err := store.NewLocal(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for name, text := range map[string]string{
			"own.yaml": strings.Replace(file, x.replace, x.by, 1),
			"q.csv":    "id,question,A,B,C,answer\n1,Which planet is the largest?,Mars,Jupiter,Venus,B\n",
			"yes.csv":  "id,question,answer\n1,Is it?,yes\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p, _, _, err := (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), filepath.Join(dir, "own.yaml"), s, false)
		if err != nil {
			t.Fatal(err)
		}
		list, err := planning.Warnings(t.Context(), catalogue.Builtin(), p, s)
		if got := strings.Join(list, "\n"); err != nil || strings.Contains(got, "For the most frequent answer write plurality") != x.warned {
			t.Errorf("%s: %q %v", x.by, got, err)
		}
	}
}
