package record

import (
	"strings"
	"testing"
)

// What is wrong with a row of any table is said, with the table or the row.
func TestWrongRows(t *testing.T) {
	key := Key{SchemaVersion: SchemaVersion, CollaborationID: "a"}
	other := Key{SchemaVersion: SchemaVersion, CollaborationID: "b"}
	one := []Collaboration{{Key: key}}
	for want, r := range map[string]Rows{
		"got 0":                   {},
		"got 2":                   {Collaborations: []Collaboration{{Key: key}, {Key: key}}},
		"rows of schema version":  {Collaborations: []Collaboration{{}}},
		"table rounds: a row of":  {Collaborations: one, Rounds: []Round{{Key: other}}},
		"table turns: a row of":   {Collaborations: one, Turns: []Turn{{Key: other}}},
		"table ballots: a row of": {Collaborations: one, Ballots: []Ballot{{Key: other}}},
		"table calls: a row of":   {Collaborations: one, Calls: []Call{{Key: other}}},
		"table turns: collaboration a has two rows with the key [7 0 0]": {Collaborations: one, Turns: []Turn{{Key: key, Entry: 7}, {Key: key, Entry: 7}}},
	} {
		if _, err := r.Sorted(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	_, err := TurnsByEntry([]Turn{{Entry: 1, Round: 1}, {Entry: 0, Round: 1}})
	if err == nil || !strings.Contains(err.Error(), "at row 2") {
		t.Errorf("%v, want the second row", err)
	}
}

func TestOptional(t *testing.T) {
	if got := Optional(""); got != nil {
		t.Errorf("no text is %q", *got)
	}
	if got := Optional("a"); got == nil || *got != "a" {
		t.Errorf("a is %v", got)
	}
}
