package protocol

import (
	"slices"

	"roundtable/envs"
	"roundtable/workflows/transcript"
)

// isInTurn says that the speakers of a round answer one after another.
func (d *Debate) isInTurn(round int) bool {
	first := d.params.Speaking == SpeakingOrder && d.params.Viewpoints.Scaling == ""
	return d.params.Talk == TalkOneByOne && (round > 1 || first)
}

// nextSpeakers returns who answers in a round that begins at an entry, in the order in
// which they speak. Before anybody has answered, only a random order is not by index.
func (d *Debate) nextSpeakers(t *transcript.Transcript, round, first int) []int {
	asked := d.askedIn(round)
	if !d.isInTurn(round) || d.params.Speaking == SpeakingIndex || round == 1 && d.params.Order != OrderRandom {
		return asked
	}
	replies := make([]reply, len(asked))
	for k, i := range asked {
		replies[k] = reply{agent: i}
		for _, e := range t.Entries[:first] {
			if e.Payload.Format == transcript.FormatAnswer && e.Speaker == (transcript.Speaker{Index: i}) {
				replies[k].entry, replies[k].key = e.Index, e.Act.Key
			}
		}
	}
	var turns []int
	for _, r := range order(d.params.Order, replies, nobody, d.goldKeys(t),
		envs.Stream(d.setting.Seed, "order", round)) {
		turns = append(turns, r.agent)
	}
	return turns
}

// answerSteps returns the steps of these speakers in a round; the last ones of the first
// round bring the right answer with them, if the order needs it.
func (d *Debate) answerSteps(t *transcript.Transcript, round int, speakers []int, last bool) []transcript.Step {
	var steps []transcript.Step
	latest := d.latestReplies(t, round)
	for _, i := range speakers {
		step := transcript.Step{
			Kind: transcript.Ask, Speaker: transcript.Speaker{Index: i}, Round: round, Phase: PhaseDebate,
			Audience: transcript.Everybody,
			Payload: transcript.Payload{Format: transcript.FormatAnswer, Standing: -1,
				Confidence: d.params.Confidence},
		}
		switch {
		case round > 1:
			step.Sees = d.rangesSeen(t, i, round, latest)
		case d.isInTurn(round):
			step.Phase, step.Sees = PhaseAnswer, d.rangesSeen(t, i, round, latest)
		case d.params.Viewpoints.Scaling != "":
			step.Kind, step.Phase, step.Payload.Data = transcript.Env, PhaseAnswer, d.params.Viewpoints.cueOf(i)
			step.Payload.Confidence = false // nobody is asked
		default:
			step.Phase = PhaseAnswer
		}
		steps = append(steps, step)
	}
	if last && round == 1 && d.needsGold() {
		steps = append(steps, transcript.Step{
			Kind: transcript.Env, Speaker: transcript.Speaker{Role: "key"}, Round: 1, Phase: PhaseGold,
			Payload: transcript.Payload{Standing: -1, Data: envs.Cue{Name: "gold"}},
		})
	}
	return steps
}

// rangesSeen returns an agent's own answers and then its peers' latest in the order of
// the treatment, or the summary in their place.
func (d *Debate) rangesSeen(t *transcript.Transcript, agent, round int, latest []reply) []transcript.Range {
	var own []int
	for _, e := range t.Entries {
		if e.Payload.Format == transcript.FormatAnswer && e.Speaker == (transcript.Speaker{Index: agent}) {
			own = append(own, e.Index)
		}
	}
	if d.params.Talk == TalkSummarizer { // its rounds are simultaneous
		e, _ := t.Last(func(e transcript.Entry) bool { return e.Speaker == summarizer })
		return joinRanges(append(own, e.Index))
	}
	shown := order(d.params.Order, latest, agent, d.goldKeys(t), envs.Stream(d.setting.Seed, "order", round))
	for _, r := range shown {
		if !slices.Contains(d.hears[agent], r.agent) {
			continue
		}
		own = append(own, d.heardOf(t, r))
	}
	return joinRanges(own)
}

// latestReplies returns the last answer of each agent that is present in a round, by agent.
func (d *Debate) latestReplies(t *transcript.Transcript, round int) []reply {
	last := map[int]reply{}
	for _, e := range t.Entries {
		if e.Payload.Format == transcript.FormatAnswer && e.Speaker.Role == "" {
			last[e.Speaker.Index] = reply{agent: e.Speaker.Index, entry: e.Index, key: e.Act.Key}
		}
	}
	var all []reply
	for _, i := range d.presentIn(round) {
		if r, ok := last[i]; ok {
			all = append(all, r)
		}
	}
	return all
}

// goldKeys returns the keys of the right answers; none if the order does not need them.
func (d *Debate) goldKeys(t *transcript.Transcript) []string {
	e, ok := t.Last(func(e transcript.Entry) bool { return e.Phase == PhaseGold })
	if !ok {
		return nil
	}
	return append([]string{e.Act.Key}, e.Act.Tags...)
}

