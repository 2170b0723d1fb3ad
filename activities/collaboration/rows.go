package collaboration

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/commits"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/workflows/decision"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// tables makes a collaboration's rows from its stored turns: the same rows
// whichever worker makes them, and however often.
type tables struct {
	*Collaboration
	level   rowLevel
	outside bool // a program scores the final decision, and nothing else has a score
	key     record.Key
	rule    decision.Rule
	before  decision.Rule // of the prefix of a fork
	origin  *string       // from where a fork's prefix comes
	entries []transcript.Entry
	rows    commits.Rows
}

// rowsOf a collaboration that ended.
func rowsOf(c *Collaboration, end task.Ending, level rowLevel) (rows commits.Rows, err error) {
	defer failure.Recover(&err)
	t := tables{Collaboration: c, level: level, outside: c.Condition.Environment.Measure() == envs.Scored}
	t.key = record.Key{
		SchemaVersion: record.SchemaVersion, CampaignID: c.Ref.Campaign, ConditionID: c.Condition.ConditionID,
		CollaborationID: c.Run.Collaboration, Generation: int32(c.Ref.Generation),
	}
	paid := slices.AppendSeq(slices.Clone(c.Unfinished), maps.Values(c.Turns)) // Calls sorts them
	t.rows.Calls = answers.Stored{Turns: paid, Unknown: c.Unknown}.Calls(t.key)
	for i := range t.rows.Calls {
		if call := &t.rows.Calls[i]; call.Status == "unknown" {
			call.Simulated = c.Condition.IsSimulated(call.ModelAsked)
		}
	}
	if level > bare {
		if err := t.fillDiscussion(); err != nil {
			return commits.Rows{}, err
		}
	}
	t.addCollaboration(end)
	return t.rows, nil
}

// fillDiscussion makes the rows of what was said, voted and decided.
func (t *tables) fillDiscussion() (err error) {
	if t.rule, err = t.Condition.BuildRule(); err != nil {
		return err
	}
	if t.before = t.rule; t.Condition.Fork != nil {
		if t.before, t.origin, err = t.forkedFrom(); err != nil {
			return err
		}
	}
	t.entries = t.Session.Entries()
	names := t.Instance.Agents()
	for _, e := range t.entries {
		t.addTurn(e, names)
		if e.Payload.Format == transcript.FormatBallot && e.Kind == transcript.Ask {
			t.addBallots(e)
		}
	}
	t.addRounds()
	return nil
}

func (t *tables) addTurn(e transcript.Entry, names []envs.Agent) {
	said := t.Turns[e.Index]
	row := record.Turn{
		Key: t.key, Entry: int32(e.Index), Round: int32(e.Round), Phase: e.Phase,
		Kind: e.Kind.String(), Role: e.Speaker.Role, Format: string(e.Payload.Format),
		Status: string(e.Act.Status), InvalidReason: record.Optional(said.InvalidReason), Asks: int32(len(said.Asks)),
		Text: record.Optional(said.Text), Reason: record.Optional(said.Reason),
		Thinking: record.Optional(said.Thinking), ReadAs: record.Optional(said.ReadAs),
		ProposalJSON: record.Optional(said.Proposal),
		SeesJSON:     encodeSees(e.Sees), PromptHash: said.PromptHash, DataJSON: encode(e.Act),
		ModelSimulated: said.Simulated,
	}
	if e.Speaker.Role == "" {
		agent := int32(e.Speaker.Index)
		row.Agent, row.AgentName = &agent, names[agent].Name
		if len(t.Seated) > 0 {
			row.AgentRole = record.Optional(t.Seated[agent].Role)
		}
	}
	if t.Session.IsTaken(e.Index) {
		row.ForkedFrom = t.origin
	}
	if len(said.Asks) > 0 { // a fork skips turns, and gives some
		last := said.Asks[len(said.Asks)-1]
		row.AnswerHash, row.ModelSimulated, row.Model = last.SHA256, last.Simulated, record.Optional(last.ModelAsked)
		if l := last.Logprob; l != nil {
			row.MeanLogprob, row.LogprobTokens = &l.Mean, &l.Tokens
		}
	}
	if len(e.Act.To) > 0 {
		row.AddresseesJSON = encode(e.Act.To)
	}
	if f := e.Payload.Format; e.Speaker.Role == "" &&
		(f == transcript.FormatProposal || f == transcript.FormatAnswer || f == transcript.FormatReply) {
		t.fillUtilities(&row, e, said)
	}
	t.rows.Turns = append(t.rows.Turns, row)
}

// forkedFrom returns the rule of a fork's prefix, and the collaboration that it comes from;
// nil if nothing of it was asked.
func (t *tables) forkedFrom() (decision.Rule, *string, error) {
	rule, err := t.Condition.OriginalRule()
	for _, e := range slices.Sorted(maps.Keys(t.Turns)) {
		if asks := t.Turns[e].Asks; len(asks) > 0 {
			return rule, record.Optional(asks[0].From), err
		}
	}
	return rule, nil, err
}

