package discussion

import (
	"encoding/json"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// Discussion is what the tables keep of one discussion.
type Discussion struct {
	Finals   []string           // each agent's last answer, in the words in which it was given; "" if it had none
	Replies  statistics.Replies // the same as answers
	Personas []string           // in the order of agents
	Decided  int                // round of the decision; 0 if there was none
	// Challenges of what was shown to be the decision, by agent: whether answers
	// are right, and their score (SQuAD: F1) where rows hold it.
	Challenges, Scored statistics.Challenges
}

// readDiscussion keeps what tables need of a discussion.
func readDiscussion(r *campaign.Run, rows record.Rows) error {
	if r.Protocol != Protocol {
		return nil
	}
	d := &Discussion{Finals: make([]string, r.Agents), Replies: make(statistics.Replies, r.Agents)}
	if r.EndReason == byConsensus || r.EndReason == byVote {
		d.Decided = int(r.RoundsRun)
	}
	given, at := Answers{}, map[int32]int{} // at: the challenge of an agent
	for _, t := range rows.Turns {
		switch {
		case t.Kind != "ask" || t.Status != "said":
		case t.Role == personaRole && t.Text != nil:
			d.Personas = append(d.Personas, *t.Text)
		case t.Phase == challengePhase && t.Agent != nil:
			at[*t.Agent] = len(d.Challenges)
			right, scored := challengeOf(*r, t)
			d.Challenges, d.Scored = append(d.Challenges, right), append(d.Scored, scored)
		case t.Phase == newAnswerPhase && t.Agent != nil:
			if i, ok := at[*t.Agent]; ok {
				answerAnew(&d.Challenges[i], &d.Scored[i], t)
			}
		case t.Role == "" && t.Agent != nil:
			if a, ok := given.answerOf(t); ok {
				d.Replies[*t.Agent], d.Finals[*t.Agent] = a.Reply, a.words
			}
		}
	}
	campaign.Keep(&r.Parts, d)
	return nil
}

func discussionOf(r campaign.Run) *Discussion { return campaign.Part[*Discussion](r.Parts) }

// Answers are the answers in a collaboration, by entry, as far as it has been read.
type Answers map[int32]answer

type answer struct {
	statistics.Reply
	words string
}

// Of returns the answer of a turn, if all turns before it were read: its own answer, or the one it agrees
// with; false if it has none.
func (a Answers) Of(t record.Turn) (statistics.Reply, bool) {
	given, ok := a.answerOf(t)
	return given.Reply, ok
}

// answerOf a turn: its own, or that of the last message that it saw if it agrees
// with it and repeats no answer.
func (a Answers) answerOf(t record.Turn) (answer, bool) {
	given, ok := answer{}, t.ProposalKey != nil
	switch {
	case ok:
		given = answer{statistics.Reply{Key: *t.ProposalKey, Right: campaign.IsRight(t) == 1}, *t.ProposalKey}
		if t.Text != nil {
			given.words = *t.Text
		}
	case t.Phase == talkPhase && isAgreement(t):
		given, ok = a.lastAnswer(t.Sees())
	}
	if t.Phase == talkPhase {
		a[t.Entry] = given
	}
	return given, ok
}

// lastAnswer returns what the last of these messages stands for.
func (a Answers) lastAnswer(sees [][2]int32) (answer, bool) {
	for _, r := range slices.Backward(sees) {
		for i := r[1] - 1; i >= r[0]; i-- {
			if given, talked := a[i]; talked {
				return given, given.Key != ""
			}
		}
	}
	return answer{}, false
}

// IsChallenge reports whether a turn is a response to the decision that was shown to the agent.
func IsChallenge(t record.Turn) bool { return t.Phase == challengePhase || t.Phase == newAnswerPhase }

// isAgreement says that a reply has agreed with what it was shown: that is its ballot.
func isAgreement(t record.Turn) bool {
	var act struct {
		Ballot *struct{} `json:"b"`
	}
	return t.DataJSON != nil && json.Unmarshal([]byte(*t.DataJSON), &act) == nil && act.Ballot != nil
}

// countedRight returns 1 if the answer that most agents gave last is right, else 0.
func countedRight(r campaign.Run) float64 {
	if discussionOf(r) == nil {
		return 0
	}
	if best, ok := discussionOf(r).Replies.Counted(); ok && best.Right {
		return 1
	}
	return 0
}

// Terminations returns Table 2 of paper 2: the round of the decision by protocol.
func Terminations(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := table.Table{Title: "Discussion: round of the decision, % of discussions"}
	type row struct {
		discussed
		ends statistics.Termination
	}
	var rows []row
	talking := d.onlyDiscussions()
	kinds := d.meansOfKinds(talking, false)
	for _, x := range slices.Concat(talking, kinds) {
		ends := statistics.Termination{Last: d.Rounds()}
		for _, r := range x.Succeeded() {
			if discussionOf(r) != nil {
				ends.Add(discussionOf(r).Decided)
			}
		}
		rows = append(rows, row{x, ends})
	}
	held := func(x row) discussed { return x.discussed }
	table.Fill(&t, rows, table.Of(d.nameColumns(), held),
		campaign.RoundColumns(d.View, func(x row, round int) table.Cell { return definedCell(2, x.ends.Share, round) }),
		table.Columns[row]{Headers: []string{"none", "rounds"}, Cells: func(x row) []table.Cell {
			mean, ok := x.ends.Mean()
			if !ok {
				return make([]table.Cell, 2)
			}
			return []table.Cell{table.Number(100*float64(x.ends.Never)/float64(x.ends.N()), 2), table.Number(mean, 2)}
		}},
		table.Of(replicateColumns("accuracy", "± sd", campaign.Run.ScoreOrZero), held),
		table.Column("n", func(x row) table.Cell { return table.Count(x.ends.N()) }))
	t.Notes = []string{"None: ended without a decision by the rule; the paper counts these in its last round, and so " +
		"does the mean number of rounds."}
	addKindsNote(&t, kinds, "approval among them, as in the paper's 3.38 and 1.42 rounds.")
	d.addNotes(&t)
	return t, len(t.Rows) > 0
}

// definedCell returns a measure at n, or nothing.
func definedCell(decimals int, measure func(int) (float64, bool), n int) table.Cell {
	v, ok := measure(n)
	if !ok {
		return table.Cell{}
	}
	return table.Number(v, decimals)
}

// Countings returns Table 4 of paper 2: the decision that counting the agents' last answers would have made,
// next to the recorded one.
func Countings(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := table.Table{Title: "Discussion: solution counting, accuracy in %"}
	table.Fill(&t, d.onlyDiscussions(), d.nameColumns(),
		replicateColumns("counted", "counted ± sd", countedRight),
		replicateColumns("decided", "decided ± sd", campaign.Run.Right),
		table.Columns[discussed]{Headers: []string{"decided - counted", "low", "high"},
			Cells: func(x discussed) []table.Cell {
				counted, decided := campaign.PerQuestion(x.Succeeded(), countedRight),
					campaign.PerQuestion(x.Succeeded(), campaign.Run.Right)
				return decided.Minus(counted).Interval(campaign.MostOfPercent)
			}},
		countColumn())
	t.Notes = []string{
		"Counted: the answer that most agents gave last; ties: the earliest agent's. Texts (SQuAD) count if they " +
			"match exactly. The difference is paired by question, with its 95 % t interval. " + campaign.CutNote,
	}
	d.addNotes(&t)
	return t, len(t.Rows) > 0
}
