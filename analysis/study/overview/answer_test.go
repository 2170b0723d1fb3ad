package overview

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/workflows/until"
)

// answeredCampaign is one with a question: 25 instances of qa by rules a and b, at value 1
// and 0 of another axis, where b's cells at 0 have failed in 5 instances.
func answeredCampaign(method string) campaign.Campaign {
	c := campaign.Campaign{Name: "made-up", Question: &campaign.Question{Question: until.Question{
		Compare: "rule", Measure: until.Score, Method: method, High: 1, Level: .05, Ahead: 4, Smallest: .3,
	}}}
	q := c.Question
	for _, rule := range []string{"a", "b"} {
		l := until.Level{Name: rule}
		for x := range 2 {
			id := fmt.Sprint(rule, x, "-1")
			l.Members = append(l.Members, until.Member{Condition: id, Env: "qa", Others: fmt.Sprint("x=", x)})
			condition := until.Condition{ID: id, Env: "qa"}
			for i := range 25 {
				condition.Instances = append(condition.Instances, i)
				r := asked(fmt.Sprint(rule, x), i, 0, float64(x))
				if rule == "b" && x == 0 && i < 5 {
					r.Status = "failed"
				}
				c.Runs = append(c.Runs, r)
			}
			q.Grid.Conditions = append(q.Grid.Conditions, condition)
		}
		q.Levels = append(q.Levels, l)
	}
	for i := range q.Grid.Conditions {
		q.Grid.Conditions[i].Replicates = 1
	}
	return c
}

// Rules that score alike differ by 0 although cells of one of them have failed where scores
// are low, and the table says what it left out.
func TestAnswerComparesPairs(t *testing.T) {
	c := answeredCampaign(until.Betting)
	c.Question.Width, c.Question.Smallest = .01, 0 // so that all are looked at
	got, ok := Answer(c)
	if !ok || len(got.Rows) != 1 {
		t.Fatalf("%+v", got)
	}
	row := analysistest.ByColumn(got, got.Rows[0])
	analysistest.Near(t, "A - B", row["A - B"].Value, 0)
	analysistest.Near(t, "n", row["n"].Value, 25)
	if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "a - b: 5 pairs left out") {
		t.Error(notes)
	}
}

// Where all differences are alike the asymptotic method has no interval, and the table says why.
func TestAnswerSaysWhyThereIsNoInterval(t *testing.T) {
	got, _ := Answer(answeredCampaign(until.Asymptotic))
	if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "a - b has no interval yet: the differences are all alike, so how they vary is not known (n = 25)") {
		t.Error(notes)
	}
}

// Cells that cancel has stopped have not ended: their units are not looked at.
func TestAnswerWaitsForCancelledCells(t *testing.T) {
	c := answeredCampaign(until.Betting)
	for i := range c.Runs {
		if c.Runs[i].Instance >= 3 {
			c.Runs[i].Status, c.Runs[i].Failure = record.Stopped, new("cancelled before it began")
		}
	}
	got, _ := Answer(c)
	row := analysistest.ByColumn(got, got.Rows[0])
	if row["answer"].Text != "open" || !strings.Contains(got.Notes[0], " of 25 looked at, in an order drawn by the seed") || strings.HasPrefix(got.Notes[0], "25 units") {
		t.Errorf("%+v\n%s", row["answer"], got.Notes[0])
	}
}

// With several environments it says how many units of each there are.
func TestAnswerSaysWhichEnvironments(t *testing.T) {
	c := answeredCampaign(until.Betting)
	q := c.Question
	q.Width, q.Smallest = .01, 0
	for l := range q.Levels {
		q.Levels[l].Members[0].Env = "other"
		q.Grid.Conditions[2*l].Env = "other"
		q.Grid.Conditions[2*l].Instances = []int{0}
	}
	got, _ := Answer(c)
	notes := strings.Join(got.Notes, "\n")
	for _, want := range []string{"Units by environment: ", "25 of 25 of qa", "1 of 1 of qa", "An environment weighs as many as it has units."} {
		if !strings.Contains(notes, want) {
			t.Errorf("want %q in\n%s", want, notes)
		}
	}
}

// Only a question that is open when all units are looked at is open at the end, and the table says what was saved.
func TestAnswerSaysHowItEnded(t *testing.T) {
	for _, x := range []struct {
		method, want, saved string
		unneeded            int
	}{
		{until.Betting, "too small to matter", "No cell is saved (yet)", 0},
		{until.Asymptotic, "open at the end", "No cell is saved (yet)", 0},
		{until.Betting, "open", "Saved against the whole plan: 1 of 95 cells,", 1},
	} {
		c := answeredCampaign(x.method)
		for i := range x.unneeded {
			r := &c.Runs[len(c.Runs)-1-i]
			r.Status, r.Failure = record.Stopped, new(record.Answered)
		}
		got, _ := Answer(c)
		answer := analysistest.ByColumn(got, got.Rows[0])["answer"].Text
		if notes := strings.Join(got.Notes, "\n"); answer != x.want || !strings.Contains(notes, x.saved) {
			t.Errorf("%s, %d cells not needed: %q; want %q and %q in\n%s", x.method, x.unneeded, answer, x.want, x.saved, notes)
		}
	}
}
