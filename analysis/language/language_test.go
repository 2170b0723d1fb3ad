package language

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roundtable/analysis/referencetest"
)

// TestReadabilityVectors: counts exact and grades to 1e-9, for both rules.
func TestReadabilityVectors(t *testing.T) {
	type counted struct {
		Words, Sentences, Syllables int
		Grade                       float64
	}
	var r struct {
		Words map[string]struct{ A, B int }
		Rows  []struct {
			ID, Text   string
			Whitespace int `json:"whitespace_words"`
			A, B       counted
		}
	}
	referencetest.Read(t, "readability.json", &r)
	for word, want := range r.Words {
		if got := Textstat.Count(word).Syllables; got != want.A {
			t.Errorf("%s: %d syllables by textstat, want %d", word, got, want.A)
		}
		if got := Portable.Count(word).Syllables; got != want.B {
			t.Errorf("%s: %d syllables, want %d", word, got, want.B)
		}
	}
	for _, row := range r.Rows {
		for rule, want := range map[Rule]counted{Textstat: row.A, Portable: row.B} {
			got := rule.Count(row.Text)
			if got != (Counts{want.Words, want.Sentences, want.Syllables}) || math.Abs(got.Grade()-want.Grade) > 1e-9 {
				t.Errorf("%s by %s: %+v of grade %v, want %+v", row.ID, rule, got, got.Grade(), want)
			}
		}
		if got := Words(row.Text); got != row.B.Words {
			t.Errorf("%s: %d words, want %d", row.ID, got, row.B.Words)
		}
	}
}

// TestAgainstNPM: an unrelated counter (npm syllable, a list of exceptions on
// top of patterns) sees about the same. It is a bound, not a reference.
func TestAgainstNPM(t *testing.T) {
	var ours struct{ Rows []struct{ ID, Text string } }
	referencetest.Read(t, "readability.json", &ours)
	var npm struct {
		Rows []struct {
			ID       string
			Syllable int `json:"syllable_npm"`
		}
	}
	referencetest.Read(t, "readability_npm.json", &npm)
	texts := map[string]string{}
	for _, row := range ours.Rows {
		texts[row.ID] = row.Text
	}
	sum, theirs := 0, 0
	for _, row := range npm.Rows {
		got := Portable.Count(texts[row.ID]).Syllables
		sum, theirs = sum+got, theirs+row.Syllable
		if diff := math.Abs(float64(got - row.Syllable)); diff > 2+.2*float64(row.Syllable) {
			t.Errorf("%s: %d syllables, npm syllable has %d", row.ID, got, row.Syllable)
		}
	}
	if math.Abs(float64(sum-theirs)) > .05*float64(theirs) {
		t.Errorf("%d syllables in all, npm syllable has %d", sum, theirs)
	}
}

// TestByHand: the rules on words and marks, worked by hand.
func TestByHand(t *testing.T) {
	for word, want := range map[string]int{
		"the": 1, "table": 2, "tables": 2, "makes": 1, "boxes": 2, "judges": 2, "walked": 1, "wanted": 2,
		"naïve": 1, "café": 1, "42": 1, "re-evaluate": 3, "queue": 1, "ARE": 1,
	} {
		if got := Portable.Count(word).Syllables; got != want {
			t.Errorf("%s: %d syllables, want %d", word, got, want)
		}
	}
	for text, want := range map[string]int{
		"": 0, "One": 1, "It costs 3.5 units.": 1, "Yes! (Really?) \"Sure.\" Then": 4, "... ok": 1, "-- !": 0,
	} {
		if got := Portable.Count(text).Sentences; got != want {
			t.Errorf("%q: %d sentences, want %d", text, got, want)
		}
	}
	for text, want := range map[string]int{
		"One two three. Four five six! Is it seven? Ok.": 3, "Ok. Yes.": 1, "one two three four": 1, "": 0,
	} {
		if got := Textstat.Count(text).Sentences; got != want {
			t.Errorf("%q: textstat counts %d sentences, want %d", text, got, want)
		}
	}
	if got := Textstat.Count("I can't, 'really'. Ok.").Words; got != 4 {
		t.Errorf("textstat counts %d words, want 4", got)
	}
	if got := (Counts{Words: 8, Sentences: 2, Syllables: 10}).Grade(); math.Abs(got-.72) > 1e-9 {
		t.Errorf("grade %v, want 0.72", got)
	}
}

