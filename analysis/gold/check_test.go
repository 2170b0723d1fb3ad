package gold_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

// coded is a store with two draws that ada has coded.
type coded struct {
	*storetest.Memory
	draws []gold.Draw
}

func newCoded(t *testing.T) coded {
	t.Helper()
	c := coded{Memory: storetest.NewMemory(map[string]string{})}
	for _, asked := range []int{60, 90} {
		d, err := gold.New(request(asked, 1), candidates(1, 10, 4, 3), c.draws)
		if err != nil {
			t.Fatal(err)
		}
		c.draws = append(c.draws, d)
		c.write(t, len(c.draws)-1)
		c.code(t, len(c.draws)-1, "ada")
	}
	return c
}

// write stores a draw with its items.
func (c coded) write(t *testing.T, at int) {
	t.Helper()
	d := &c.draws[at]
	d.Blocks = d.Arrange()
	for n, b := range d.Blocks {
		for entry := (b.First - 1) * 3; entry < b.Last*3; entry++ {
			d.Blocks[n].Items = append(d.Blocks[n].Items, gold.Item{ID: fmt.Sprint(n, entry), Entry: entry, Round: entry/3 + 1, Agent: entry % 3, Hash: fmt.Sprint("of ", b.Collaboration, entry)})
		}
	}
	if err := gold.WriteDraw(t.Context(), c, *d); err != nil {
		t.Fatal(err)
	}
}

func (c coded) code(t *testing.T, at int, coder string) {
	t.Helper()
	d := c.draws[at]
	rows := map[lake.Run][]record.GoldLabel{}
	for _, b := range d.Blocks {
		for _, i := range b.Items {
			labels, _ := json.Marshal([]string{"Inform"})
			key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: "c", ConditionID: "k0", CollaborationID: b.Collaboration}
			rows[b.Run] = append(rows[b.Run], record.GoldLabel{Key: key, CodeBook: "acts", Coder: coder, Draw: int32(d.Number), Entry: int32(i.Entry), Round: int32(i.Round), Agent: int32(i.Agent), Labels: string(labels), TextHash: i.Hash})
		}
	}
	for run, labels := range rows {
		m := lake.Marker{Campaign: "c", Condition: "k0", Collaboration: run.Collaboration, By: gold.By("acts", coder, d.Number), Table: record.Gold, Status: record.Succeeded}
		if _, err := commits.CommitAnnotations(t.Context(), c, m, labels); err != nil {
			t.Fatal(err)
		}
	}
}

// wrong returns what Check finds, as one text.
func (c coded) wrong(t *testing.T) string {
	t.Helper()
	problems, err := gold.Check(t.Context(), c, "c")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range problems {
		all = append(all, p.Object+": "+p.Problem)
	}
	return strings.Join(all, "\n")
}

// TestWhole: nothing is wrong with what is whole, and both draws count.
func TestWhole(t *testing.T) {
	c := newCoded(t)
	if got := c.wrong(t); got != "" {
		t.Error(got)
	}
	s, err := gold.Load(t.Context(), c, "c", "acts")
	if err != nil || len(s.Draws) != 2 || len(s.Lost)+len(s.Foreign)+len(s.Partial) > 0 {
		t.Errorf("%+v, error %v", s, err)
	}
	for _, run := range s.Draws[1].Frame {
		if n, ok := s.Stratum(run.Run); !ok || n != 0 && n != 1 {
			t.Errorf("%v is of stratum %d, %t", run, n, ok)
		}
	}
	if _, ok := s.Stratum(lake.Run{Collaboration: "k9-i0-r0"}); ok {
		t.Error("what could not be drawn has a stratum")
	}
	if _, ok := (*gold.Sample)(nil).Stratum(s.Draws[0].Frame[0].Run); ok {
		t.Error("there is a stratum without a sample")
	}
}

// TestMissingDraw: the first draw is not an end of draws if it is missing, and labels of a draw that is
// missing are reported.
func TestMissingDraw(t *testing.T) {
	c := newCoded(t)
	first, last := gold.Key("c", "acts", 1), gold.Key("c", "acts", 2)
	kept := c.Objects[first]
	delete(c.Objects, first)
	if _, err := gold.Load(t.Context(), c, "c", "acts"); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "draw-1.json is missing") {
		t.Errorf("without the first: %v", err)
	}
	if got := c.wrong(t); !strings.Contains(got, "draw-1.json: the draw is missing, and ada coded it") {
		t.Errorf("without the first: %q", got)
	}
	c.Objects[first] = kept
	delete(c.Objects, last)
	s, err := gold.Load(t.Context(), c, "c", "acts")
	if err != nil || len(s.Draws) != 1 || fmt.Sprint(s.Lost) != "[ada]" {
		t.Errorf("without the last: %+v, error %v", s, err)
	}
	if got := c.wrong(t); !strings.Contains(got, "draw-2.json: the draw is missing, and ada coded it") {
		t.Errorf("without the last: %q", got)
	}
	if lost, err := gold.LostCoders(t.Context(), c, "c", "acts", 1); err != nil || len(lost) != 1 || lost[0].Draw != 2 {
		t.Errorf("%+v, error %v", lost, err)
	}
}

// TestOtherDraw: labels do not pass for labels of another draw in place of theirs, though there
// are as many.
func TestOtherDraw(t *testing.T) {
	c := newCoded(t)
	for n := range 2 {
		delete(c.Objects, gold.Key("c", "acts", n+1))
	}
	other, err := gold.New(request(60, 7), candidates(1, 10, 4, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.draws = []gold.Draw{other}
	c.write(t, 0)
	s, err := gold.Load(t.Context(), c, "c", "acts")
	if err != nil || !s.IsEmpty() || s.Waiting != 1 || fmt.Sprint(s.Foreign) != "[ada]" {
		t.Errorf("%+v, error %v", s, err)
	}
	if got := c.wrong(t); !strings.Contains(got, "gold labels of draw 1 (acts) by ada: ") || !strings.Contains(got, "of no item of the draw") {
		t.Error(got)
	}
}

// TestOtherText: labels of an item whose text was another are none.
func TestOtherText(t *testing.T) {
	c := newCoded(t)
	delete(c.Objects, gold.Key("c", "acts", 2))
	c.draws[1].Blocks[0].Items[0].Hash = "of another text"
	if err := gold.WriteDraw(t.Context(), c, c.draws[1]); err != nil {
		t.Fatal(err)
	}
	if got := c.wrong(t); !strings.Contains(got, "draw 2 (acts) by ada: 1 row of them") || !strings.Contains(got, "1 of ") {
		t.Error(got)
	}
}

// TestLostMarker: a coder of whom a part is missing is left out, and found.
func TestLostMarker(t *testing.T) {
	c := newCoded(t)
	c.code(t, 0, "ben")
	for key := range c.Objects {
		if strings.Contains(key, "_commits/gold") && strings.Contains(key, "acts.ben.1") {
			delete(c.Objects, key)
			break
		}
	}
	s, err := gold.Load(t.Context(), c, "c", "acts")
	if err != nil || fmt.Sprint(s.Codings[0].Coders) != "[ada]" || fmt.Sprint(s.Partial) != "[ben]" {
		t.Errorf("%+v, error %v", s, err)
	}
	if got := c.wrong(t); !strings.Contains(got, "draw 1 (acts) by ben: ") || !strings.Contains(got, "items have none") {
		t.Error(got)
	}
}
