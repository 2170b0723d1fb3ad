package discussion

import (
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/record"
	"roundtable/analysis/table"
)

// Asked is what a collaboration's questions took, no matter which campaign paid for the answers:
// those that the cache gave count too, so that conditions that share answers
// are not cheaper for it.
type Asked struct{ Calls, Input, Output int64 }

// ReadAsked keeps what the questions took.
func ReadAsked(r *campaign.Run, rows record.Rows) error {
	var a Asked
	for _, c := range rows.Calls {
		if c.Status != "answered" {
			continue
		}
		a.Calls++
		if c.InputTokens != nil && c.OutputTokens != nil {
			a.Input, a.Output = a.Input+*c.InputTokens, a.Output+*c.OutputTokens
		}
	}
	campaign.Keep(&r.Parts, a)
	return nil
}

func askedOf(r campaign.Run) Asked { return campaign.Part[Asked](r.Parts) }

func askedCalls(r campaign.Run) (float64, bool)  { return float64(askedOf(r).Calls), true }
func askedInput(r campaign.Run) (float64, bool)  { return float64(askedOf(r).Input), true }
func askedOutput(r campaign.Run) (float64, bool) { return float64(askedOf(r).Output), true }
func askedTokens(r campaign.Run) (float64, bool) {
	return float64(askedOf(r).Input + askedOf(r).Output), true
}

// Computes say what a discussion takes, and how many times as much as one
// agent alone (paper 2, §4.1: about five for consensus, ten for voting).
func Computes(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := d.Start("Discussion: calls and tokens a question (paper 2, §4.1)")
	t.Columns = append([]string{"data set"}, t.Columns...)
	t.Columns = append(t.Columns, "rounds", "calls", "input tokens", "output tokens", "calls ×", "tokens ×", "accuracy", "n")
	for _, x := range d.all {
		row := append([]table.Cell{table.Word(x.task)}, x.label()...)
		rounds := func(r campaign.Run) (float64, bool) { return float64(r.RoundsRun), true }
		row = append(row, x.mean(2, rounds), x.mean(2, askedCalls), x.mean(1, askedInput), x.mean(1, askedOutput))
		row = append(row, d.times(x, askedCalls), d.times(x, askedTokens))
		t.Rows = append(t.Rows, append(row, x.scores().Mean(), table.Count(len(x.Succeeded()))))
	}
	t.Notes = []string{
		"Mean a collaboration (standard error), re-asks and answers from the cache included. Times: the mean over that of the single agent on the same data set.",
	}
	d.notes(&t)
	return t, len(d.Groups) > 0 && slices.ContainsFunc(c.Runs, func(r campaign.Run) bool { return askedOf(r).Calls > 0 })
}

func (x discussed) mean(decimals int, measure func(campaign.Run) (float64, bool)) table.Cell {
	return campaign.MeanCell(x.Succeeded(), decimals, measure)
}

// times the mean of the single agent.
func (d discussions) times(x discussed, measure func(campaign.Run) (float64, bool)) table.Cell {
	one, ok := d.reference(x)
	if !ok {
		return table.Cell{}
	}
	mine, theirs := x.mean(0, measure), one.mean(0, measure)
	if mine.Value == nil || theirs.Value == nil || *theirs.Value == 0 {
		return table.Cell{}
	}
	return table.Number(*mine.Value / *theirs.Value, 1)
}
