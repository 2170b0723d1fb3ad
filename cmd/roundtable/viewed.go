package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"roundtable/activities/answers"
	"roundtable/activities/collaboration"
	"roundtable/activities/model"
	"roundtable/analysis/record"
	"roundtable/analysis/storage"
	"roundtable/analysis/telling"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
)

// viewed is a collaboration as show prints it.
type viewed struct {
	showing
	rows  record.Rows
	story telling.Story
	Asked []entryAsked // with --prompts or --raw
	Lost  []string     // what cannot be shown, and why
}

// entryAsked is the JSON of an entry that was asked.
type entryAsked struct {
	Entry      int             `json:"entry"`
	Prompt     []model.Message `json:"prompt,omitempty"`
	PromptHash string          `json:"prompt_hash,omitempty"` // recorded when the prompt was sent
	Matches    *bool           `json:"prompt_matches,omitempty"`
	Answers    []answered      `json:"answers,omitempty"`
}

// answered is the JSON of an answer as it was received.
type answered struct {
	answers.Answer
	Raw string `json:"raw"` // in place of the bytes in base64
}

// source says where an answer came from, after a comma.
func (a answered) source() string {
	parts := []string{""}
	for _, part := range []string{a.ModelAnswered, a.FinishReason} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if a.Cached {
		parts = append(parts, "from the cache")
	}
	return strings.Join(parts, ", ")
}

// view reads what show is asked for. What is lost is said beside the rest.
func view(ctx context.Context, s storage.Store, rows record.Rows, how showing) (viewed, error) {
	v := viewed{showing: how, rows: rows, story: telling.Tell(rows)}
	if how.entry >= 0 && !slices.ContainsFunc(rows.Turns, func(t record.Turn) bool { return int(t.Entry) == how.entry }) {
		return v, cli.UsageError(fmt.Errorf("--entry is %d; the collaboration has entries 0 to %d", how.entry, len(rows.Turns)-1))
	}
	of, reader := rows.Collaborations[0].Key, collaboration.NewReader(s, providers.OpenData)
	var err error
	if v.story.Facts, err = facts(ctx, reader, of); err != nil {
		v.lose("What it was about cannot be shown", err)
	}
	if !how.prompts && !how.raw {
		return v, nil
	}
	all, err := reader.Answers(ctx, of)
	if err != nil {
		v.lose("Raw answers are missing", err)
	}
	if how.prompts {
		rendered, err := reader.Prompts(ctx, of)
		if err != nil {
			v.lose("Prompts cannot be rendered again", err)
		}
		all = append(rendered, all[min(len(rendered), len(all)):]...)
	}
	for _, a := range all {
		if v.shows(int32(a.Entry)) && len(a.Asks) > 0 {
			v.Asked = append(v.Asked, how.asked(a))
		}
	}
	return v, nil
}

// facts returns what a collaboration was about, for its story.
func facts(ctx context.Context, reader *collaboration.Reader, of record.Key) (all []telling.Fact, err error) {
	known, err := reader.Facts(ctx, of)
	for _, f := range known {
		all = append(all, telling.Fact(f))
	}
	return all, err
}

func (v *viewed) lose(what string, err error) {
	v.Lost = append(v.Lost, what+": "+strings.ReplaceAll(err.Error(), "\n", "; "))
}

func (s showing) asked(a collaboration.Asked) entryAsked {
	one := entryAsked{Entry: a.Entry, PromptHash: a.Recorded}
	if s.prompts && a.Prompt != nil {
		same := a.Same()
		one.Prompt, one.Matches = a.Prompt, &same
	}
	for _, answer := range a.Asks {
		if s.raw {
			one.Answers = append(one.Answers, answered{answer, strings.ToValidUTF8(string(answer.Raw), string(utf8.RuneError))})
		}
	}
	return one
}

func (s showing) all() bool { return s.entry < 0 }

func (s showing) shows(entry int32) bool { return s.all() || int(entry) == s.entry }

// has reports whether something of a round is shown.
func (s showing) has(round telling.Round) bool {
	for _, phase := range round.Phases {
		for _, turn := range phase.Turns {
			if s.shows(turn.Entry) {
				return true
			}
		}
	}
	return false
}

// document returns the JSON of what is shown.
func (v viewed) document() map[string]any {
	rows := v.rows
	if !v.all() {
		rows.Turns = slices.DeleteFunc(slices.Clone(rows.Turns), func(t record.Turn) bool { return !v.shows(t.Entry) })
		rows.Ballots = slices.DeleteFunc(slices.Clone(rows.Ballots), func(b record.Ballot) bool { return !v.shows(b.Entry) })
		rows.Calls = slices.DeleteFunc(slices.Clone(rows.Calls), func(c record.Call) bool { return !v.shows(c.Entry) })
	}
	d := rowsJSON(rows)
	if len(v.story.Facts) > 0 {
		d["facts"] = v.story.Facts
	}
	if v.Asked != nil {
		d["asked"] = v.Asked
	}
	if v.Lost != nil {
		d["lost"] = v.Lost
	}
	return d
}

// MarshalJSON writes the answer with its raw text as a text.
func (a answered) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(a.Answer)
	if err != nil {
		return nil, err
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, err
	}
	fields["raw"] = a.Raw
	return json.Marshal(fields)
}
