package record

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The schema has the columns of the row types, and keys that are among them.
func TestSchema(t *testing.T) {
	tables, err := Schema()
	if err != nil || len(tables) != len(Tables) {
		t.Fatalf("%d tables: %v", len(tables), err)
	}
	types := []reflect.Type{
		reflect.TypeFor[Collaboration](), reflect.TypeFor[Round](), reflect.TypeFor[Turn](), reflect.TypeFor[Ballot](), reflect.TypeFor[Call](),
	}
	for i, table := range tables {
		var names, want []string
		for _, c := range table.Columns {
			names = append(names, c.Name)
			if c.Type == "" || c.About == "" {
				t.Errorf("%s.%s has no type or no words", table.Name, c.Name)
			}
		}
		for _, c := range allColumns(types[i], nil) {
			want = append(want, c.name)
		}
		if table.Name != Tables[i] || !slices.Equal(names, want) {
			t.Errorf("table %s has the columns %v, its row type %v", table.Name, names, want)
		}
		if len(table.Key) < 2 || slices.ContainsFunc(table.Key, func(k string) bool { return !slices.Contains(names, k) }) {
			t.Errorf("table %s has the key %v", table.Name, table.Key)
		}
	}
}

// The descriptions of phases, forms and parts name all that protocols have.
func TestSchemaNamesPhases(t *testing.T) {
	tables, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	about := map[string]string{}
	for _, c := range tables[slices.Index(Tables[:], Turns)].Columns {
		about[c.Name] = c.About
	}
	files, err := filepath.Glob("../../../workflows/protocol/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := 0
	for _, file := range append(files, "../../../workflows/transcript/transcript.go") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for column, named := range map[string]*regexp.Regexp{
			"phase":  regexp.MustCompile(`(?m)^\tPhase\w+ += "(\w+)"`),
			"format": regexp.MustCompile(`(?m)^\tFormat\w+ +Format = "(\w+)"`),
			"role":   regexp.MustCompile(`Speaker\{Role: "(\w+)"\}`),
		} {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range named.FindAllStringSubmatch(string(text), -1) {
				found++
				if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(about[column]) {
					t.Errorf("turns.%s does not name %s of %s", column, m[1], file)
				}
			}
		}
	}
	if found < 40 {
		t.Errorf("%d names were found", found)
	}
}