// fillUtilities of a proposal and of what stood when it was made, to the agent itself.
func (t *tables) fillUtilities(row *record.Turn, e transcript.Entry, said answers.Turn) {
	if t.level < complete || t.outside {
		return
	}
	if said.Proposal != "" {
		u := t.Instance.Utility(e.Speaker.Index, envs.Proposal(said.Proposal))
		row.ProposalUtility, row.ProposalKey = &u, record.Optional(e.Act.Key)
		if e.Phase == protocol.PhaseChallenge || e.Phase == protocol.PhaseAnswerNew {
			row.ProposalScore = new(t.Instance.Score(envs.Proposal(said.Proposal)).Value)
		}
	}
	if s := e.Payload.Standing; s >= 0 {
		u := t.Instance.Utility(e.Speaker.Index, t.proposalOf(s))
		row.StandingUtility = &u
	}
}

func (t *tables) proposalOf(entry int) envs.Proposal { return envs.Proposal(t.Turns[entry].Proposal) }

// addBallots adds the ballots of the entry whose turn is the last one. Turns of a plan
// that failed may be missing before it.
func (t *tables) addBallots(e transcript.Entry) {
	base := record.Ballot{
		Key: t.key, Round: int32(e.Round), Entry: int32(e.Index), Agent: int32(e.Speaker.Index),
		Invalid: e.Act.Status == transcript.Invalid, Simulated: t.rows.Turns[len(t.rows.Turns)-1].ModelSimulated,
	}
	if e.Speaker.Role != "" {
		base.Agent = -1
	}
	if e.Act.Ballot == nil || e.Act.Ballot.Abstain {
		base.Abstained = true
		t.rows.Ballots = append(t.rows.Ballots, base)
		return
	}
	rule := t.rule
	if e.Index < t.Session.Prefix() {
		rule = t.before
	}
	for i, c := range e.Payload.Candidates {
		row, n := base, int32(i)
		exact := rule.Value(*e.Act.Ballot, i, len(e.Payload.Candidates))
		value, _ := exact.Float64()
		text, standing := exact.RatString(), c.Standing
		row.Candidate, row.CandidateKey, row.ProposersJSON = &n, record.Optional(c.Key), encode(c.Agents)
		row.Standing, row.Value, row.ValueExact = &standing, &value, &text
		t.rows.Ballots = append(t.rows.Ballots, row)
	}
}

// addRounds sums up each round that was begun.
func (t *tables) addRounds() {
	standing, counted := -1, 0
	for i := 0; i < len(t.entries); {
		row := record.Round{Key: t.key, Round: int32(t.entries[i].Round)}
		for ; i < len(t.entries) && t.entries[i].Round == int(row.Round); i++ {
			if e := t.entries[i]; e.Kind == transcript.Decide && len(e.Payload.Candidates) > 0 {
				row.VotesJSON, counted = t.countVotes(e, counted), i
			}
			standing = t.countEntry(&row, t.entries[i], standing)
			row.Simulated = row.Simulated || t.rows.Turns[i].ModelSimulated
		}
		if settle := t.Session.Protocol().Traits().Standing; settle != nil {
			standing = settle(&transcript.Transcript{Agents: t.Condition.Agents,
				Entries: t.entries[:min(i, len(t.Session.Transcript().Entries))]})
		}
		t.fillScore(standing, &row.DecisionKey, &row.DecisionJSON, &row.Score, &row.Utilities)
		if agreement, ok := stopping.Agreement(&transcript.Transcript{Agents: t.Condition.Agents,
			Entries: t.entries[:i]}, int(row.Round)); ok {
			row.Agreement = &agreement
		}
		t.rows.Rounds = append(t.rows.Rounds, row)
	}
}

// unreadName is what candidates without a proposal are called among the votes.
const unreadName = "(unread)"

// countVotes returns what each candidate of a count got since the entry of the one before.
func (t *tables) countVotes(count transcript.Entry, since int) *string {
	votes, ballots, names := map[string]float64{}, false, map[string]string{} // by key, which is "" without a proposal
	for _, c := range count.Payload.Candidates {
		name := cmp.Or(c.Key, unreadName)
		if answer := ""; json.Unmarshal([]byte(t.proposalOf(c.Entry)), &answer) == nil {
			name = answer // which says more than its key
		}
		names[c.Key], votes[name] = name, 0
	}
	for _, b := range t.rows.Ballots {
		if int(b.Entry) < since || int(b.Entry) > count.Index {
			continue
		}
		ballots = true
		key := ""
		if b.CandidateKey != nil {
			key = *b.CandidateKey
		}
		// else it is about what no longer stands to the vote
		if name, isCounted := names[key]; isCounted && b.Candidate != nil {
			votes[name] += *b.Value
		}
	}
	for _, c := range count.Payload.Candidates {
		if !ballots {
			votes[names[c.Key]] += float64(len(c.Agents)) // several candidates may be the same answer
		}
	}
	for name, sum := range votes {
		votes[name] = math.Round(sum*1e9) / 1e9 // of fractions
	}
	return encode(votes)
}

