package exports

import (
	"encoding/json"
	"io"
	"iter"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/sql"
)

// scoutRow is a row of Inspect Scout's database of transcripts. Columns that are not Scout's
// are metadata to it: https://meridianlabs-ai.github.io/inspect_scout/db_schema.html
type scoutRow struct {
	TranscriptID string   `parquet:"transcript_id"`
	SourceType   string   `parquet:"source_type"`
	SourceID     string   `parquet:"source_id"` // the campaign
	Date         string   `parquet:"date"`
	TaskSet      string   `parquet:"task_set"` // the environment
	TaskID       string   `parquet:"task_id"`  // the instance
	TaskRepeat   int64    `parquet:"task_repeat"`
	Agent        string   `parquet:"agent"` // the protocol
	AgentArgs    string   `parquet:"agent_args"`
	Model        string   `parquet:"model"`
	Score        *string  `parquet:"score"` // JSON
	MessageCount int64    `parquet:"message_count"`
	TotalTime    float64  `parquet:"total_time"`
	TotalTokens  int64    `parquet:"total_tokens"`
	Error        *string  `parquet:"error"`
	Messages     string   `parquet:"messages"` // JSON
	Condition    string   `parquet:"condition_id"`
	Rule         string   `parquet:"rule"`
	Label        *string  `parquet:"label"`
	Simulated    bool     `parquet:"simulated"`
	CostUSD      *float64 `parquet:"cost_usd"`
}

// writeScout writes one file with a row for each collaboration.
func writeScout(campaign string, all iter.Seq2[talk, error], add stage) error {
	return add(campaign+".parquet", func(w io.Writer) (int64, error) {
		return sql.WriteParquet(w, func(yield func(scoutRow, error) bool) {
			for c, err := range all {
				var row scoutRow
				if err == nil {
					row, err = scoutRowOf(c)
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		})
	})
}

func scoutRowOf(c talk) (scoutRow, error) {
	messages, err := json.Marshal(inspectMessages(c))
	row := scoutRow{
		TranscriptID: c.talkID(), SourceType: "roundtable", SourceID: c.CampaignID, Date: timeText(c.StartedAt),
		TaskSet: c.Environment, TaskID: c.InstanceID, TaskRepeat: int64(c.Replicate) + 1,
		Agent: c.Protocol, AgentArgs: c.SettingsJSON, Model: c.Model,
		MessageCount: int64(len(c.messages)), TotalTime: c.secondsTaken(), TotalTokens: c.InputTokens + c.OutputTokens,
		Messages: string(messages), Condition: c.ConditionID, Rule: c.Rule, Label: c.Label, Simulated: c.Simulated,
		CostUSD: c.CostUSD,
	}
	if c.Outcome != nil {
		text := sql.Text(*c.Outcome)
		row.Score = &text
	}
	if c.Status != record.Succeeded {
		text := c.Status + ": " + orEmpty(c.Failure)
		row.Error = &text
	}
	return row, err
}

// inspectMessages returns the messages as inspect and Scout have them.
func inspectMessages(c talk) (all []map[string]any) {
	for _, m := range c.messages {
		one := map[string]any{"id": c.talkID() + "/" + m.id, "role": m.roleName(), "content": m.text}
		if m.thinking != "" {
			one["content"] = []map[string]any{{"type": "reasoning", "reasoning": m.thinking},
				{"type": "text", "text": m.text}}
		}
		if m.model != "" {
			one["model"] = m.model
		}
		if m.agent != "" {
			about := object{"agent": m.agent}
			if m.answer != "" && m.score != nil {
				about["answer"], about["score"] = m.answer, *m.score
			}
			one["metadata"] = about
		}
		all = append(all, one)
	}
	return all
}
