// Package transcripts reads one collaboration with its prompts and raw answers and
// writes it as a transcript or as JSON. Nothing that a model wrote can steer the
// terminal, and what is lost is said next to the rest.
package transcripts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"roundtable/activities/answers"
	"roundtable/activities/collaboration"
	"roundtable/activities/model"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
)

// Transcript is a collaboration as show prints it.
type Transcript struct {
	Parts
	rows  record.Rows
	story report.Told
	Asked []EntryAsked // with --prompts or --raw
	Lost  []string     // what cannot be shown, and why
}

// EntryAsked is the JSON of an entry that was asked.
type EntryAsked struct {
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

// sourceText says where an answer came from, after a comma.
func (a answered) sourceText() string {
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

// Read reads what show is asked for, of the collaboration that an id means. What is lost is
// said next to the rest.
func Read(ctx context.Context, s store.Store, plugins catalogue.Catalogue, id string, how Parts) (Transcript, error) {
	rows, broken, err := FindRows(ctx, s, plugins, id)
	if err != nil {
		return Transcript{}, err
	}
	if err := how.check(rows); err != nil {
		return Transcript{}, cli.UsageError(err)
	}
	v := Transcript{Parts: how, rows: rows, story: report.Tell(rows)}
	if broken != nil {
		v.noteLost("What has been answered so far cannot be shown whole", broken)
	}
	of, reader := rows.Collaborations[0].Key, collaboration.NewReader(s, plugins, providers.OpenData)
	if v.story.Facts, err = Facts(ctx, reader, of); err != nil {
		v.noteLost("What it was about cannot be shown", err)
	}
	if !how.Prompts && !how.Raw {
		return v, nil
	}
	all, err := reader.Answers(ctx, of)
	if err != nil {
		v.noteLost("Raw answers are missing", err)
	}
	if how.Prompts {
		rendered, err := reader.Prompts(ctx, of)
		if err != nil {
			v.noteLost("Prompts cannot be rendered again", err)
		}
		all = append(rendered, all[min(len(rendered), len(all)):]...)
	}
	for _, a := range all {
		if v.showsEntry(int32(a.Entry)) && len(a.Asks) > 0 {
			v.Asked = append(v.Asked, how.askedOf(a))
		}
	}
	return v, nil
}

// check refuses an entry that the collaboration does not have. One that has not ended may
// have gaps: in a phase all are asked at once.
func (s Parts) check(rows record.Rows) error {
	c := rows.Collaborations[0]
	switch {
	case s.showsAll() || slices.ContainsFunc(rows.Turns, func(t record.Turn) bool { return int(t.Entry) == s.Entry }):
		return nil
	case c.Status == record.Unfinished:
		return fmt.Errorf("--entry is %d; of the collaboration, which has not ended, %d entries have been answered so far", s.Entry, len(rows.Turns))
	case len(rows.Turns) == 0:
		return fmt.Errorf("--entry is %d, and the collaboration has no entries: it ended as %s before it began",
			s.Entry, c.Status)
	}
	return fmt.Errorf("--entry is %d; the collaboration has entries 0 to %d", s.Entry, len(rows.Turns)-1)
}

// Facts returns what a collaboration was about, for its story.
func Facts(ctx context.Context, reader *collaboration.Reader, of record.Key) ([]report.Fact, error) {
	about, err := reader.About(ctx, of)
	return factsOf(about), err
}

func factsOf(about collaboration.About) (all []report.Fact) {
	for _, f := range about.Facts {
		all = append(all, report.Fact(f))
	}
	return all
}

// About returns what a collaboration was about, for a page.
func About(ctx context.Context, reader *collaboration.Reader, of record.Key) (report.About, error) {
	about, err := reader.About(ctx, of)
	if err != nil {
		return report.About{}, err
	}
	worth := func(proposal string) (report.Worth, bool) {
		score, ok := about.Worth(proposal)
		return report.Worth(score), ok
	}
	told := report.About{Facts: factsOf(about), Worth: worth}
	if q := about.Question; q != nil {
		told.Question = report.Question{Text: q.Text, Context: q.Context, Options: q.Options}
	}
	return told, nil
}

func (v *Transcript) noteLost(what string, err error) {
	v.Lost = append(v.Lost, what+": "+strings.ReplaceAll(err.Error(), "\n", "; "))
}

func (s Parts) askedOf(a collaboration.Asked) EntryAsked {
	one := EntryAsked{Entry: a.Entry, PromptHash: a.Recorded}
	if s.Prompts && a.Prompt != nil {
		same := a.Same()
		one.Prompt, one.Matches = a.Prompt, &same
	}
	for _, answer := range a.Asks {
		if s.Raw {
			one.Answers = append(one.Answers, answered{answer, answer.Text()})
		}
	}
	return one
}

func (s Parts) showsAll() bool { return s.Entry < 0 }

func (s Parts) showsEntry(entry int32) bool { return s.showsAll() || int(entry) == s.Entry }

// showsRound reports whether something of a round is shown.
func (s Parts) showsRound(round report.Round) bool {
	for _, phase := range round.Phases {
		for _, turn := range phase.Turns {
			if s.showsEntry(turn.Entry) {
				return true
			}
		}
	}
	return false
}

// jsonDocument returns the JSON of what is shown.
func (v Transcript) jsonDocument() map[string]any {
	rows := v.rows
	if !v.showsAll() {
		rows.Turns = slices.DeleteFunc(slices.Clone(rows.Turns),
			func(t record.Turn) bool { return !v.showsEntry(t.Entry) })
		rows.Ballots = slices.DeleteFunc(slices.Clone(rows.Ballots),
			func(b record.Ballot) bool { return !v.showsEntry(b.Entry) })
		rows.Calls = slices.DeleteFunc(slices.Clone(rows.Calls),
			func(c record.Call) bool { return !v.showsEntry(c.Entry) })
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

// Parts is which parts of a collaboration are shown.
type Parts struct {
	Prompts, Raw bool
	Thinking     bool // what models thought
	Entry        int  // -1 is all
}

// WriteJSON writes the rows; what could steer a terminal is escaped, which JSON
// itself demands only of some control characters.
func (v Transcript) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	if err := cli.WriteJSON(&b, v.jsonDocument()); err != nil {
		return err
	}
	_, err := w.Write(wording.EscapeJSON(b.Bytes()))
	return err
}
