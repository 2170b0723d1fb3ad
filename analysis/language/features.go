package language

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"roundtable/analysis/lake/record"
)

// Method is how messages are measured.
type Method struct {
	Rule     Rule
	Embedder Embedder
}

// DefaultMethod returns the method that needs no service and is the same everywhere.
func DefaultMethod() Method { return Method{Portable, Hashed{}} }

// ID returns the method's id for keys of the lake.
func (m Method) ID() string { return EmbedderID(m.Embedder.Name(), string(m.Rule)) }

// Of measures the messages of one collaboration and returns a row for each, by entry.
func (m Method) Of(ctx context.Context, turns []record.Turn) ([]record.Feature, error) {
	var rows []record.Feature
	english := IsEnglish(TextsOf(turns))
	var texts []string // of rows that say something
	var at []int       // which rows these are
	for _, t := range turns {
		if !t.IsMessage() {
			continue
		}
		if hasText(t) {
			at, texts = append(at, len(rows)), append(texts, *t.Text)
		}
		rows = append(rows, m.count(t, english))
	}
	if len(texts) == 0 {
		return rows, nil
	}
	vectors, err := m.Embedder.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embedding the messages of collaboration %s: %w", rows[0].CollaborationID, err)
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("%s gave %d vectors for %d messages of collaboration %s", m.Embedder.Name(),
			len(vectors), len(texts), rows[0].CollaborationID)
	}
	rounds := map[int32][]int{} // which texts
	for i, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("%s gave vectors of %d and of %d numbers", m.Embedder.Name(),
				len(vectors[0]), len(v))
		}
		round := rows[at[i]].Round
		rounds[round] = append(rounds[round], i)
	}
	for round, now := range rounds {
		for i, d := range Distances(pickVectors(vectors, rounds[round-1]), pickVectors(vectors, now)) {
			rows[at[now[i]]].Distance = d
		}
	}
	return rows, nil
}

// TextsOf returns the texts of turns that Method.Of embeds.
func TextsOf(turns []record.Turn) []string {
	var texts []string
	for _, t := range turns {
		if t.IsMessage() && hasText(t) {
			texts = append(texts, *t.Text)
		}
	}
	return texts
}

// hasText reports whether a message says something: some endpoints refuse an empty text.
func hasText(t record.Turn) bool { return strings.TrimSpace(*t.Text) != "" }

func pickVectors(vectors [][]float64, which []int) [][]float64 {
	chosen := make([][]float64, len(which))
	for i, n := range which {
		chosen[i] = vectors[n]
	}
	return chosen
}

// count returns what needs no embedding; the grade of English only.
func (m Method) count(t record.Turn, english bool) record.Feature {
	counts, sum := m.Rule.Count(*t.Text), sha256.Sum256([]byte(*t.Text))
	words := counts.Words
	if m.Rule != Portable {
		words = Words(*t.Text)
	}
	f := record.Feature{
		Key: t.Key, Embedder: m.Embedder.Name(), Rule: string(m.Rule), Entry: t.Entry, Round: t.Round, Agent: *t.Agent,
		Simulated: t.ModelSimulated,
		TextHash:  hex.EncodeToString(sum[:]), Words: int32(words), Sentences: int32(counts.Sentences),
		Syllables: int32(counts.Syllables),
	}
	if english {
		f.Grade = new(counts.Grade())
	}
	f.SchemaVersion = record.SchemaVersion
	return f
}
