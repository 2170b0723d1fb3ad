package activities

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/commits"
	"roundtable/activities/failure"
	"roundtable/analysis/record"
	"roundtable/envs"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// tables makes a collaboration's rows from its stored turns: the same rows
// whichever worker makes them, and however often.
type tables struct {
	*collaboration
	extent  extent
	key     record.Key
	rule    decision.Rule
	entries []transcript.Entry
	rows    commits.Rows
}

// rowsOf a collaboration that ended.
func rowsOf(c *collaboration, end task.Ending, extent extent) (rows commits.Rows, err error) {
	defer failure.Recover(&err)
	t := tables{collaboration: c, extent: extent}
	t.key = record.Key{
		SchemaVersion: record.SchemaVersion, CampaignID: c.ref.Campaign, ConditionID: c.condition.id,
		CollaborationID: c.place.Collaboration, Generation: int32(c.ref.Generation),
	}
	paid := slices.AppendSeq(slices.Clone(c.unfinished), maps.Values(c.turns)) // Calls sorts them
	t.rows.Calls = answers.Stored{Turns: paid, Unknown: c.unknown}.Calls(t.key)
	for i := range t.rows.Calls {
		if call := &t.rows.Calls[i]; call.Simulated == nil { // of unknown outcome
			call.Simulated = c.condition.pretends(call.ModelAsked)
		}
	}
	if extent > bare {
		if err := t.spoken(); err != nil {
			return commits.Rows{}, err
		}
	}
	t.whole(end)
	return t.rows, nil
}

// spoken makes the rows of what was said, voted and decided.
func (t *tables) spoken() (err error) {
	if t.rule, err = t.condition.BuildRule(); err != nil {
		return err
	}
	t.entries = t.session.Entries()
	names := t.instance.Agents()
	for _, e := range t.entries {
		t.turn(e, names)
		if e.Payload.Format == transcript.FormatBallot && e.Kind == transcript.Ask {
			t.ballot(e)
		}
	}
	t.rounds()
	return nil
}

func (t *tables) turn(e transcript.Entry, names []envs.Agent) {
	said := t.turns[e.Index]
	row := record.Turn{
		Key: t.key, Entry: int32(e.Index), Round: int32(e.Round), Phase: e.Phase,
		Kind: e.Kind.String(), Role: e.Speaker.Role, Format: string(e.Payload.Format),
		Status: string(e.Act.Status), InvalidReason: optional(said.InvalidReason), Asks: int32(len(said.Asks)),
		Text: optional(said.Text), Reason: optional(said.Reason), ProposalJSON: optional(said.Proposal),
		SeesJSON: sees(e.Sees), PromptHash: said.PromptHash, DataJSON: encoded(e.Act),
		ModelSimulated: said.Simulated,
	}
	if e.Speaker.Role == "" {
		agent := int32(e.Speaker.Index)
		row.Agent, row.AgentName = &agent, names[agent].Name
	}
	if e.Kind == transcript.Ask {
		last := said.Asks[len(said.Asks)-1]
		row.AnswerHash, row.ModelSimulated, row.Model = last.SHA256, last.Simulated, optional(last.ModelAsked)
	}
	if len(e.Act.To) > 0 {
		row.AddresseesJSON = encoded(e.Act.To)
	}
	if f := e.Payload.Format; e.Speaker.Role == "" && (f == transcript.FormatProposal || f == transcript.FormatAnswer || f == transcript.FormatReply) {
		t.utilities(&row, e, said)
	}
	t.rows.Turns = append(t.rows.Turns, row)
}

// utilities of a proposal and of what stood when it was made, to the agent itself.
func (t *tables) utilities(row *record.Turn, e transcript.Entry, said answers.Turn) {
	if t.extent < complete {
		return
	}
	if said.Proposal != "" {
		u := t.instance.Utility(e.Speaker.Index, envs.Proposal(said.Proposal))
		row.ProposalUtility, row.ProposalKey = &u, optional(e.Act.Key)
		if e.Phase == protocol.PhaseChallenge || e.Phase == protocol.PhaseAnswerNew {
			row.ProposalScore = new(t.instance.Score(envs.Proposal(said.Proposal)).Goodness)
		}
	}
	if s := e.Payload.Standing; s >= 0 {
		u := t.instance.Utility(e.Speaker.Index, t.proposal(s))
		row.StandingUtility = &u
	}
}

