package recount

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/decision"
	"roundtable/workflows/seats"
	"roundtable/workflows/transcript"
)

// count goes through the entries of one collaboration.
type count struct {
	Counting
	rows     record.Rows
	acts     []transcript.Act        // by entry
	ballots  map[int][]record.Ballot // by entry
	votes    []int                   // entries of the ballots since the last decision
	answers  []int                   // entries of agents' answers since then, each a vote for itself
	standing int                     // entry whose proposal stands; -1 if none
	key      string                  // its key
	last     map[int]transcript.Decision
	scores   map[int32][]*big.Rat // of candidates, by entry of the decision
	counted  []Vote

	decisions, uncounted int
	found                []Mismatch
}

func newCount(rows record.Rows, counting Counting) *count {
	c := &count{Counting: counting, rows: rows, standing: -1, ballots: map[int][]record.Ballot{},
		last: map[int]transcript.Decision{}, scores: map[int32][]*big.Rat{}}
	for _, b := range rows.Ballots {
		c.ballots[int(b.Entry)] = append(c.ballots[int(b.Entry)], b)
	}
	return c
}

func (c *count) find(round int32, format string, args ...any) {
	own := c.rows.Collaborations[0]
	c.found = append(c.found, Mismatch{own.CollaborationID, int(own.Generation), int(round),
		fmt.Sprintf(format, args...)})
}

// succeeded is the status of a collaboration of which no turn can be missing.
const succeeded = "succeeded"

func (c *count) run() {
	recorded := len(c.rows.Turns)
	entries, err := record.TurnsByEntry(c.rows.Turns)
	if err != nil {
		c.find(0, "%v", err)
		return
	}
	if own := c.rows.Collaborations[0]; own.Status == succeeded && len(entries) > recorded {
		c.find(0, "%d of its %d turns are missing", len(entries)-recorded, len(entries))
		return
	}
	c.rows.Turns = entries
	for i, t := range entries {
		var act transcript.Act
		if t.DataJSON != nil {
			if err := json.Unmarshal([]byte(*t.DataJSON), &act); err != nil {
				c.find(t.Round, "data_json of entry %d: %v", t.Entry, err)
				return
			}
		}
		c.acts = append(c.acts, act)
		c.checkWeight(t, act)
		switch {
		case t.Kind == transcript.Decide.String():
			c.decideAsThen(t)
			c.votes, c.answers = nil, nil
		case t.Format == string(transcript.FormatAnswer) && t.Role == "":
			c.answers = append(c.answers, i)
		case t.Kind == transcript.Ask.String() && t.Format == string(transcript.FormatBallot):
			c.votes = append(c.votes, i)
		case t.Kind == transcript.Ask.String() && t.Role == "":
			c.votes = nil // a ballot that something else follows ends nothing: a worker's under a leader
		}
	}
	c.compareSums()
}

// checkWeight holds the weight of a vote to the log-probability of its answer.
func (c *count) checkWeight(t record.Turn, act transcript.Act) {
	weight := 0
	if t.MeanLogprob != nil && act.Status != transcript.Invalid {
		weight = decision.WeightOf(*t.MeanLogprob)
	}
	if was := act.Weighed(); was != weight {
		c.find(t.Round, "entry %d weighs %d millionths, by its mean_logprob %d", t.Entry, was, weight)
	}
}

// decideAsThen finds one decision again, as it was counted when it was made.
func (c *count) decideAsThen(t record.Turn) {
	if t.ForkedFrom != nil && c.Before != nil {
		now := c.Counting
		defer func() { c.Counting = now }()
		c.Counting = *c.Before
	}
	c.decide(t)
}

// decide finds one decision again.
func (c *count) decide(t record.Turn) {
	d := c.acts[t.Entry].Decision
	if d == nil {
		c.find(t.Round, "entry %d holds no decision", t.Entry)
		return
	}
	c.last[int(t.Round)] = *d
	defer func() { c.standing, c.key = d.Standing, d.Key }() // one mismatch is not to bring others
	c.answers = slices.DeleteFunc(c.answers, func(i int) bool { return c.rows.Turns[i].Round != t.Round })
	if len(c.votes)+len(c.answers) == 0 && len(d.Winners) > 0 && !c.countsProposals() {
		c.uncounted++
		return
	}
	c.decisions++
	keys, winners, ok := c.tally(t)
	if !ok {
		return
	}
	selected := c.Break(winners, int(t.Round), t.Phase)
	if selected >= 0 && len(keys) == 0 { // nobody has voted, and it is settled all the same
		switch key, ok := c.firstSolution(int(t.Entry)); {
		case c.isFirstUnread() && d.Key == "":
			keys = []string{""}
		case ok:
			keys = []string{key}
		default:
			selected = -1
		}
	}
	standing, key := c.standing, c.key
	if selected >= 0 {
		key = keys[selected]
		standing = d.Standing
	}
	switch {
	case !slices.Equal(winners, d.Winners):
		c.find(t.Round, "the ballots give the winners %v, entry %d says %v", winners, t.Entry, d.Winners)
	case selected != d.Selected:
		c.find(t.Round, "of the winners %v, %d is selected, entry %d says %d", winners, selected, t.Entry, d.Selected)
	case key != d.Key:
		c.find(t.Round, "the proposal %q stands, entry %d says %q", key, t.Entry, d.Key)
	case standing != d.Standing || standing >= int(t.Entry) || standing >= 0 && c.acts[standing].Key != key:
		c.find(t.Round, "entry %d says that the proposal of entry %d stands, which is not %q", t.Entry, d.Standing, key)
	}
}

