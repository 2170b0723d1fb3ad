package exports

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"roundtable/activities/collaboration"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/analysis/sql"
	"roundtable/analysis/study/worth"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/transcripts"
	"roundtable/workflows/catalogue"
)

// transcriptFormats are formats of other tools that show transcripts: Inspect's log, Inspect Scout's database,
// and the session traces of Hugging Face's Hub.
var transcriptFormats = []string{"eval", "scout", "sts"}

// Talk is a collaboration as a conversation, which is all that these formats know.
type Talk struct {
	record.Collaboration
	About    string // what was run and what was asked
	Messages []Message
}

// Message is one turn, or the first of all: what the collaboration is about.
type Message struct {
	ID        string
	Assistant bool // a model was asked for it; otherwise the rule or the environment speaks
	Text      string
	Thinking  string
	Model     string
	Agent     string // who speaks; "" for the rule and the environment
	Answer    string // what an agent answers with it, where answers are right or wrong
	Score     *float64
}

func (m Message) roleName() string {
	if m.Assistant {
		return "assistant"
	}
	return "user"
}

// Stage writes a file of an export for good later, when all are written.
type Stage func(name string, write func(io.Writer) (int64, error)) error

// stageTranscripts writes the files of a format of transcriptFormats.
func (x *Export) stageTranscripts(ctx context.Context, plugins catalogue.Catalogue, s store.Store, d lake.Dataset,
	tell io.Writer) (files []cli.StagedFile, err error) {
	add := func(name string, write func(io.Writer) (int64, error)) error {
		path := filepath.Join(x.Output, name)
		if err := cli.CheckOutput(path, x.Force); err != nil {
			return cli.UsageError(err)
		}
		f, err := cli.StageFile(path, write)
		if err == nil {
			files = append(files, f)
		}
		return err
	}
	all := readTalks(ctx, collaboration.NewReader(s, plugins), lake.Collaborations(ctx, s, d), tell)
	switch x.Format {
	case "eval":
		err = WriteEval(all, add)
	case "scout":
		err = WriteScout(x.Campaign, all, add)
	default:
		err = WriteTraces(all, add)
	}
	return files, err
}

// readTalks returns collaborations as conversations. A question that cannot be read any more is
// left out, which is said once.
func readTalks(ctx context.Context, reader *collaboration.Reader, all iter.Seq2[record.Rows, error],
	tell io.Writer) iter.Seq2[Talk, error] {
	return func(yield func(Talk, error) bool) {
		warned := false
		for rows, err := range all {
			if err != nil {
				yield(Talk{}, err)
				return
			}
			story := report.Tell(rows)
			if story.Facts, err = transcripts.Facts(ctx, reader, story.Collaboration.Key); err != nil && !warned {
				fmt.Fprintf(tell, "What was asked is left out where it cannot be found again: %s: %v\n",
					story.Collaboration.CollaborationID, err)
				warned = true
			}
			if !yield(talkOf(story, rows.Turns), nil) {
				return
			}
		}
	}
}

func talkOf(story report.Told, turns []record.Turn) Talk {
	c := Talk{Collaboration: story.Collaboration}
	lines := slices.Clone(story.About)
	for _, f := range story.Facts {
		lines = append(lines, f.Name+": "+f.Text)
	}
	c.About = strings.Join(lines, "\n")
	c.Messages = []Message{{ID: "about", Text: c.About}}
	of, graded := map[int32]record.Turn{}, false
	for _, t := range turns {
		of[t.Entry] = t
		u := t.ProposalUtility
		graded = graded || u != nil && *u != 0 && *u != 1
	}
	for _, round := range story.Rounds {
		for _, phase := range round.Phases {
			for _, t := range phase.Turns {
				parts := []string{strings.TrimSpace(t.Who + t.Does), t.Proposal, t.Text}
				if t.Reason != "" {
					parts = append(parts, "(private) "+t.Reason)
				}
				parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
				m := Message{ID: fmt.Sprintf("entry-%d", t.Entry), Assistant: t.Asked, Text: strings.Join(parts, "\n"),
					Thinking: t.Thinking, Model: orEmpty(of[t.Entry].Model)}
				if t.Asked {
					m.Agent = t.Who
				}
				if !graded && worth.IsAnswer(of[t.Entry]) {
					m.Answer, m.Score = orEmpty(of[t.Entry].ProposalKey), of[t.Entry].ProposalUtility
				}
				c.Messages = append(c.Messages, m)
			}
		}
	}
	c.Messages = append(c.Messages, Message{ID: "end", Text: story.End})
	return c
}

