package ruletest

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// checkForms counts whatever Validate lets through, stray fields and all.
func checkForms(t *rapid.T, r decision.Rule) {
	p := decision.Profile{
		Candidates: rapid.IntRange(0, 4).Draw(t, "candidates"),
		Electorate: rapid.IntRange(0, 4).Draw(t, "electorate"),
	}
	form := r.Ballot(p.Candidates, p.Electorate)
	if form.N != p.Candidates {
		t.Fatalf("a ballot over %d candidates has the form of %d", p.Candidates, form.N)
	}
	valid(t, form, transcript.Ballot{Abstain: true})
	for _, b := range rapid.SliceOfN(malformed, 0, 12).Draw(t, "ballots") {
		err := form.Validate(b)
		if err != nil && err.Error() == "" || form.Validate(stranger(form)) == nil {
			t.Fatalf("the form %+v accepts what it must refuse, or refuses without a word", form)
		}
		if err == nil && len(p.Ballots) < p.Electorate {
			p.Ballots = append(p.Ballots, b)
		}
	}
	got := r.Tally(p)
	if len(got.Scores) != p.Candidates || slices.Contains(got.Scores, nil) {
		t.Fatalf("%d candidates have the scores %v", p.Candidates, got.Scores)
	}
	for i, w := range got.Winners {
		if w < 0 || w >= p.Candidates || i > 0 && w <= got.Winners[i-1] {
			t.Fatalf("winners %v of %d candidates are not numbers of candidates in ascending order",
				got.Winners, p.Candidates)
		}
	}
}

// stranger returns a ballot for a candidate that there is not.
func stranger(form transcript.BallotSpec) transcript.Ballot {
	return transcript.Ballot{Choice: form.N, Order: []int{form.N}, Points: make([]int, form.N+1)}
}

func checkRepeatable(t *rapid.T, r decision.Rule) {
	p := Profile(t, r)
	before := clone(p.Ballots)
	form, words, first := r.Ballot(p.Candidates, p.Electorate), r.Words(), r.Tally(p)
	same(t, r.Tally(p), first)
	if !reflect.DeepEqual(p.Ballots, before) {
		t.Fatalf("counting has changed the ballots from %+v to %+v", before, p.Ballots)
	}
	if r.Ballot(p.Candidates, p.Electorate) != form || r.Words() != words {
		t.Fatal("the form of a ballot or the words change")
	}
}

func clone(ballots []transcript.Ballot) []transcript.Ballot {
	copies := slices.Clone(ballots)
	for i, b := range copies {
		copies[i].Points, copies[i].Order = slices.Clone(b.Points), slices.Clone(b.Order)
	}
	return copies
}

func checkNoVotes(t *rapid.T, r decision.Rule) {
	p := decision.Profile{
		Candidates: rapid.IntRange(0, 5).Draw(t, "candidates"), Electorate: rapid.IntRange(0, 7).Draw(t, "electorate"),
	}
	p.Ballots = slices.Repeat([]transcript.Ballot{{Abstain: true}},
		min(p.Electorate, rapid.IntRange(0, 3).Draw(t, "abstentions")))
	if got := r.Tally(p).Winners; len(got) > 0 {
		t.Fatalf("winners are %v of %d abstentions", got, len(p.Ballots))
	}
}

func checkAbstentions(t *rapid.T, r decision.Rule) {
	p := Profile(t, r)
	q := p
	q.Ballots = slices.DeleteFunc(slices.Clone(p.Ballots), func(b transcript.Ballot) bool { return b.Abstain })
	same(t, r.Tally(q), r.Tally(p))
}

func checkValues(t *rapid.T, r decision.Rule) {
	p := Profile(t, r)
	for _, b := range p.Ballots {
		for c := range p.Candidates {
			if v := r.Value(b, c, p.Candidates); v.Sign() < 0 || b.Abstain && v.Sign() != 0 {
				t.Fatalf("ballot %+v gives %d %v", b, c, v)
			}
		}
	}
}

// checkRecount counts ballots again from the acts that the lake holds.
func checkRecount(t *rapid.T, r decision.Rule) {
	p := Profile(t, r)
	form := r.Ballot(p.Candidates, p.Electorate)
	q := p
	q.Ballots = nil
	for _, b := range p.Ballots {
		data, err := json.Marshal(transcript.Act{Status: transcript.Said, Ballot: &b})
		if err != nil {
			t.Fatal(err)
		}
		var act transcript.Act
		if err := json.Unmarshal(data, &act); err != nil {
			t.Fatal(err)
		}
		valid(t, form, *act.Ballot)
		for c := range p.Candidates {
			if got, want := r.Value(*act.Ballot, c, p.Candidates), r.Value(b, c, p.Candidates); got.Cmp(want) != 0 {
				t.Fatalf("ballot %s gives %d %v, before it was recorded %v", data, c, got, want)
			}
		}
		q.Ballots = append(q.Ballots, *act.Ballot)
	}
	same(t, r.Tally(q), r.Tally(p))
}

// checkWords reads the example of a ballot with three candidates and four agents.
func checkWords(t *rapid.T, r decision.Rule) {
	w := r.Words()
	if w.Name == "" || w.Explanation == "" || w.Ballot == "" {
		t.Fatalf("words are missing: %+v", w)
	}
	_, example, _ := strings.Cut(w.Ballot, "Example")
	_, example, _ = strings.Cut(example, ": ")
	form := r.Ballot(3, 4)
	b, err := read(form, example)
	if err == nil {
		err = form.Validate(b)
	}
	if err != nil {
		t.Fatalf("%s: example %q: %v", w.Name, example, err)
	}
}

// read returns the plainest reading of an answer that the words ask for.
func read(form transcript.BallotSpec, text string) (b transcript.Ballot, err error) {
	switch form.Kind {
	case transcript.Choose:
		err = json.Unmarshal([]byte(text), &b.Choice)
		b.Choice--
	case transcript.Rank, transcript.Approve:
		err = json.Unmarshal([]byte(text), &b.Order)
		for i := range b.Order {
			b.Order[i]--
		}
	default:
		byNumber := map[int]int{}
		err = json.Unmarshal([]byte(text), &byNumber)
		b.Points = make([]int, form.N)
		for c := range b.Points {
			n, ok := byNumber[c+1]
			if b.Points[c] = n; !ok {
				b.Points[c] = -1
			}
		}
	}
	return b, err
}
