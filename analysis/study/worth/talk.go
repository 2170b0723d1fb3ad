// Package worth shows, from recorded rows alone, whether discussion was worth its cost: the decision of the
// majority of first answers against the final one, whether discussion moves answers towards the right one, how
// many independent votes the first answers are worth, and what each point gained costs. It works with any
// protocol that records the agents' answers by round, on questions whose answers are right or wrong.
package worth

import (
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/study/discussion"
)

// Talk is what the tables keep of one collaboration.
type Talk struct {
	// Steps are the answers that stand, by agent: the first ones, and then those
	// after each round. Agents without a usable first answer have none in any.
	Steps []statistics.Replies
	// Rounds of the steps, from 1.
	Rounds []int32
	// Graded says that some answer scores neither 0 nor 1, so that answers are not right or wrong.
	Graded bool
	// Seen says that an agent had seen something of another before its first answer.
	Seen bool
	// Later is the cost of the rounds after the first answers.
	Later campaign.Asked
	// Spent is the cost of the first round, by agent.
	Spent []campaign.Asked
}

// readTalk keeps the answers that stand after each round.
func readTalk(r *campaign.Run, rows record.Rows) error {
	k := reader{given: discussion.Answers{}, agents: map[int32]int32{}}
	k.graded = r.Measure != record.Share && r.Protocol != record.Imported
	for _, t := range rows.Turns {
		k.take(t)
	}
	k.endRound()
	k.Spent = k.spentFirst(rows)
	if k.graded {
		campaign.Keep(&r.Parts, Talk{Graded: true, Spent: k.Spent})
		return nil
	}
	if len(k.Steps) > 0 {
		k.Later = campaign.CountAsked(k.callsAfter(rows, k.Rounds[0]))
	}
	campaign.Keep(&r.Parts, k.Talk)
	return nil
}

func talkOf(r campaign.Run) Talk { return campaign.Part[Talk](r.Parts) }

// reader follows a collaboration from turn to turn.
type reader struct {
	Talk
	given  discussion.Answers
	agents map[int32]int32 // who was asked for an entry
	round  int32
	first  statistics.Replies
	stands statistics.Replies
	graded bool
}

// take takes the next turn.
func (k *reader) take(t record.Turn) {
	if t.Agent == nil || t.Role != "" || t.Round < 1 {
		return
	}
	k.agents[t.Entry] = *t.Agent
	if !IsAnswer(t) {
		return
	}
	if t.Round != k.round {
		k.endRound()
		k.round = t.Round
	}
	if t.ProposalUtility != nil && *t.ProposalUtility != 0 && *t.ProposalUtility != 1 {
		k.graded = true
	}
	reply, ok := k.given.Of(t)
	agent := int(*t.Agent)
	for len(k.first) <= agent {
		k.first, k.stands = append(k.first, statistics.Reply{}), append(k.stands, statistics.Reply{})
	}
	switch isFirst := k.first[agent].Key == ""; {
	case !ok: // what it answered before stands
		return
	case isFirst && len(k.Steps) > 0: // it came too late for the first answers
		return
	case isFirst:
		k.first[agent] = reply
		k.Seen = k.Seen || k.hasSeen(t)
	}
	k.stands[agent] = reply
}

// IsAnswer reports whether a turn asks for the agent's own answer, not for its response to the decision. An
// imported message counts if it has an answer.
func IsAnswer(t record.Turn) bool {
	switch t.Format {
	case "answer", "proposal", "reply":
		return !discussion.IsChallenge(t)
	case "text":
		return t.ProposalKey != nil
	}
	return false
}

// hasSeen reports whether the speaker was shown a turn of another agent.
func (k *reader) hasSeen(t record.Turn) bool {
	for _, seen := range t.Sees() {
		for entry := seen[0]; entry < seen[1]; entry++ {
			if agent, spoke := k.agents[entry]; spoke && agent != *t.Agent {
				return true
			}
		}
	}
	return false
}

// endRound adds what stands after the round: the first answers if these are given, and
// apart from these what has become of them in the same round.
func (k *reader) endRound() {
	if len(k.first.Read()) == 0 {
		return
	}
	if len(k.Steps) == 0 {
		k.addStep(k.first)
		if slices.Equal(k.first, k.stands) {
			return
		}
	}
	k.addStep(k.stands)
}

func (k *reader) addStep(answers statistics.Replies) {
	k.Steps, k.Rounds = append(k.Steps, slices.Clone(answers)), append(k.Rounds, k.round)
}

// callsAfter returns the calls for turns of later rounds.
func (k *reader) callsAfter(rows record.Rows, round int32) []record.Call {
	later := map[int32]bool{}
	for _, t := range rows.Turns {
		later[t.Entry] = t.Round > round
	}
	return slices.DeleteFunc(slices.Clone(rows.Calls), func(c record.Call) bool { return !later[c.Entry] })
}

// rightAt returns the share of the first speakers that hold the right answer at a step.
func (t Talk) rightAt(step int) float64 {
	share, _ := t.Steps[step].Read().Share()
	return share
}

// lastStep returns the last step.
func (t Talk) lastStep() int { return len(t.Steps) - 1 }

// totalDrift returns by how much talk moved the share of right answers, from the first
// to the last.
func (t Talk) totalDrift() float64 { return t.rightAt(t.lastStep()) - t.rightAt(0) }

// herdingSum returns the sum of the changes towards what more than half held before: a
// change counts as positive if it adds to the larger side.
func (t Talk) herdingSum() float64 {
	sum := 0.0
	for k := 1; k < len(t.Steps); k++ {
		before := t.rightAt(k - 1)
		switch change := t.rightAt(k) - before; {
		case before > 0.5:
			sum += change
		case before < 0.5:
			sum -= change
		}
	}
	return sum
}

// countFlips returns how many agents hold another answer at a step than at an earlier one, of
// those that were wrong and of those that were right.
func (t Talk) countFlips(from, to int) (toRight, wrong, toWrong, right float64) {
	for agent, before := range t.Steps[from] {
		after := t.Steps[to][agent]
		switch {
		case before.Key == "":
		case before.Right:
			right++
			if !after.Right {
				toWrong++
			}
		default:
			wrong++
			if after.Right {
				toRight++
			}
		}
	}
	return toRight, wrong, toWrong, right
}

// spentFirst returns what each agent took in the first round.
func (k *reader) spentFirst(rows record.Rows) []campaign.Asked {
	calls := map[int32][]record.Call{}
	for _, c := range rows.Calls {
		calls[c.Entry] = append(calls[c.Entry], c)
	}
	var spent []campaign.Asked
	for _, t := range rows.Turns {
		if t.Agent == nil || t.Round != 1 {
			continue
		}
		for len(spent) <= int(*t.Agent) {
			spent = append(spent, campaign.Asked{})
		}
		spent[*t.Agent] = spent[*t.Agent].Plus(campaign.CountAsked(calls[t.Entry]))
	}
	return spent
}