// tally counts the votes that came before a decision; ok is false if they
// cannot be counted.
func (c *count) tally(t record.Turn) (keys []string, winners []int, ok bool) {
	switch {
	case t.Phase == phaseSettle:
		return nil, nil, true
	case decision.MeansOf(c.Rule) == decision.ByAgreement && slices.ContainsFunc(c.rows.Turns, isReply):
		keys, winners = c.tallyAgreements(int(t.Entry), int(t.Round))
		return keys, winners, true
	case len(c.votes) == 0 && len(c.answers) == 0 && c.countsProposals():
		keys, winners = c.tallyProposals(t)
		return keys, winners, true
	case len(c.votes) == 0:
		keys, winners = c.tallyAnswers(t)
		return keys, winners, true
	}
	for _, v := range c.votes {
		if found := candidateKeys(c.ballots[v]); len(found) > 0 {
			keys = found
			break
		}
	}
	for _, key := range keys {
		if !slices.ContainsFunc(c.acts, func(a transcript.Act) bool { return a.Key == key }) {
			c.find(t.Round, "nobody has proposed the candidate %q of the decision at entry %d", key, t.Entry)
			return nil, nil, false
		}
	}
	profile := decision.Profile{Candidates: len(keys), Electorate: int(c.rows.Collaborations[0].Agents),
		Round: int(t.Round)}
	if c.Asked {
		profile.Electorate = len(c.votes)
	}
	for _, v := range c.votes {
		b, err := c.ballotAt(v, keys, profile.Electorate)
		if err != nil {
			c.find(t.Round, "the ballot of entry %d: %v", v, err)
			return nil, nil, false
		}
		profile.Ballots = append(profile.Ballots, b)
	}
	if len(keys) == 0 { // everybody abstained: no rule selects anything
		c.counted = append(c.counted, Vote{Entry: int(t.Entry), Round: int(t.Round), Standing: c.key, Selected: -1})
		return nil, nil, true
	}
	result := c.tallyVote(t, keys, profile, c.votes)
	c.scores[t.Entry] = result.Scores
	return keys, result.Winners, true
}

// tallyVote counts the ballots of entries by the rule, and keeps them.
func (c *count) tallyVote(t record.Turn, keys []string, p decision.Profile, entries []int) decision.Result {
	p = c.weighBallots(p, entries)
	result := c.Rule.Tally(p)
	c.counted = append(c.counted, Vote{
		Entry: int(t.Entry), Round: int(t.Round), Keys: keys, Standing: c.key, Profile: p,
		Ballot:   c.Rule.Ballot(p.Candidates, p.Electorate),
		Selected: c.Break(result.Winners, int(t.Round), t.Phase),
		Break:    func(winners []int) int { return c.Break(winners, int(t.Round), t.Phase) },
	})
	return result
}

// weighBallots counts each ballot as often as the agent of its entry has votes.
func (c *count) weighBallots(p decision.Profile, entries []int) decision.Profile {
	by := make([]int, len(entries))
	for i, entry := range entries {
		by[i] = int(c.speakerOf(entry))
	}
	return seats.Weigh(c.Seats, p, by, int(c.rows.Collaborations[0].Agents))
}

// compareSums compares the tables rounds and collaborations with the decisions.
func (c *count) compareSums() {
	key := ""
	for _, r := range c.rows.Rounds {
		d, decided := c.last[int(r.Round)]
		if decided {
			key = d.Key
		}
		switch {
		case decided && int(r.Winners) != len(d.Winners):
			c.find(r.Round, "the table rounds counts %d winners, the decision has %d", r.Winners, len(d.Winners))
		case textOf(r.DecisionKey) != key:
			c.find(r.Round, "the proposal %q stands, the table rounds says %q", key, textOf(r.DecisionKey))
		}
	}
	if own := c.rows.Collaborations[0]; textOf(own.DecisionKey) != key {
		c.find(0, "the proposal %q stands at the end, the table collaborations says %q", key, textOf(own.DecisionKey))
	}
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
