package exports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"roundtable/activities/collaboration"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/sql"
	"roundtable/cmd/internal/transcripts"
	"roundtable/workflows/catalogue"
)

// ofRun are the columns by which a function's rows are joined with those of the tables.
var ofRun = []record.Column{{Name: "campaign_id", Type: "string"}, {Name: "collaboration_id", Type: "string"},
	{Name: "generation", Type: "int32"}, {Name: "entry", Type: "int32"}}

// sqlFunctions are what a statement can ask for that no table holds, because it is found
// again from the stored answers. Their argument is that of show, or the beginning of
// several: FROM prompts('my-campaign/').
func sqlFunctions(ctx context.Context, s store.Store, plugins catalogue.Catalogue) ([]sql.Function, error) {
	reader := collaboration.NewReader(s, plugins)
	prompts := sql.Function{
		Name: "prompts",
		Columns: append(ofRun[:4:4], []record.Column{
			{Name: "message", Type: "int32"}, {Name: "role", Type: "string"}, {Name: "content", Type: "string"},
			{Name: "prompt_hash", Type: "string"}, {Name: "matches", Type: "boolean"},
		}...),
		Open: eachAsked(ctx, s, reader.Prompts, promptRows),
	}
	answers := sql.Function{
		Name: "raw_answers",
		Columns: append(ofRun[:4:4], []record.Column{
			{Name: "ask", Type: "int32"}, {Name: "raw", Type: "string"}, {Name: "fault", Type: "string"},
			{Name: "model_answered", Type: "string"}, {Name: "finish_reason", Type: "string"},
			{Name: "cached", Type: "boolean"},
		}...),
		Open: eachAsked(ctx, s, reader.Answers, answerRows),
	}
	schema, err := record.InstanceSchema()
	instances := sql.Function{Name: "instances_of", Table: record.Instances, Columns: schema.Columns,
		Open: eachRow(func(campaign string) ([][]any, error) {
			rows, err := instancesOf(ctx, s, plugins, campaign)
			return sql.Values(rows), err
		})}
	tables, failed := record.Schema()
	all := []sql.Function{prompts, answers, instances}
	for _, t := range tables {
		all = append(all, sql.Function{
			Name: "unfinished_" + t.Name + "_of", Table: "unfinished_" + t.Name, Columns: t.Columns,
			Open: eachRow(func(campaign string) ([][]any, error) { return unfinishedRows(ctx, s, plugins, campaign, t.Name) }),
		})
	}
	return all, errors.Join(err, failed)
}

// eachRow returns one row after another of a campaign, which are read when the first is
// asked for; none of no campaign.
func eachRow(read func(campaign string) ([][]any, error)) func(campaign string) (next func() ([]any, error)) {
	return func(campaign string) func() ([]any, error) {
		all, at := sync.OnceValues(func() ([][]any, error) { return read(campaign) }), -1
		return func() ([]any, error) {
			if campaign == "" {
				return nil, io.EOF
			}
			rows, err := all()
			if at++; err == nil && at >= len(rows) {
				err = io.EOF
			}
			if err != nil {
				return nil, err
			}
			return rows[at], nil
		}
	}
}

// instancesOf returns what a campaign asks.
func instancesOf(ctx context.Context, s store.Store, plugins catalogue.Catalogue,
	campaign string) ([]record.Instance, error) {
	all, err := collaboration.NewReader(s, plugins).Instances(ctx, campaign)
	if err != nil {
		return nil, fmt.Errorf("the instances of %s: %w", campaign, err)
	}
	return all, nil
}

func isUnfinished(m lake.Marker) bool { return m.Status == record.Unfinished }

// valuesOf returns the rows of a table as values of its columns.
func valuesOf(rows record.Rows, table string) [][]any {
	switch table {
	case record.Collaborations:
		return sql.Values(rows.Collaborations)
	case record.Rounds:
		return sql.Values(rows.Rounds)
	case record.Turns:
		return sql.Values(rows.Turns)
	case record.Ballots:
		return sql.Values(rows.Ballots)
	}
	return sql.Values(rows.Calls)
}

// unfinishedRows returns the rows of a table of the collaborations of a campaign that have
// begun and not ended.
func unfinishedRows(ctx context.Context, s store.Store, plugins catalogue.Catalogue, campaign,
	table string) (rows [][]any, err error) {
	unfinished, err := transcripts.ReadUnfinished(ctx, s, plugins, campaign)
	if err != nil {
		return nil, err
	}
	for i, one := range unfinished.Rows {
		if err := unfinished.Broken[i]; err != nil {
			return nil, fmt.Errorf("%s/%s, which has not ended: %w", campaign,
				one.Collaborations[0].CollaborationID, err)
		}
		rows = append(rows, valuesOf(one, table)...)
	}
	return rows, nil
}

// promptRows returns a row for each message of an entry's first question.
func promptRows(a collaboration.Asked) (rows [][]any) {
	for i, m := range a.Prompt {
		rows = append(rows, []any{int32(i), m.Role, m.Content, orNil(a.Recorded), a.IsSame()})
	}
	return rows
}

// answerRows returns a row for each answer to an entry, as it was received.
func answerRows(a collaboration.Asked) (rows [][]any) {
	for _, answer := range a.Asks {
		rows = append(rows, []any{int32(answer.Ask), answer.Text(), orNil(answer.Fault), orNil(answer.ModelAnswered),
			orNil(answer.FinishReason), answer.Cached})
	}
	return rows
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// eachAsked returns one row after another of all collaborations that an id or the
// beginning of one means.
func eachAsked(ctx context.Context, s store.Store, read asking,
	rowsOf func(collaboration.Asked) [][]any) func(string) func() ([]any, error) {
	return func(id string) func() ([]any, error) {
		var runs []lake.Marker // still to be read
		var rows [][]any       // of the last one that was read
		found := false
		return func() (row []any, err error) {
			if !found {
				if runs, err = transcripts.FindSome(ctx, s, id); err != nil {
					return nil, err
				}
				if runs = slices.DeleteFunc(runs, isUnfinished); len(runs) == 0 {
					return nil, fmt.Errorf("what %q means has not ended: unfinished_turns has its turns, and "+
						"roundtable show --prompts --raw prints how they were asked", id)
				}
				found = true
			}
			for ; len(rows) == 0; runs = runs[1:] {
				if len(runs) == 0 {
					return nil, io.EOF
				}
				if rows, err = rowsOfRun(ctx, runs[0], read, rowsOf); err != nil {
					return nil, err
				}
			}
			row, rows = rows[0], rows[1:]
			return row, nil
		}
	}
}

// asking reads what was asked in a collaboration.
type asking func(context.Context, record.Key) ([]collaboration.Asked, error)

func rowsOfRun(ctx context.Context, m lake.Marker, read asking,
	rowsOf func(collaboration.Asked) [][]any) (rows [][]any, err error) {
	all, err := read(ctx, record.Key{
		CampaignID: m.Campaign, ConditionID: record.ConditionOf(m.Collaboration), CollaborationID: m.Collaboration,
		Generation: int32(m.Generation),
	})
	if err != nil {
		return nil, fmt.Errorf("%s/%s: %w", m.Campaign, m.Collaboration, err)
	}
	for _, a := range all {
		for _, row := range rowsOf(a) {
			rows = append(rows, append([]any{m.Campaign, m.Collaboration, int32(m.Generation), int32(a.Entry)}, row...))
		}
	}
	return rows, nil
}