// countEntry adds an entry to its round and returns what stands after it.
func (t *tables) countEntry(row *record.Round, e transcript.Entry, standing int) int {
	switch {
	case e.Kind == transcript.Decide:
		d := e.Act.Decision
		row.Voted = row.Voted || len(e.Payload.Candidates) > 0
		row.Candidates, row.Winners = int32(len(e.Payload.Candidates)), int32(len(d.Winners))
		row.Passed = row.Passed || d.Selected >= 0
		row.Changed = row.Changed || d.Standing >= 0 &&
			(standing < 0 || t.Turns[standing].Proposal != t.Turns[d.Standing].Proposal)
		return d.Standing
	case e.Payload.Format == transcript.FormatProposal && e.Act.Status == transcript.Said:
		row.NewProposals++
	case e.Act.Ballot != nil && !e.Act.Ballot.Abstain:
		row.Ballots++
	}
	return standing
}

// fillScore fills what is known of the decision that stands.
func (t *tables) fillScore(standing int, key, text **string, score **float64, utilities *[]float64) {
	if standing < 0 {
		return
	}
	p := t.proposalOf(standing)
	*key, *text = record.Optional(t.Session.Transcript().Entries[standing].Act.Key), record.Optional(string(p))
	if t.level == complete && !t.outside {
		s := t.Instance.Score(p)
		*score, *utilities = &s.Value, s.Utilities
	}
}

func encode(v any) *string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("activities: %T does not marshal: %v", v, err)) // only plain structs come here
	}
	s := string(data)
	return &s
}

func encodeSees(ranges []transcript.Range) string {
	pairs := make([][2]int, len(ranges))
	for i, r := range ranges {
		pairs[i] = [2]int{r.From, r.To}
	}
	return *encode(pairs)
}

// addCollaboration makes the row of the collaboration itself.
func (t *tables) addCollaboration(end task.Ending) {
	cond := t.Condition
	row := record.Collaboration{
		Key: t.key, Status: end.Status, Failure: record.Optional(end.Failure),
		Environment: cond.Env.Name, EnvVersion: int32(cond.Environment.Version()),
		Measure:  string(cond.Environment.Measure()),
		Instance: int32(t.Ref.Cell.Instance), Replicate: int32(t.Ref.Cell.Replicate),
		Protocol: cond.Protocol.Name, Rule: cond.Rule.Name, Model: cond.Model.Name, Simulated: cond.HasSimulated(),
		Agents: int32(cond.Agents), RoundsPlanned: int32(cond.Rounds), RoundsRun: int32(len(t.rows.Rounds)),
		Seed: int64(t.Campaign.Campaign.Seed), SettingsJSON: *encode(cond.Condition.WithoutAddresses()),
		PromptsHash: cond.PackHash, EngineVersion: task.EngineVersion,
		Label: record.Optional(t.Label),
	}
	if t.level > bare {
		row.AgentsJSON = t.seatsText()
		t.fillDecision(&row)
	}
	for _, turn := range t.rows.Turns {
		row.Turns++
		row.Simulated = row.Simulated || turn.ModelSimulated
		row.Asks += turn.Asks
		if turn.Status == string(transcript.Invalid) {
			row.InvalidTurns++
		}
	}
	fillCourse(&row, t.rows)
	row.Outcome = row.Worth(row.Score)
	for i := range t.rows.Rounds {
		t.rows.Rounds[i].Outcome = row.Worth(t.rows.Rounds[i].Score)
	}
	fillSpent(&row, t.rows.Calls)
	t.rows.Collaborations = []record.Collaboration{row}
}

// seatsText returns who sat where; nil if the condition says nothing of its agents.
func (t *tables) seatsText() *string {
	if len(t.Seated) == 0 {
		return nil
	}
	type seat struct {
		Name string `json:"agent"`
		plan.Agent
	}
	var all []seat
	for i, a := range t.Instance.Agents() {
		all = append(all, seat{a.Name, t.Seated[i]})
	}
	return encode(all)
}

