package dialogue

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/acts"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
)

// seen is the share of messages in which the labeller finds an act.
func seen(t *testing.T, l Labels, act string) float64 {
	t.Helper()
	set, _ := acts.Of(act)
	shown, of := 0.0, 0.0
	for _, talk := range l.Talks {
		for _, round := range talk {
			for _, s := range round {
				if of++; s&set != 0 {
					shown++
				}
			}
		}
	}
	return shown / of
}

// TestLate: as labelled counts what came after the draw, corrected does not, and a note says how
// many these are.
func TestLate(t *testing.T) {
	c := newCodedLate(t, 30, 10, 10_000)
	c.code(t, "ada", asIs)
	l := c.labels(t)
	tab, err := Acts(c.Campaign, l)
	if err != nil {
		t.Fatal(err)
	}
	truth := 0.0
	for _, talk := range c.truth[:20] {
		for _, round := range talk {
			for _, s := range round {
				if s.Has(0) {
					truth += 1.0 / (20 * codedRounds * codedAgents)
				}
			}
		}
	}
	row := rowOf(t, tab, "messages", "Inform")
	if naive, fixed := *column(t, tab, row, "all rounds"), *column(t, tab, row, "corrected"); math.Abs(naive-seen(t, l, "Inform")) > 1e-9 || math.Abs(fixed-truth) > 1e-9 {
		t.Errorf("as labelled %v, want %v of all; corrected %v, want %v of those that could be drawn", naive, seen(t, l, "Inform"), fixed, truth)
	}
	for name, notes := range map[string][]string{"dialogue-acts": tab.Notes, "label-errors": errorNotes(t, c, l)} {
		if text := strings.Join(notes, "\n"); !strings.Contains(text, "10 collaborations came after the draw") {
			t.Errorf("%s does not say what came after the draw:\n%s", name, text)
		}
	}
}

func errorNotes(t *testing.T, c coded, l Labels) []string {
	t.Helper()
	tab, err := LabelErrors(c.Campaign, l)
	if err != nil {
		t.Fatal(err)
	}
	return tab.Notes
}

// TestOneLate: a draw that finds a single new collaboration empties no corrected figure; where
// figures are empty, the note has the reason.
func TestOneLate(t *testing.T) {
	c := newCodedLate(t, 13, 1, 80)
	c.code(t, "ada", asIs)
	before, err := Acts(c.Campaign, c.labels(t))
	if err != nil {
		t.Fatal(err)
	}
	c.draws(t, 110, c.all)
	if n := len(c.draw.Frame); n != 1 {
		t.Fatalf("the second draw finds %d collaborations", n)
	}
	c.code(t, "ada", asIs)
	after, err := Acts(c.Campaign, c.labels(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"messages", "groups"} {
		for _, act := range record.Acts {
			was, is := column(t, before, rowOf(t, before, of, act), "95 % from"), column(t, after, rowOf(t, after, of, act), "95 % from")
			if was != nil && is == nil {
				t.Errorf("%s of %s: more gold empties the corrected figure", act, of)
			}
		}
	}
	notes := strings.Join(after.Notes, "\n")
	if !strings.Contains(notes, "The labeller is right about") || !strings.Contains(notes, "because gold labels show it in fewer than 5") {
		t.Errorf("notes:\n%s", notes)
	}
}

// TestOneCollaboration: gold of a single collaboration corrects nothing, and the notes say why.
func TestOneCollaboration(t *testing.T) {
	c := newCoded(t, 1, 10_000)
	c.code(t, "ada", asIs)
	tab, err := Acts(c.Campaign, c.labels(t))
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(tab.Notes, "\n"); strings.Count(notes, "gold labels of at least 2 clusters") != 2 || strings.Contains(notes, "fewer than 5") {
		t.Errorf("the notes do not say why all is empty, of the table and of the labeller:\n%s", notes)
	}
}

// TestLateRates: the same of the labels of another code book.
func TestLateRates(t *testing.T) {
	c := newCodedLate(t, 16, 8, 10_000)
	const book, by = "mood-12345678", "mood.model-1"
	if err := c.store.PutIfAbsent(t.Context(), lake.AboutKey("talks", "codebooks/"+book+".json"), []byte(`{"labels": [{"name": "Calm"}, {"name": "Cross"}]}`)); err != nil {
		t.Fatal(err)
	}
	c.draw.CodeBook = book
	if err := gold.WriteDraw(t.Context(), c.store, c.draw); err != nil {
		t.Fatal(err)
	}
	for i, r := range c.Runs { // calm before the draw, cross after it
		label := `["Calm"]`
		if i >= 8 {
			label = `["Cross"]`
		}
		var rows []record.Label
		var coded []record.GoldLabel
		for entry := range int32(codedRounds * codedAgents) {
			round, agent := entry/codedAgents+1, entry%codedAgents
			rows = append(rows, record.Label{Key: r.Key, Labeller: by, Entry: entry, Round: round, Agent: agent, Status: record.Labelled, CodeBook: new(book), LabelsJSON: new(label)})
			given, _ := json.Marshal([]string{[]string{"Calm", "Cross"}[i%2]})
			coded = append(coded, record.GoldLabel{Key: r.Key, CodeBook: book, Coder: "ada", Draw: 1, Entry: entry, Round: round, Agent: agent, Labels: string(given)})
		}
		m := lake.Marker{Campaign: "talks", Condition: "k", Collaboration: r.CollaborationID, By: by, Status: record.Succeeded}
		if _, err := commits.CommitAnnotations(t.Context(), c.store, m, rows); err != nil {
			t.Fatal(err)
		}
		if i >= 8 {
			continue
		}
		m.By, m.Table = gold.By(book, "ada", 1), record.Gold
		if _, err := commits.CommitAnnotations(t.Context(), c.store, m, coded); err != nil {
			t.Fatal(err)
		}
	}
	tab, err := LabelRates(t.Context(), c.store, c.Campaign, by)
	if err != nil {
		t.Fatal(err)
	}
	row := rowOf(t, tab, "Cross")
	got := fmt.Sprintf("as labelled %.2f, corrected %.2f, n %.0f", *column(t, tab, row, "as labelled"), *column(t, tab, row, "corrected"), *column(t, tab, row, "n"))
	if got != "as labelled 0.50, corrected 0.50, n 16" {
		t.Error(got)
	}
	if notes := strings.Join(tab.Notes, "\n"); !strings.Contains(notes, "8 collaborations came after the draw") || strings.Contains(notes, "The labeller is right") {
		t.Errorf("notes:\n%s", notes)
	}
}

// A round in the middle is part of two passages and counts half in each; as a whole all counts.
func TestShareOfLabel(t *testing.T) {
	var coded []gold.Coded
	for i, label := range []string{"Inform", "Inform", "Request", "Inform"} {
		coded = append(coded, gold.Coded{Round: []int{1, 2, 2, 3}[i], Labels: []string{label}})
	}
	for round, want := range map[int][2]float64{0: {3, 4}, 2: {1.5, 2}, 3: {1.5, 2}} {
		if got := shareOfLabel(coded, gold.Passage{Round: round}, 3, "Inform"); got != want {
			t.Errorf("passage %d: %v, want %v", round, got, want)
		}
	}
}
