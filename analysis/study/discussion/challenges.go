package discussion

import (
	"math"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

const challengeKey = "protocol.challenge"

// challengeOf returns what an agent makes of a final answer that it is shown, by
// whether answers are right and by their score: it agrees by its ballot, or
// challenges it. Made-up answers are never right.
func challengeOf(r campaign.Run, t record.Turn) (byRight, byScore statistics.Challenge) {
	byRight = statistics.Challenge{Challenged: !isAgreement(t)}
	byScore = byRight
	if kind := campaign.Flatten([]byte(r.SettingsJSON))[challengeKey]; kind != "irrelevant" && kind != "wrong" {
		byRight.Before, byScore.Before = r.Right(), r.ScoreOrZero()
	}
	byRight.After, byScore.After = byRight.Before, byScore.Before
	if byRight.Challenged {
		answerAnew(&byRight, &byScore, t)
	}
	return byRight, byScore
}

// answerAnew takes the answer that an agent gives in place of the challenged one.
func answerAnew(byRight, byScore *statistics.Challenge, t record.Turn) {
	if t.ProposalKey == nil {
		return
	}
	byRight.After = campaign.IsRight(t)
	if t.ProposalScore != nil {
		byScore.After = *t.ProposalScore
	} else {
		byScore.After = math.NaN() // a program or a judge scores final decisions only
	}
}

// Challenges returns Figures 6 and 7 of paper 2: how many agents challenge the final answer, by what they are
// shown, and how that changes its score.
func Challenges(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := table.Table{Title: "Discussion: challenges of the final answer, % of agents",
		Columns: []string{"data set", "shown"}}
	others := d.Without(func(key string) bool { return key == challengeKey })
	t.Columns = append(append(t.Columns, others.Names()...), "challenged", "improved", "worsened", "net", "agents", "n")
	texts := slices.ContainsFunc(d.contestedDiscussions(), func(x discussed) bool { return d.answersAreSpans(x.task) })
	if texts {
		t.Columns = append(t.Columns, "F1 improved", "F1 worsened", "F1 change")
	}
	for _, x := range d.contestedDiscussions() {
		row := append([]table.Cell{table.Word(x.task), table.Word(x.Shown(challengeKey))}, others.Label(x.Group)...)
		row = append(row, x.challengeCells()...)
		switch {
		case texts && d.answersAreSpans(x.task):
			row = append(row, x.challengesByScore()...)
		case texts:
			row = append(row, make([]table.Cell, 3)...)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{
		"Challenged: agents that do not agree with the answer that they are shown, mean over discussions (standard " +
			"error over questions). Improved, worsened: of those that challenge, whose new answer is right where the " +
			"other was not, and the reverse (SQuAD: exact match), with the standard error of a ratio of sums over " +
			"questions; net is their difference.",
	}
	if texts {
		t.Notes = append(t.Notes, "F1 improved, F1 worsened: of the challenged answers those whose F1 the new answer "+
			"raises or lowers; F1 change: its mean change in percentage points, likewise.")
	}
	d.addNotes(&t)
	return t, len(t.Rows) > 0
}

// contestedDiscussions returns the discussions whose final answer is challenged.
func (d discussions) contestedDiscussions() []discussed {
	return slices.DeleteFunc(d.onlyDiscussions(),
		func(x discussed) bool { return slices.Contains([]string{"", "none"}, x.Settings[challengeKey]) })
}

// challengeCells returns the share of agents that challenge, the mean over discussions;
// of the answers that they challenge the shares that improve and worsen, and the
// difference; how many agents, and discussions. Standard errors are over questions.
func (x discussed) challengeCells() []table.Cell {
	runs := x.Having(func(r campaign.Run) bool { return discussionOf(r) != nil && len(discussionOf(r).Challenges) > 0 })
	agents := 0
	for _, r := range runs {
		agents += len(discussionOf(r).Challenges)
	}
	ratio := func(of func(better, worse int) int) table.Cell {
		return table.MeanPercent(campaign.RatioOver(runs, func(r campaign.Run) (shown, all float64) {
			challenged, better, worse := discussionOf(r).Challenges.Changes()
			return float64(of(better, worse)), float64(challenged)
		}))
	}
	return []table.Cell{
		campaign.MeanCell(runs, 1, func(r campaign.Run) (float64, bool) { return discussionOf(r).Challenges.Rate() }),
		ratio(func(better, _ int) int { return better }), ratio(func(_, worse int) int { return worse }),
		ratio(func(better, worse int) int { return better - worse }), table.Count(agents), table.Count(len(runs)),
	}
}

// challengesByScore returns the shares of the challenged answers whose score the
// new answer raises and lowers, and its mean change, in percent, with standard
// errors over questions; nothing where rows do not hold it.
func (x discussed) challengesByScore() []table.Cell {
	runs := x.Having(func(r campaign.Run) bool { return discussionOf(r) != nil && !discussionOf(r).Scored.IsUnknown() })
	ratio := func(of func(statistics.Challenges) float64) table.Cell {
		return table.MeanPercent(campaign.RatioOver(runs, func(r campaign.Run) (shown, all float64) {
			challenged, _, _ := discussionOf(r).Scored.Changes()
			return of(discussionOf(r).Scored), float64(challenged)
		}))
	}
	return []table.Cell{
		ratio(func(c statistics.Challenges) float64 { _, better, _ := c.Changes(); return float64(better) }),
		ratio(func(c statistics.Challenges) float64 { _, _, worse := c.Changes(); return float64(worse) }),
		ratio(statistics.Challenges.Change),
	}
}
