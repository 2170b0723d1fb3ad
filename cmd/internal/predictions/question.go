package predictions

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"roundtable/activities/asking"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/envs/wording"
	"roundtable/workflows/until"
)

// Question is how many cells a campaign's question takes, by simulated campaigns.
type Question struct {
	Basis string     `json:"basis"` // what they are drawn from
	Goal  string     `json:"goal"`
	Cells int        `json:"cells"` // of the plan
	Cases []caseThat `json:"cases,omitempty"`
}

// caseThat is what is predicted if something is so.
type caseThat struct {
	If string `json:"if"`
	until.Prediction
}

// enough complete units with a difference are drawn from again; of fewer there are too few
// different ones.
const enough = 8

// predictQuestion simulates campaigns. It draws from the units that the campaign has
// ended, as those of a pilot, or, without these, from the worst case.
func predictQuestion(ctx context.Context, s store.Store, p campaign.Plan, q until.Question) (*Question, error) {
	known, err := asking.NewReader(s).Complete(ctx, p.Campaign, q)
	if err != nil {
		return nil, err
	}
	d := until.NewDesign(q, p.Campaign.QuestionGrid())
	out := &Question{Goal: q.Goal(), Cells: p.Campaign.Size()}
	add := func(title string, draw until.Draw) error {
		predicted, err := d.Predict(draw, q.Seed)
		out.Cases = append(out.Cases, caseThat{title, predicted})
		return err
	}
	if isEnough(known) {
		out.Basis = fmt.Sprintf("%s of the campaign that have ended, drawn again", wording.Count(len(known), "unit"))
		return out, add("all units are as these", until.Resample(known))
	}
	if q.Method == until.Asymptotic && q.Width+q.Smallest > 0 {
		out.Basis = fmt.Sprintf("nothing: how %s spreads is not known, and it has no bounds; --pilot finds out", q.Measure)
		return out, nil
	}
	out.Basis = fmt.Sprintf("values at either bound of %s, independent of each other: the widest spread that there can be, with a standard deviation of %.2f of the difference; --pilot draws from what it finds", q.Measure, (q.High-q.Low)/math.Sqrt2)
	if q.Method == until.Asymptotic {
		out.Basis = "normal differences"
	}
	if err := add("no level differs", q.Worst(0)); err != nil {
		return nil, err
	}
	return out, add(fmt.Sprintf("%s differs from each other level by half a standard deviation",
		q.Levels[q.Best()].Name), q.Worst(.5))
}

// isEnough reports whether each comparison has enough differences to draw from.
func isEnough(units [][]until.Observation) bool {
	var n []int
	for _, u := range units {
		if n == nil {
			n = make([]int, len(u))
		}
		for i, o := range u {
			if o.Difference != nil {
				n[i]++
			}
		}
	}
	return len(n) > 0 && slices.Min(n) >= enough
}

// print prints it on standard output.
func (q Question) print() {
	fmt.Printf("\nCells of %d until the question is answered (%s), in 95 %% of simulated campaigns, by %s:\n", q.Cells,
		q.Goal, q.Basis)
	if len(q.Cases) == 0 {
		return
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"if", "from", "about", "to", "answered"})
	for _, c := range q.Cases {
		t.AppendRow(table.Row{c.If, c.Low, fmt.Sprintf("%.0f", c.Mean), c.High, fmt.Sprintf("%.0f %%", 100*c.Answered)})
	}
	fmt.Fprintln(os.Stdout, t.Render())
}
