package figures

import (
	"bytes"
	"fmt"
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/overview"
	"roundtable/analysis/table"
)

// costly gives the made-up runs tokens and a price.
func costly(c campaign.Campaign) campaign.Campaign {
	for i := range c.Runs {
		c.Runs[i].Asked = campaign.Asked{Input: int64(1000 + 100*i), USD: 0.001 * float64(1+i%3)}
	}
	return c
}

// Each point is a row of the table front, and the dashed line joins those that nothing
// dominates there.
func TestFrontIsTheTableFront(t *testing.T) {
	c := costly(ended(economy()))
	rows, ok := overview.Front(c)
	if !ok {
		t.Fatal("no table")
	}
	f := made(t, c, "front")
	if len(f.Panels) != 2 || f.Panels[0].X != "tokens" || f.Panels[1].X != "USD" {
		t.Fatalf("panels %+v", f.Panels)
	}
	for _, p := range f.Panels {
		drawn, listed, best := map[string]bool{}, map[string]bool{}, 0
		for _, line := range p.Lines[:len(p.Lines)-1] {
			drawn[written(&line.Points[0].X)+written(line.Points[0].Value)+written(line.Points[0].Low)] = true
		}
		for _, row := range rows.Rows {
			cells := map[string]table.Cell{}
			for i, name := range rows.Columns {
				cells[name] = row[i]
			}
			listed[written(cells[p.X].Value)+written(cells["outcome"].Value)+written(cells["low"].Value)] = true
			if cells["dominated in "+p.X+" by"].Text == "" {
				best++
			}
		}
		if fmt.Sprint(drawn) != fmt.Sprint(listed) || len(p.Lines[len(p.Lines)-1].Dashes) != best {
			t.Errorf("%s: drawn is\n%v, the table has\n%v, of which %d are the front", p.X, drawn, listed, best)
		}
	}
	var once, again bytes.Buffer
	for _, w := range []*bytes.Buffer{&once, &again} {
		if err := f.Write(w, "svg"); err != nil {
			t.Fatal(err)
		}
	}
	if once.Len() < 1000 || !bytes.Equal(once.Bytes(), again.Bytes()) {
		t.Errorf("drawn in %d and %d bytes", once.Len(), again.Len())
	}
}
