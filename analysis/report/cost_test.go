package report

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/table"
)

func key(condition, collaboration string, generation int32) record.Key {
	return record.Key{SchemaVersion: record.SchemaVersion, CampaignID: "made-up", ConditionID: condition, CollaborationID: collaboration, Generation: generation}
}

func at(hour int) int64 { return time.Date(2026, 3, 1, hour, 30, 0, 0, time.UTC).UnixMicro() }

// answered is a billed call of 100 input tokens (40 cached), 20 output (5 reasoning).
func answered(entry int32, model string, usd *float64, ms int64) record.Call {
	return record.Call{
		Entry: entry, ModelAsked: model, ModelAnswered: model + "-a", Status: "answered", CostUSD: usd, LatencyMS: &ms, StartedAt: at(1),
		InputTokens: p(int64(100)), CachedInputTokens: p(int64(40)), OutputTokens: p(int64(20)), ReasoningTokens: p(int64(5)),
	}
}

func unknown(entry int32, worst *float64) record.Call {
	return record.Call{Entry: entry, Attempt: 1, ModelAsked: "m/1", Status: "unknown", WorstUSD: worst, StartedAt: at(1)}
}

func fromCache(entry int32) record.Call {
	c := answered(entry, "m/1", nil, 1)
	c.Cached = true
	return c
}