func (d *Debate) needsGold() bool {
	return d.params.Order == OrderTruthFirst || d.params.Order == OrderTruthLast
}

// vote goes on at entry at, after the answers of the last round: with ballots on
// them, their count, and the end.
func (d *Debate) vote(t *transcript.Transcript, at int, answers transcript.Range) Plan {
	count := d.decide(t, d.Rounds(), answers)
	count.Phase, count.Payload.Ballots = PhaseVote, nil
	candidates, voters := count.Payload.Candidates, d.setting.listVoters(d.askedIn(d.Rounds()))
	count.Payload.Electorate = len(voters)
	if len(candidates) > 0 {
		if at == len(t.Entries) {
			return Plan{Steps: d.ballotSteps(t, voters, candidates)}
		}
		count.Payload.Ballots = []transcript.Range{{From: at, To: at + len(voters)}}
		at += len(voters)
	}
	if at == len(t.Entries) {
		return planOf(count)
	}
	return Plan{End: &Outcome{Standing: Standing(t), Reason: "rounds", Round: d.Rounds()}}
}

// ballotSteps returns the steps of those who vote on the answers; what an agent has
// been asked and has answered is still before it.
func (d *Debate) ballotSteps(t *transcript.Transcript, voters []transcript.Speaker,
	candidates []transcript.Candidate) []transcript.Step {
	var steps []transcript.Step
	for _, voter := range voters {
		var sees []int
		for _, e := range t.Entries {
			if e.Payload.Format == transcript.FormatAnswer && e.Speaker == voter {
				sees = append(sees, e.Index)
			}
		}
		for _, c := range candidates {
			if !slices.Contains(sees, c.Entry) {
				sees = append(sees, c.Entry)
			}
		}
		s := ask(voter, d.Rounds(), PhaseVote, transcript.FormatBallot, sees)
		s.Payload.Candidates, s.Payload.Ballot = candidates, d.setting.Rule.Ballot(len(candidates), len(voters))
		steps = append(steps, s)
	}
	return steps
}

// decide counts the answers of a round: candidates are the different ones, by
// the earliest agent that gave them.
func (d *Debate) decide(t *transcript.Transcript, round int, answers transcript.Range) transcript.Step {
	payload := transcript.Payload{Standing: Standing(t), Ties: d.params.Ties, Electorate: len(d.askedIn(round))}
	byAgent := slices.SortedStableFunc(slices.Values(t.Entries[answers.From:answers.To]),
		func(a, b transcript.Entry) int {
			return a.Speaker.Index - b.Speaker.Index
		})
	for _, e := range byAgent {
		if e.Act.Status == transcript.Said && e.Act.Key != "" {
			c := mergeCandidate(&payload.Candidates, e)
			c.Agents = append(c.Agents, e.Speaker.Index)
		}
	}
	if len(payload.Candidates) > 0 {
		payload.Ballots = []transcript.Range{answers}
	}
	return transcript.Step{Kind: transcript.Decide, Speaker: transcript.Speaker{Role: "rule"}, Round: round,
		Phase: PhaseDebate, Payload: payload}
}

// mergeCandidate returns the candidate with an entry's proposal, added if there is none: equal proposals are one.
func mergeCandidate(list *[]transcript.Candidate, e transcript.Entry) *transcript.Candidate {
	at := slices.IndexFunc(*list, func(c transcript.Candidate) bool { return c.Key == e.Act.Key })
	if at < 0 {
		at = len(*list)
		*list = append(*list, transcript.Candidate{Key: e.Act.Key, Entry: e.Index})
	}
	return &(*list)[at]
}

// summaryStep asks the summarizer, who sees all answers of the round in the order of the treatment.
func (d *Debate) summaryStep(t *transcript.Transcript, round int) transcript.Step {
	var shown []int
	for _, r := range order(d.params.Order, d.latestReplies(t, round), nobody, d.goldKeys(t),
		envs.Stream(d.setting.Seed, "order", round)) {
		shown = append(shown, d.heardOf(t, r))
	}
	return transcript.Step{
		Kind: transcript.Ask, Speaker: summarizer, Round: round, Phase: PhaseSummary, Sees: joinRanges(shown),
		Audience: transcript.Everybody, Payload: transcript.Payload{Format: transcript.FormatText, Standing: -1},
	}
}

// upTo returns the whole numbers from 0 that are less than n.
func upTo(n int) []int {
	var all []int
	for i := range n {
		all = append(all, i)
	}
	return all
}

// joinRanges writes entries as ranges, joining neighbours.
func joinRanges(entries []int) []transcript.Range {
	var all []transcript.Range
	for _, i := range entries {
		if n := len(all); n > 0 && all[n-1].To == i {
			all[n-1].To++
		} else {
			all = append(all, transcript.Range{From: i, To: i + 1})
		}
	}
	return all
}
