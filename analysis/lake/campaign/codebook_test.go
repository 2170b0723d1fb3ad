package campaign_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
)

func TestBuiltIn(t *testing.T) {
	if got := campaign.BuiltInBooks(); !slices.Equal(got, []string{"acts", "drift", "mast"}) {
		t.Fatalf("built in are %v", got)
	}
	for name, want := range map[string]struct {
		labels int
		unit   string
	}{"acts": {11, campaign.UnitMessage}, "mast": {14, campaign.UnitCollaboration}, "drift": {10, campaign.UnitMessage}} {
		b, ok := campaign.LoadBuiltInBook(name)
		if !ok || b.Name != name || len(b.Labels) != want.labels || b.Unit != want.unit || b.Source == "" {
			t.Errorf("%s: %+v", name, b)
		}
		for _, l := range b.Labels {
			if len(l.Examples) == 0 {
				t.Errorf("%s: %s has no example", name, l.Name)
			}
		}
	}
	acts, _ := campaign.LoadBuiltInBook("acts")
	if !slices.Equal(acts.Names(), record.Acts[:]) || acts.ID() != "acts" {
		t.Errorf("the acts of the code book are %v, id %s", acts.Names(), acts.ID())
	}
	if _, ok := campaign.LoadBuiltInBook("../acts"); ok {
		t.Error("a file outside is a code book")
	}
}

// TestNumbers: failure modes of MAST have the numbers and the three categories of the paper.
func TestNumbers(t *testing.T) {
	mast, _ := campaign.LoadBuiltInBook("mast")
	of := map[string]int{}
	for i, l := range mast.Labels {
		of[l.Category]++
		if want := fmt.Sprintf("FM-%d.", len(of)); !strings.HasPrefix(l.Number, want) || l.Number != fmt.Sprint(want, of[l.Category]) {
			t.Errorf("label %d, %s, of %s has the number %s", i, l.Name, l.Category, l.Number)
		}
	}
	if len(of) != 3 || of["Specification issues"] != 5 || of["Inter-agent misalignment"] != 6 || of["Task verification"] != 3 {
		t.Errorf("categories %v", of)
	}
}

// TestRecorded: what is recorded is read again, and no other bytes pass for it.
func TestRecorded(t *testing.T) {
	for _, name := range campaign.BuiltInBooks() {
		b, _ := campaign.LoadBuiltInBook(name)
		data := b.Encode()
		if got, err := campaign.DecodeBook(b.ID(), data); err != nil || !reflect.DeepEqual(got, b) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := campaign.DecodeBook("other-12345678", data); err == nil {
			t.Errorf("%s passes for another", name)
		}
		if _, err := campaign.DecodeBook(b.ID(), bytes.Replace(data, []byte(`"unit"`), []byte(`"Unit"`), 1)); err == nil {
			t.Errorf("%s: changed bytes pass", name)
		}
	}
}

func TestParse(t *testing.T) {
	const good = "name: mood\nchoice: one\nlabels:\n  - {name: Calm, definition: is calm}\n  - {name: Cross, definition: is not}\n"
	b, err := campaign.ParseBook("mood.yaml", []byte(good))
	if err != nil || b.Unit != campaign.UnitMessage || !strings.HasPrefix(b.ID(), "mood-") {
		t.Fatalf("%+v, error %v", b, err)
	}
	other, err := campaign.ParseBook("mood.yaml", []byte(strings.Replace(good, "is not", "is loud", 1)))
	if err != nil || other.ID() == b.ID() {
		t.Errorf("other words have the id %s too, error %v", other.ID(), err)
	}
	for given, want := range map[string]string{"calm": "Calm", " Cross ": "Cross", "Calm,Cross": "", "": "", "Loud": ""} {
		got, err := b.Read(strings.FieldsFunc(given, func(r rune) bool { return r == ',' }))
		if strings.Join(got, ",") != want || (err == nil) != (want != "") {
			t.Errorf("%q: %v, error %v", given, got, err)
		}
	}
}

func TestParseExplains(t *testing.T) {
	const bad = `name: My Book
unit: turn
chioce: one
labels:
  - {name: A, definition: a}
  - {name: a, definition: again}
  - {name: B}
  - {name: "=C", definition: c, exmples: []}
  - {name: D, number: a, definition: d}
  - {name: E, definition: e, alone: perhaps}
  - just a word
  - {name: F, definition: f, examples: one}
name: twice
`
	_, err := campaign.ParseBook("my.yaml", []byte(bad))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`my.yaml, line 1: name is "My Book"`, `line 2: unit is "turn"; expected message or collaboration`, `line 3: a code book has no key "chioce"`,
		`line 6: the label "a" is there twice`, "line 7: a label needs a name and a definition", `line 8: the name of a label is "=C"`, `line 8: a label has no key "exmples"`,
		`line 9: the number "a" is there twice`, `line 10: alone is "perhaps"`, "line 11: a label has the keys", "line 12: examples is a list of texts", "line 13: name is there twice",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said in\n%v", want, err)
		}
	}
	for data, want := range map[string]string{"": "empty", "- a": "a code book has the keys", "name: x": "needs labels", "name: x\nlabels: []": "1 to 100", "a: [": "line"} {
		if _, err := campaign.ParseBook("x.yaml", []byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", data, err, want)
		}
	}
}
