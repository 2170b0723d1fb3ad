package collaboration

import (
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/model"
	"roundtable/analysis/lake/record"
	"roundtable/envs"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// addCollaboration makes the row of the collaboration itself.
func (t *tables) addCollaboration(end task.Ending) {
	cond := t.Condition
	row := record.Collaboration{
		Key: t.key, Status: end.Status, Failure: record.Optional(end.Failure),
		Environment: cond.Env.Name, EnvVersion: int32(cond.Environment.Version()),
		Measure:  string(cond.Environment.Measure()),
		Instance: int32(t.Ref.Cell.Instance), Replicate: int32(t.Ref.Cell.Replicate),
		Protocol: cond.Protocol.Name, Rule: cond.Rule.Name, Model: cond.Model.Name, Simulated: cond.AnySimulated(),
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
