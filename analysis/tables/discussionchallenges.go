package tables

import (
	"slices"

	"roundtable/analysis/metrics"
	"roundtable/analysis/record"
)

const challengeKey = "protocol.challenge"

// challenged is what an agent makes of a final answer that it is shown: it
// agrees by its ballot, or challenges it. Made-up answers are never right.
func (r Run) challenged(t record.Turn) metrics.Challenge {
	c := metrics.Challenge{Challenged: !agrees(t)}
	if kind := flatten([]byte(r.SettingsJSON))[challengeKey]; kind != "irrelevant" && kind != "wrong" {
		c.Before = r.right()
	}
	if c.After = c.Before; c.Challenged && t.ProposalKey != nil {
		c.After = right(t)
	}
	return c
}

// Challenges are Figures 6 and 7 of paper 2: how many agents challenge the final
// answer by what they are shown, and what comes of it.
func (c Campaign) Challenges() (Table, bool) {
	d := c.discussions()
	t := Table{Name: "2.challenge", Title: "Discussion: challenges of the final answer, % of agents (paper 2, Figures 6 and 7)", Columns: []string{"data set", "shown"}}
	others := d.without(func(key string) bool { return key == challengeKey })
	t.Columns = append(append(t.Columns, others.labels...), "challenged", "improved", "worsened", "net", "agents", "n")
	for _, x := range d.contested() {
		row := append([]Cell{word(x.task), word(x.settings[challengeKey])}, others.label(x.group)...)
		t.Rows = append(t.Rows, append(row, x.challenges()...))
	}
	t.Notes = []string{
		"Challenged: agents that do not agree with the answer that they are shown, mean over discussions (standard error over questions). Improved, worsened: of those that challenge, whose new answer is right where the other was not, and the reverse (SQuAD: exact match), with the standard error of a ratio of sums over questions; net is their difference.",
	}
	d.notes(&t)
	return t, len(t.Rows) > 0
}

// contested are the discussions whose final answer is challenged.
func (d discussions) contested() []discussed {
	return slices.DeleteFunc(d.talking(), func(x discussed) bool { return slices.Contains([]string{"", "none"}, x.settings[challengeKey]) })
}

// challenges are the share of agents that challenge, the mean over discussions;
// of the answers that they challenge the shares that improve and worsen, and the
// difference; how many agents, and discussions. Standard errors are over questions.
func (x discussed) challenges() []Cell {
	runs := slices.DeleteFunc(x.done(), func(r Run) bool { return r.Discussion == nil || len(r.Discussion.Challenges) == 0 })
	agents := 0
	for _, r := range runs {
		agents += len(r.Discussion.Challenges)
	}
	ratio := func(of func(better, worse int) int) Cell {
		return share(ratioOver(runs, func(r Run) (shown, all float64) {
			challenged, better, worse := r.Discussion.Challenges.Changes()
			return float64(of(better, worse)), float64(challenged)
		}))
	}
	return []Cell{
		meanCell(runs, 1, func(r Run) (float64, bool) { return r.Discussion.Challenges.Rate() }),
		ratio(func(better, _ int) int { return better }), ratio(func(_, worse int) int { return worse }),
		ratio(func(better, worse int) int { return better - worse }), count(agents), count(len(runs)),
	}
}