// commit writes one collaboration to a store, as activities/commits does.
func commit(t *testing.T, s store.Store, k record.Key, calls []record.Call, phases ...string) {
	t.Helper()
	m := lake.Marker{
		Campaign: k.CampaignID, Condition: k.ConditionID, Collaboration: k.CollaborationID, Generation: int(k.Generation),
		SchemaVersion: record.SchemaVersion, Status: "succeeded", Files: map[string]lake.File{},
	}
	var turns []record.Turn
	for i, phase := range phases {
		name, role, _ := strings.Cut(phase, "/")
		turns = append(turns, record.Turn{Key: k, Entry: int32(i), Phase: name, Role: role, Kind: "ask"})
	}
	for i := range calls {
		calls[i].Key = k
	}
	put(t, s, &m, []record.Collaboration{{Key: k, Status: "succeeded", Simulated: k.ConditionID == "scripted"}})
	put(t, s, &m, turns)
	put(t, s, &m, calls)
	data, err := lake.Seal(m.Key(), m)
	if err == nil {
		err = s.PutIfAbsent(context.Background(), m.Key(), data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func put[T record.Row](t *testing.T, s store.Store, m *lake.Marker, rows []T) {
	t.Helper()
	if len(rows) == 0 {
		return
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b)
	_, err := w.Write(rows)
	if err == nil {
		err = w.Close()
	}
	table := rows[0].Table()
	if err == nil {
		m.Files[table] = lake.FileOf(m.FileKey(table), len(rows), b.Bytes())
		err = s.PutIfAbsent(context.Background(), m.FileKey(table), b.Bytes())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// madeUp is a campaign that can be summed up by hand.
func madeUp(t *testing.T) store.Store {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	phases := []string{"message", "message/moderator", "vote"}
	commit(t, s, key("majority", "a", 0), []record.Call{
		answered(0, "m/1", p(.10), 100), answered(1, "m/2", p(.30), 400), answered(2, "m/1", p(.20), 300), unknown(2, p(.5)),
	}, phases...)
	commit(t, s, key("majority", "a", 1), []record.Call{answered(0, "m/1", p(.10), 200), fromCache(1)}, phases...)
	commit(t, s, key("unanimous", "b", 0), []record.Call{answered(0, "m/1", nil, 500), answered(7, "m/1", p(.05), 600)}, phases[:1]...)
	return s
}

func load(t *testing.T, s store.Store, by campaign.SpendingBy) campaign.Spending {
	t.Helper()
	r, err := campaign.LoadSpending(context.Background(), s, "made-up", by)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// cells are a row's values under their columns.
func cells(t *testing.T, table table.Table, label ...string) map[string]string {
	t.Helper()
	for _, row := range table.Rows {
		found := map[string]string{}
		for i, c := range row {
			found[table.Columns[i]] = c.String()
		}
		if found[table.Columns[0]] == label[0] && (len(label) == 1 || found["role"] == label[1]) {
			return found
		}
	}
	t.Fatalf("no row %q in %v", label, table.Rows)
	return nil
}

func TestCostByTier(t *testing.T) {
	s := madeUp(t)
	flex := answered(0, "m/1", p(.25), 100)
	flex.Tier, flex.SavedUSD = p("flex"), p(.25)
	commit(t, s, key("majority", "c", 0), []record.Call{flex}, "message")
	table := CostTable(load(t, s, campaign.ByTier))
	for label, want := range map[string][3]string{
		"flex": {"1", "0.2500", "0.2500"}, "standard": {"6", "0.7500", "0.0000"}, "none: from the cache": {"0", "0.0000", "0.0000"}, "all": {"7", "1.0000", "0.2500"},
	} {
		row := cells(t, table, label)
		if got := [3]string{row["answered"], row["cost USD"], row["saved USD"]}; got != want {
			t.Errorf("%s: %v, want %v", label, got, want)
		}
	}
	if notes := strings.Join(table.Notes, "\n"); !strings.Contains(notes, "saved $0.2500 against the standard one") {
		t.Errorf("notes %s", notes)
	}
}

func TestCostByHand(t *testing.T) {
	s := madeUp(t)
	for _, x := range []struct {
		by    campaign.SpendingBy
		label []string
		want  map[string]string
	}{
		{campaign.ByCondition, []string{"majority"}, map[string]string{
			"collaborations": "2", "answered": "4", "cached": "1", "unknown": "1",
			"input tokens": "400", "of them cached": "160", "output tokens": "80", "of them reasoning": "20",
			"cost USD": "0.7000", "worst USD": "1.2000", "USD/collaboration": "0.350000", "USD/answer": "0.175000",
			"p50 s": "0.20", "p95 s": "0.40", // of .1 .2 .3 .4
		}},
		{campaign.ByCondition, []string{"unanimous"}, map[string]string{ // one of two calls has no price
			"answered": "2", "cached": "0", "unknown": "0", "cost USD": "0.0500", "worst USD": "", "USD/collaboration": "", "USD/answer": "0.050000",
		}},
		{campaign.ByCondition, []string{"all"}, map[string]string{
			"collaborations": "3", "answered": "6", "input tokens": "600", "cost USD": "0.7500", "USD/answer": "0.150000", "p50 s": "0.30", "p95 s": "0.60",
		}},
		{campaign.ByModel, []string{"m/1"}, map[string]string{"collaborations": "3", "answered": "5", "cached": "1", "unknown": "1", "cost USD": "0.4500"}},
		{campaign.ByModel, []string{"m/2"}, map[string]string{"collaborations": "1", "answered": "1", "cost USD": "0.3000", "worst USD": "0.3000", "p50 s": "0.40"}},
		{campaign.ByPhase, []string{"message", ""}, map[string]string{"collaborations": "3", "answered": "3", "cost USD": "0.2000"}},
		{campaign.ByPhase, []string{"message", "moderator"}, map[string]string{"collaborations": "2", "answered": "1", "cached": "1", "cost USD": "0.3000"}},
		{campaign.ByPhase, []string{"vote", ""}, map[string]string{"answered": "1", "unknown": "1", "worst USD": "0.7000"}},
		{campaign.ByPhase, []string{"unfinished turns", ""}, map[string]string{"answered": "1", "cost USD": "0.0500"}},
	} {
		got := cells(t, CostTable(load(t, s, x.by)), x.label...)
		for column, want := range x.want {
			if got[column] != want {
				t.Errorf("by %s, %s: %s is %q, want %q", x.by, x.label, column, got[column], want)
			}
		}
	}
}

func TestNotesSayWhatIsNotKnown(t *testing.T) {
	says := func(r campaign.Spending, wanted ...string) {
		t.Helper()
		notes := strings.Join(CostTable(r).Notes, "\n")
		for _, w := range wanted {
			if !strings.Contains(notes, w) {
				t.Errorf("the notes do not say %q:\n%s", w, notes)
			}
		}
	}
	s := madeUp(t)
	r := load(t, s, campaign.ByCondition)
	says(r, "Without a known price: 1 call.", "1 earlier generations are counted", "how many are planned is not known", "perhaps billed")
	r.Planned = 5
	says(r, "3 of 5 cells are running or still to come")
	r.Planned = 2
	if notes := strings.Join(CostTable(r).Notes, "\n"); strings.Contains(notes, "to come") || strings.Contains(notes, "WARNING") || strings.Contains(notes, "SIMULATED") {
		t.Errorf("a complete campaign of one snapshot says\n%s", notes)
	}
	commit(t, s, key("scripted", "c", 0), []record.Call{unknown(0, nil)}, "vote")
	r = load(t, s, campaign.ByCondition)
	says(r, table.Simulated+", in 1 of 4", "What 1 call of unknown outcome cost at most is not known")
	if got := cells(t, CostTable(r), "scripted"); got["worst USD"] != "" || got["p50 s"] != "" || got["USD/answer"] != "" {
		t.Errorf("a call without a bound: %v", got)
	}
}

func TestChangedModelIsNamed(t *testing.T) {
	s := madeUp(t)
	late, later := answered(0, "m/1", nil, 1), answered(1, "m/1", nil, 1)
	late.ModelAnswered, late.StartedAt = "m/1-b", at(5)
	later.ModelAnswered, later.StartedAt = "m/1-b", at(7)
	commit(t, s, key("majority", "d", 0), []record.Call{later, late}, "message", "vote")
	changed := load(t, s, campaign.ByModel).Changed()
	want := []string{"m/1 was answered by 2 models: m/1-a (6 calls, 2026-03-01 01:30 to 2026-03-01 01:30 UTC); m/1-b (2 calls, 2026-03-01 05:30 to 2026-03-01 07:30 UTC)."}
	if !slices.Equal(changed, want) {
		t.Errorf("%q, want %q", changed, want)
	}
	if text := CostTable(load(t, s, campaign.ByModel)).Text(); !strings.Contains(text, "WARNING: m/1 was answered by 2 models") {
		t.Errorf("no warning in\n%s", text)
	}
}

func TestLoadRefuses(t *testing.T) {
	s := madeUp(t)
	if _, err := campaign.LoadSpending(context.Background(), s, "made-up", "mood"); err == nil || !strings.Contains(err.Error(), "there is condition, model, phase or tier") {
		t.Errorf("by mood: %v", err)
	}
	empty, err := campaign.LoadSpending(context.Background(), s, "another", campaign.ByPhase)
	if err != nil || len(empty.Groups) != 0 || len(CostTable(empty).Rows) != 1 {
		t.Errorf("nothing costs %+v, %v", empty, err)
	}
}
