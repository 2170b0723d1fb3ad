package record

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func example() Rows {
	key := Key{SchemaVersion, "c", "k", "x", 0}
	candidate, text := int32(0), "é"
	return Rows{
		Collaborations: []Collaboration{{Key: key, Status: "succeeded", Utilities: []float64{1, 2.5}}},
		Rounds:         []Round{{Key: key, Round: 1, Voted: true}, {Key: key, Round: 2}},
		Turns:          []Turn{{Key: key, Text: &text}, {Key: key, Entry: 1}},
		Ballots:        []Ballot{{Key: key, Round: 1, Abstained: true}, {Key: key, Round: 1, Candidate: &candidate}},
		Calls:          []Call{{Key: key}},
	}
}

func digest(t *testing.T, r Rows) string {
	t.Helper()
	d, err := Digest(r)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The digest is compared over machines and versions: its definition must not move.
func TestDigestIsFixed(t *testing.T) {
	const want = "93c2be99ac6c487cc3f3b859076e1bbb940955cc2643d567024808f029ee1f60"
	if got := digest(t, example()); got != want {
		t.Errorf("the digest of fixed rows is %s, was %s", got, want)
	}
}

// Each column but the operational ones changes the digest.
func TestDigestCoversColumns(t *testing.T) {
	covers(t, func(r *Rows) *Collaboration { return &r.Collaborations[0] }, "failure", "engine_version", "label", "key_json", "instance_hash", "measure", "outcome", "final_agreement", "flipped", "reasked_turns", "cut_answers", "calls", "input_tokens", "output_tokens", "cost_usd", "worst_usd", "models_answered_json", "started_at", "ended_at")
	covers(t, func(r *Rows) *Round { return &r.Rounds[1] }, "simulated", "outcome", "votes_json", "agreement")
	covers(t, func(r *Rows) *Turn { return &r.Turns[1] }, "thinking", "read_as", "agent_role")
	covers(t, func(r *Rows) *Ballot { return &r.Ballots[1] }, "simulated")
	r := example()
	r.Calls = nil
	if digest(t, r) != digest(t, example()) {
		t.Error("calls change the digest")
	}
}

func covers[T Row](t *testing.T, row func(*Rows) *T, operational ...string) {
	var seen []string
	for _, c := range allColumns(reflect.TypeFor[T](), nil) {
		r := example()
		v := reflect.ValueOf(row(&r)).Elem().FieldByIndex(c.index)
		change(v)
		changed := digest(t, r) != digest(t, example())
		if want := !slices.Contains(operational, c.name); changed != want {
			t.Errorf("%s.%s: changing it changes the digest: %t, want %t", (*row(&r)).Table(), c.name, changed, want)
		}
		if c.name == "" || slices.Contains(seen, c.name) || strings.ToLower(c.name) != c.name {
			t.Errorf("%s has a column %q", (*row(&r)).Table(), c.name)
		}
		seen = append(seen, c.name)
	}
}

func change(v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() { // present, though zero, is not absent
			v.Set(reflect.New(v.Type().Elem()))
			return
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "\x00")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.ValueOf(0.0)))
	default:
		v.SetInt(v.Int() + 1)
	}
}

func TestDigestOfOtherRows(t *testing.T) {
	base := digest(t, example())
	for what, change := range map[string]func(*Rows){
		"a row less":    func(r *Rows) { r.Rounds = r.Rounds[:1] },
		"another order": func(r *Rows) { slices.Reverse(r.Turns) },
		"text moved":    func(r *Rows) { r.Turns[0].Reason, r.Turns[0].Text = r.Turns[0].Text, nil },
	} {
		r := example()
		change(&r)
		if digest(t, r) == base {
			t.Errorf("%s: the digest is the same", what)
		}
	}
	r := example()
	r.Rounds[0].Utilities = []float64{} // comes back from Parquet where nil was written
	if digest(t, r) != base {
		t.Error("an empty list differs from none")
	}
}

func TestSorted(t *testing.T) {
	r := example()
	slices.Reverse(r.Rounds)
	slices.Reverse(r.Turns)
	slices.Reverse(r.Ballots)
	s, err := r.Sorted()
	if err != nil || !reflect.DeepEqual(s, example()) {
		t.Errorf("%+v %v", s, err)
	}
	if r.Rounds[0].Round != 2 {
		t.Error("the given rows were sorted in place")
	}
}