// talkID names a collaboration wherever it is.
func (c Talk) talkID() string {
	return fmt.Sprintf("%s/%s.%d", c.CampaignID, c.CollaborationID, c.Generation)
}

// secondsTaken returns how long it took; 0 if it never began.
func (c Talk) secondsTaken() float64 {
	return time.Duration((c.EndedAt - c.StartedAt) * int64(time.Microsecond)).Seconds()
}

// timeText returns a time of a row as RFC 3339.
func timeText(micros int64) string {
	return time.UnixMicro(micros).UTC().Format("2006-01-02T15:04:05.000000-07:00")
}

func orEmpty(s *string) string { return orElse(s, "") }

func orElse(s *string, other string) string {
	if s == nil {
		return other
	}
	return *s
}

// WriteTraces writes the Hub's simple format of session traces, a file for each collaboration:
// https://huggingface.co/docs/hub/session-traces-format
func WriteTraces(all iter.Seq2[Talk, error], add Stage) error {
	for c, err := range all {
		if err != nil {
			return err
		}
		err := add(c.CollaborationID+".jsonl", func(w io.Writer) (int64, error) {
			e := json.NewEncoder(w)
			e.SetEscapeHTML(false)
			err := e.Encode(map[string]any{
				"type": "session", "harness": "roundtable", "id": c.talkID(),
				"name":   c.CampaignID + ": " + c.CollaborationID,
				"status": c.Status, "score": c.Score, "simulated": c.Simulated,
			})
			for _, m := range c.Messages {
				one := map[string]any{"role": m.roleName(), "content": m.Text}
				if m.Thinking != "" {
					one["reasoningContent"] = m.Thinking
				}
				if m.Model != "" {
					one["model"] = m.Model
				}
				if err == nil {
					err = e.Encode(map[string]any{"type": "message", "message": one})
				}
			}
			return int64(len(c.Messages)), err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ScoutRow is a row of Inspect Scout's database of transcripts. Columns that are not Scout's
// are metadata to it: https://meridianlabs-ai.github.io/inspect_scout/db_schema.html
type ScoutRow struct {
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

// WriteScout writes one file with a row for each collaboration.
func WriteScout(campaign string, all iter.Seq2[Talk, error], add Stage) error {
	return add(campaign+".parquet", func(w io.Writer) (int64, error) {
		return sql.WriteParquet(w, func(yield func(ScoutRow, error) bool) {
			for c, err := range all {
				var row ScoutRow
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

func scoutRowOf(c Talk) (ScoutRow, error) {
	messages, err := json.Marshal(inspectMessages(c))
	row := ScoutRow{
		TranscriptID: c.talkID(), SourceType: "roundtable", SourceID: c.CampaignID, Date: timeText(c.StartedAt),
		TaskSet: c.Environment, TaskID: c.InstanceID, TaskRepeat: int64(c.Replicate) + 1,
		Agent: c.Protocol, AgentArgs: c.SettingsJSON, Model: c.Model,
		MessageCount: int64(len(c.Messages)), TotalTime: c.secondsTaken(), TotalTokens: c.InputTokens + c.OutputTokens,
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
func inspectMessages(c Talk) (all []map[string]any) {
	for _, m := range c.Messages {
		one := map[string]any{"id": c.talkID() + "/" + m.ID, "role": m.roleName(), "content": m.Text}
		if m.Thinking != "" {
			one["content"] = []map[string]any{{"type": "reasoning", "reasoning": m.Thinking},
				{"type": "text", "text": m.Text}}
		}
		if m.Model != "" {
			one["model"] = m.Model
		}
		if m.Agent != "" {
			about := object{"agent": m.Agent}
			if m.Answer != "" && m.Score != nil {
				about["answer"], about["score"] = m.Answer, *m.Score
			}
			one["metadata"] = about
		}
		all = append(all, one)
	}
	return all
}
