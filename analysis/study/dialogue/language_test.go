package dialogue

import (
	"math"
	"strings"
	"testing"

	"roundtable/activities/laketest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
)

// TestTable8 measures a scripted campaign and recounts it from its turns.
func TestTable8(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if err := laketest.Play(t.Context(), s, "name: spoken\nreplicates: 3\nenv: exchange\nprotocol: {name: roundtable, rounds: 3}\nmodel: scripted/trader\nrule: ranked\n", 0); err != nil {
		t.Fatal(err)
	}
	c, err := campaign.Load(t.Context(), s, "spoken", SpeechStudy().Readers[0],
		campaign.Keeping[[]RoundLanguage]("", MeasureLanguage(t.Context(), language.DefaultMethod())))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := messageLanguage(c); ok {
		t.Error("there is a table without measures")
	}
	table, ok := messageLanguage(WithLanguage(c, Language{language.DefaultMethod().Embedder.Name(), language.DefaultMethod().Rule}))
	if !ok || len(table.Rows) != 3 || LanguageMeasure(c) != nil {
		t.Fatalf("%d rows", len(table.Rows))
	}
	markers, err := lake.Committed(t.Context(), s, "spoken")
	if err != nil {
		t.Fatal(err)
	}
	words := map[int32][]float64{}            // by round: means of the collaborations
	byRun := map[string]map[int32][]float64{} // words of messages, by collaboration and round
	for turn, err := range lake.ReadTable[record.Turn](t.Context(), s, markers) {
		if err != nil {
			t.Fatal(err)
		}
		if turn.IsMessage() {
			if byRun[turn.CollaborationID] == nil {
				byRun[turn.CollaborationID] = map[int32][]float64{}
			}
			byRun[turn.CollaborationID][turn.Round] = append(byRun[turn.CollaborationID][turn.Round], float64(len(strings.Fields(*turn.Text))))
		}
	}
	for _, rounds := range byRun {
		for r, list := range rounds {
			sum := 0.
			for _, n := range list {
				sum += n / float64(len(list))
			}
			words[r] = append(words[r], sum)
		}
	}
	for r := range 3 {
		want := 0.
		for _, n := range words[int32(r+1)] {
			want += n / float64(len(words[int32(r+1)]))
		}
		if got := table.Rows[0][2+r]; got.N != 3 || math.Abs(*got.Value-want) > 1e-9 {
			t.Errorf("words in round %d: %v, want %v", r+1, got, want)
		}
	}
	if grade := table.Rows[1][2]; grade.Value == nil {
		t.Error("scripted agents speak English, and their messages have no grade")
	}
	distances := table.Rows[2]
	if distances[2].Value != nil {
		t.Errorf("the first round has the distance %v", distances[2])
	}
	for _, d := range distances[3:5] {
		if d.Value == nil || *d.Value < 0 || *d.Value > 1 {
			t.Errorf("distances are %v", distances[2:5])
		}
	}
	notes := strings.Join(table.Notes, "\n")
	if !strings.Contains(notes, "hashed TF-IDF (1024 dimensions, rarity within a collaboration)") || !strings.Contains(notes, "portable") || !strings.Contains(notes, "SIMULATED") {
		t.Errorf("notes:\n%s", notes)
	}
}