// fillDecision fills what the collaboration was about and what it came to.
func (t *tables) fillDecision(row *record.Collaboration) {
	row.InstanceID = t.Instance.ID()
	if known, ok := t.Instance.(envs.Identified); ok {
		row.InstanceHash = record.Optional(known.Identity())
	}
	if asked, ok := t.Instance.(envs.Questioned); ok {
		row.KeyJSON = asked.Question().KeyJSON()
	}
	if o := t.Session.Outcome(); o != nil {
		row.EndReason = o.Reason
	}
	t.fillScore(t.Final(), &row.DecisionKey, &row.DecisionJSON, &row.Score, &row.Utilities)
	if t.outside && t.level == complete {
		if row.Score = t.Scored; t.Final() < 0 && row.Status == task.Succeeded {
			row.Score = new(float64)
		}
	}
	if known, ok := t.Instance.(envs.Compared); ok && t.level == complete {
		score := map[string]float64{}
		for _, b := range known.Baselines() {
			score[b.Name] = b.Score
		}
		row.BaselinesJSON = encode(score)
	}
	for _, r := range t.rows.Rounds {
		if r.DecisionKey != nil {
			row.DecidedRound = &r.Round
			break
		}
	}
}

// fillCourse fills what a list of collaborations says of how each went, so that it needs to
// read no other table.
func fillCourse(row *record.Collaboration, all record.Rows) {
	for _, r := range all.Rounds {
		if r.Agreement != nil {
			row.FinalAgreement = r.Agreement
		}
		if row.Flipped == nil && r.DecisionKey != nil && row.DecisionKey != nil {
			row.Flipped = new(*r.DecisionKey != *row.DecisionKey)
		}
	}
	row.ReaskedTurns, row.CutAnswers = new(int32), new(int32)
	for _, t := range all.Turns {
		if t.Asks > 1 {
			*row.ReaskedTurns++
		}
	}
	for _, c := range all.Calls {
		if model.EndOf(c.FinishReason) == model.Cut {
			*row.CutAnswers++
		}
	}
}

// fillSpent sums the calls up.
func fillSpent(row *record.Collaboration, calls []record.Call) {
	sum := answers.Sum(calls)
	row.Calls, row.InputTokens, row.OutputTokens, row.CostUSD, row.WorstUSD = sum.Calls, sum.InputTokens,
		sum.OutputTokens, sum.CostUSD, sum.WorstUSD
	snapshots := []string{}
	for _, c := range calls {
		if row.StartedAt == 0 || c.StartedAt < row.StartedAt {
			row.StartedAt = c.StartedAt
		}
		if c.Status == "answered" {
			snapshots = append(snapshots, c.ModelAnswered)
			row.EndedAt = max(row.EndedAt, c.StartedAt+*c.LatencyMS*1000)
		}
	}
	slices.Sort(snapshots)
	row.AnsweredBy = *encode(slices.Compact(snapshots))
}

// RowsOfUnfinished makes as many rows as it can of a collaboration that has not ended, from what is
// stored. They are shown and never committed.
func RowsOfUnfinished(c *Collaboration) (record.Rows, error) {
	level := complete
	if c.Session == nil {
		level = bare
	}
	for ; ; level-- {
		rows, err := rowsOf(c, task.Ending{Status: record.Unfinished}, level)
		if err != nil && level > bare {
			continue
		}
		if err != nil {
			return rows, err
		}
		if c.Session != nil { // a round has begun once its first call may be made
			sum := &rows.Collaborations[0]
			sum.RoundsRun = max(sum.RoundsRun, int32(c.Round()))
		}
		return rows.Sorted()
	}
}

// rowLevel is how much of a collaboration makes rows: less where a plug-in fails on them.
type rowLevel int

const (
	bare     rowLevel = iota // that it was and what it paid: nothing that is plugged in is asked
	unvalued                 // all but scores and utilities
	complete
)

// CommitRows makes and commits the rows of an ended collaboration, or as many as can be made, and
// returns them. If some cannot be made, end is changed to say so.
func CommitRows(ctx context.Context, store store.Store, c *Collaboration, end *task.Ending) (commits.Marker,
	commits.Rows, error) {
	end.Failure = campaign.HidePaths(store, end.Ref.Campaign, end.Failure)
	level := complete
	if c.Session == nil {
		level = bare
	}
	for {
		rows, err := rowsOf(c, *end, level)
		if err == nil {
			var marker commits.Marker
			if marker, err = commits.Commit(ctx, store, rows); !errors.Is(err, commits.ErrUnfit) {
				return marker, rows, err
			}
		}
		if failure.IsUnasked(err) {
			return commits.Marker{}, rows, err
		}
		if level == bare {
			return commits.Marker{}, rows, failure.Fail(err)
		}
		MarkFailed(ctx, end, fmt.Errorf("its rows: %w", err))
		level--
	}
}

// MarkFailed sets end's status to failed, with err's text as the failure.
func MarkFailed(ctx context.Context, end *task.Ending, err error) {
	if panicked, ok := errors.AsType[*failure.Panic](err); ok {
		panicked.Log(ctx)
	}
	end.Status, end.Failure = task.Failed, failure.Text(err)
}
