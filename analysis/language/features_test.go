package language_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"roundtable/activities/laketest"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/analysis/referencetest"
)

// known embeds texts whose vectors are known; it refuses any other.
type known map[string][]float64

func (known) Name() string { return "known" }

func (k known) Embed(_ context.Context, texts []string) ([][]float64, error) {
	vectors := make([][]float64, len(texts))
	for i, text := range texts {
		v, ok := k[text]
		if !ok {
			return nil, errors.New("the text is not known: " + text)
		}
		vectors[i] = v
	}
	return vectors, nil
}

func said(entry, round, agent int32, text string) record.Turn {
	return record.Turn{
		Key:   record.Key{CampaignID: "c", ConditionID: "k", CollaborationID: "a"},
		Entry: entry, Round: round, Agent: &agent, Kind: "ask", Format: "message", Status: "said", Text: &text,
	}
}

func TestOfByHand(t *testing.T) {
	how := language.Method{Rule: language.Portable, Embedder: known{"x": {2, 0}, "y": {0, 2}, "both": {3, 3}, "z": {0, 0}}}
	moderated := said(9, 2, 0, "unknown")
	moderated.Role = "moderator"
	rows, err := how.Of(t.Context(), []record.Turn{
		said(0, 1, 0, "x"), said(1, 1, 1, "y"), said(2, 1, 2, "  "), moderated,
		said(4, 2, 0, "both"), said(5, 2, 1, "x"), said(6, 2, 2, "z"), said(8, 4, 0, "x"),
	})
	if err != nil || len(rows) != 7 {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	// The mean of round 1 is (1, 1): the blank message has no vector. Round 3 has no message.
	for i, want := range []float64{-1, -1, -1, 0, 1 - math.Sqrt2/2, -1, -1} {
		if got := rows[i].Distance; (got == nil) != (want < 0) || got != nil && math.Abs(*got-want) > 1e-12 {
			t.Errorf("entry %d has distance %v, want %v", rows[i].Entry, got, want)
		}
	}
	if r := rows[3]; r.Words != 1 || r.Sentences != 1 || r.Syllables != 1 || math.Abs(*r.Grade+3.4) > 1e-9 || r.Embedder != "known" || r.Rule != "portable" || r.TextHash == "" {
		t.Errorf("%+v", r) // .39 + 11.8 - 15.59
	}
	if _, err := how.Of(t.Context(), []record.Turn{said(0, 1, 0, "never heard")}); err == nil || !strings.Contains(err.Error(), "collaboration a") {
		t.Errorf("error %v", err)
	}
	if rows, err := how.Of(t.Context(), nil); err != nil || rows != nil {
		t.Errorf("a silent collaboration: %v, error %v", rows, err)
	}
}

// lopsided gives too few vectors, or such of different lengths.
type lopsided int

func (lopsided) Name() string { return "lopsided" }

func (l lopsided) Embed(_ context.Context, texts []string) ([][]float64, error) {
	return [][]float64{make([]float64, 2), make([]float64, 3)}[:l], nil
}

func TestWrongVectors(t *testing.T) {
	for says, by := range map[string]lopsided{"1 vectors for 2": 1, "vectors of 2 and of 3 numbers": 2} {
		how := language.Method{Rule: language.Portable, Embedder: by}
		if _, err := how.Of(t.Context(), []record.Turn{said(0, 1, 0, "a"), said(1, 1, 1, "b")}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}

// TestReferenceDistances: the reference's embeddings, taken for messages, have
// its distances as the means of their rounds.
func TestReferenceDistances(t *testing.T) {
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
			vectors, turns := known{}, []record.Turn(nil)
			for r, round := range c.Emb {
				for a, v := range round {
					text := strings.Repeat("word ", len(turns)+1)
					vectors[text] = v
					turns = append(turns, said(int32(len(turns)), int32(r+1), int32(a), text))
				}
			}
			rows, err := language.Method{Rule: language.Portable, Embedder: vectors}.Of(t.Context(), turns)
			if err != nil {
				t.Fatal(err)
			}
			sums, counts := make([]float64, len(c.Emb)), make([]float64, len(c.Emb))
			for _, row := range rows {
				if row.Distance != nil {
					sums[row.Round-1] += *row.Distance
					counts[row.Round-1]++
				}
			}
			for r, d := range want.Distance[c.ID] {
				if (d == nil) != (counts[r] == 0) || d != nil && math.Abs(sums[r]/counts[r]-*d) > 1e-9 {
					t.Fatalf("%s round %d: %v of %v, want %v", c.ID, r+1, sums[r], counts[r], d)
				}
			}
		}
	}
}

// TestTalks: the order is that of the lake, no matter which is measured first; an
// error ends the sequence, and so does a reader that has enough.
func TestTalks(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := laketest.Play(t.Context(), s, "name: spoken\nreplicates: 20\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nmodel: scripted/trader\ngrid: {rule: [ranked, rated]}\n", 0); err != nil {
		t.Fatal(err)
	}
	d, err := lake.ReadDataset(t.Context(), s, "spoken")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for talk, err := range language.DefaultMethod().Talks(t.Context(), s, d) {
		if err != nil {
			t.Fatal(err)
		}
		if talk.Run != d.Members[n].Run || talk.Condition != d.Members[n].Condition || talk.Rounds != 2 || len(talk.Messages) == 0 {
			t.Fatalf("talk %d is %+v", n, talk.Run)
		}
		n++
	}
	if n != 40 {
		t.Errorf("%d talks, want 40", n)
	}
	for range language.DefaultMethod().Talks(t.Context(), s, d) {
		break
	}
	for talk, err := range (language.Method{Rule: language.Portable, Embedder: known{}}).Talks(t.Context(), s, d) {
		if err == nil {
			t.Errorf("%+v is measured", talk.Run)
		}
	}
}

func TestIDs(t *testing.T) {
	portable, textstat := language.DefaultMethod(), language.DefaultMethod()
	textstat.Rule = language.Textstat
	if a, b := portable.ID(), textstat.ID(); a == b || !strings.HasPrefix(a, "hashed-tf-idf-1024-dimensions-") {
		t.Errorf("%s and %s", a, b)
	}
}
