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
	for _, x := range d.talking() {
		kind := x.settings[challengeKey]
		if kind == "" || kind == "none" {
			continue
		}
		row := append([]Cell{word(x.task), word(kind)}, others.label(x.group)...)
		t.Rows = append(t.Rows, append(row, x.challenges()...))
	}
	t.Notes = []string{
		"Challenged: agents that do not agree with the answer that they are shown, mean over discussions (standard error). Improved, worsened: of those that challenge, whose new answer is right where the other was not, and the reverse (SQuAD: exact match); net is their difference.",
	}
	d.notes(&t)
	return t, len(t.Rows) > 0
}

func (x discussed) challenges() []Cell {
	var rates sample
	var all metrics.Challenges
	for _, r := range x.done() {
		if r.Discussion != nil && len(r.Discussion.Challenges) > 0 {
			rates.add(r.Discussion.Challenges.Rate())
			all = append(all, r.Discussion.Challenges...)
		}
	}
	improved, ok := all.Improved()
	worsened, _ := all.Worsened()
	changes := make([]Cell, 3)
	if ok {
		changes = []Cell{number(improved, 1), number(worsened, 1), number(improved-worsened, 1)}
	}
	return slices.Concat([]Cell{rates.mean(1)}, changes, []Cell{count(len(all)), count(rates.of)})
}