func (t *tables) proposal(entry int) envs.Proposal { return envs.Proposal(t.turns[entry].Proposal) }

func (t *tables) ballot(e transcript.Entry) {
	base := record.Ballot{
		Key: t.key, Round: int32(e.Round), Entry: int32(e.Index), Agent: int32(e.Speaker.Index),
		Invalid: e.Act.Status == transcript.Invalid, Simulated: new(t.rows.Turns[e.Index].ModelSimulated),
	}
	if e.Speaker.Role != "" {
		base.Agent = -1
	}
	if e.Act.Ballot == nil || e.Act.Ballot.Abstain {
		base.Abstained = true
		t.rows.Ballots = append(t.rows.Ballots, base)
		return
	}
	for i, c := range e.Payload.Candidates {
		row, n := base, int32(i)
		exact := t.rule.Value(*e.Act.Ballot, i, len(e.Payload.Candidates))
		value, _ := exact.Float64()
		text, standing := exact.RatString(), c.Standing
		row.Candidate, row.CandidateKey, row.ProposersJSON = &n, optional(c.Key), encoded(c.Agents)
		row.Standing, row.Value, row.ValueExact = &standing, &value, &text
		t.rows.Ballots = append(t.rows.Ballots, row)
	}
}

// rounds sums up each round that was begun.
func (t *tables) rounds() {
	standing := -1
	for i := 0; i < len(t.entries); {
		row := record.Round{Key: t.key, Round: int32(t.entries[i].Round), Simulated: new(bool)}
		for ; i < len(t.entries) && t.entries[i].Round == int(row.Round); i++ {
			standing = t.sum(&row, t.entries[i], standing)
			*row.Simulated = *row.Simulated || t.rows.Turns[i].ModelSimulated
		}
		if p, ok := t.session.Protocol().(protocol.Settling); ok {
			standing = p.Standing(&transcript.Transcript{Agents: t.condition.agents, Entries: t.entries[:i]})
		}
		t.score(standing, &row.DecisionKey, &row.DecisionJSON, &row.Score, &row.Utilities)
		t.rows.Rounds = append(t.rows.Rounds, row)
	}
}

// sum adds an entry to its round and returns what stands after it.
func (t *tables) sum(row *record.Round, e transcript.Entry, standing int) int {
	switch {
	case e.Kind == transcript.Decide:
		d := e.Act.Decision
		row.Voted = row.Voted || len(e.Payload.Candidates) > 0
		row.Candidates, row.Winners = int32(len(e.Payload.Candidates)), int32(len(d.Winners))
		row.Passed = row.Passed || d.Selected >= 0
		row.Changed = row.Changed || d.Standing >= 0 && (standing < 0 || t.turns[standing].Proposal != t.turns[d.Standing].Proposal)
		return d.Standing
	case e.Payload.Format == transcript.FormatProposal && e.Act.Status == transcript.Said:
		row.NewProposals++
	case e.Act.Ballot != nil && !e.Act.Ballot.Abstain:
		row.Ballots++
	}
	return standing
}

// score fills what is known of the decision that stands.
func (t *tables) score(standing int, key, text **string, score **float64, utilities *[]float64) {
	if standing < 0 {
		return
	}
	p := t.proposal(standing)
	*key, *text = optional(t.session.Transcript().Entries[standing].Act.Key), optional(string(p))
	if t.extent == complete {
		s := t.instance.Score(p)
		*score, *utilities = &s.Goodness, s.Utilities
	}
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func encoded(v any) *string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("activities: %T does not marshal: %v", v, err)) // only plain structs come here
	}
	s := string(data)
	return &s
}

func sees(ranges []transcript.Range) string {
	pairs := make([][2]int, len(ranges))
	for i, r := range ranges {
		pairs[i] = [2]int{r.From, r.To}
	}
	return *encoded(pairs)
}