// TestAnyText: counts are bounded and grades finite, whatever is written.
func TestAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		for _, rule := range []Rule{Portable, Textstat} {
			c := rule.Count(text)
			if c.Words < 0 || c.Words > 0 && (c.Sentences < 1 || c.Syllables < c.Words) || c.Syllables > 1+2*len(text) {
				t.Fatalf("%s: %+v", rule, c)
			}
			if g := c.Grade(); math.IsNaN(g) || math.IsInf(g, 0) {
				t.Fatalf("%s: grade %v", rule, g)
			}
		}
		if c := Portable.Count(text); c.Words != Words(text) || c.Sentences > max(c.Words, 0) {
			t.Fatalf("%+v, %d words", c, Words(text))
		}
		if a, b := Portable.Count(text), Portable.Count(text+" "+text); b.Words != 2*a.Words || b.Syllables != 2*a.Syllables {
			t.Fatalf("once %+v, twice %+v", a, b)
		}
	})
}

// informationDistance of a round is the mean of its messages' Distances, as the reference
// has it; nil if none is defined.
func informationDistance(before, round [][]float64) *float64 {
	sum, n := 0.0, 0
	for _, d := range Distances(before, round) {
		if d != nil {
			sum, n = sum+*d, n+1
		}
	}
	if n == 0 {
		return nil
	}
	sum /= float64(n)
	return &sum
}

func TestInformationDistanceVectors(t *testing.T) {
	for _, env := range []string{"exchange", "recsys"} {
		var in struct {
			Collaborations []struct {
				ID  string
				Emb [][][]float64
			}
		}
		var want struct {
			Distance map[string][]*float64 `json:"information_distance"`
		}
		referencetest.Read(t, "dialogue_acts_"+env+"_data.json", &in)
		referencetest.Read(t, "dialogue_acts_"+env+"_expected.json", &want)
		for _, c := range in.Collaborations {
			var before [][]float64
			for r, round := range c.Emb {
				got, want := informationDistance(before, round), want.Distance[c.ID][r]
				if (got == nil) != (want == nil) || got != nil && math.Abs(*got-*want) > 1e-9 {
					t.Fatalf("%s round %d: %v, want %v", c.ID, r+1, got, want)
				}
				before = round
			}
		}
	}
}

func TestInformationDistanceByHand(t *testing.T) {
	before := [][]float64{{2, 0}, {0, 2}} // mean (1, 1)
	got := Distances(before, [][]float64{{3, 3}, {1, 0}, {-1, -1}, {0, 0}})
	for i, want := range []float64{0, 1 - math.Sqrt2/2, 2} {
		if got[i] == nil || math.Abs(*got[i]-want) > 1e-12 {
			t.Errorf("message %d: %v, want %v", i, got[i], want)
		}
	}
	if got[3] != nil {
		t.Errorf("a text without a direction has distance %v", *got[3])
	}
	if d := informationDistance(before, nil); d != nil {
		t.Errorf("a round without messages has distance %v", *d)
	}
	if d := informationDistance(nil, before); d != nil {
		t.Errorf("the first round has distance %v", *d)
	}
}

func BenchmarkPortable(b *testing.B) {
	text := strings.Repeat("I propose an allocation that gives 40 units of apples to each of us. ", 6)
	for b.Loop() {
		Portable.Count(text).Grade()
	}
}

func BenchmarkTextstat(b *testing.B) {
	text := strings.Repeat("I propose an allocation that gives 40 units of apples to each of us. ", 6)
	for b.Loop() {
		Textstat.Count(text).Grade()
	}
}
