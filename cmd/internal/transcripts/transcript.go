// Package transcripts reads one collaboration with its prompts and raw answers and
// writes it as a transcript or as JSON. Nothing that a model wrote can steer the
// terminal, and what is lost is said next to the rest.
package transcripts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"roundtable/activities/answers"
	"roundtable/activities/collaboration"
	"roundtable/activities/model"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/cli"
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

// EntryAsked is the prompt and the raw answers of an entry for which a model was asked.
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

// Read reads the parts how of the collaboration that id means. What cannot be read is listed in
// Lost and is not an error.
func Read(ctx context.Context, s store.Store, plugins catalogue.Catalogue, id string, how Parts) (Transcript, error) {
	rows, broken, err := FindRows(ctx, s, plugins, id)
	if err != nil {
		return Transcript{}, err
	}
	if err := how.Check(rows); err != nil {
		return Transcript{}, cli.UsageError(err)
	}
	v := Transcript{Parts: how, rows: rows, story: report.Tell(rows)}
	if broken != nil {
		v.noteLost("What has been answered so far cannot be shown whole", broken)
	}
	of, reader := rows.Collaborations[0].Key, collaboration.NewReader(s, plugins)
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

// Check refuses an entry that the collaboration does not have. One that has not ended may
// have gaps: in a phase all are asked at once.
func (s Parts) Check(rows record.Rows) error {
	c := rows.Collaborations[0]
	switch {
	case s.showsAll() || slices.ContainsFunc(rows.Turns, func(t record.Turn) bool { return int(t.Entry) == s.Entry }):
		return nil
	case c.Status == record.Unfinished:
		return fmt.Errorf("--entry is %d; of the collaboration, which has not ended, %d entries have been answered "+
			"so far", s.Entry, len(rows.Turns))
	case len(rows.Turns) == 0:
		return fmt.Errorf("--entry is %d, and the collaboration has no entries: it ended as %s before it began",
			s.Entry, c.Status)
	}
	return fmt.Errorf("--entry is %d; the collaboration has entries 0 to %d", s.Entry, len(rows.Turns)-1)
}

// Facts returns what collaboration of was about, for its transcript.
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

// About returns what collaboration of was about (facts, question, score of a proposal), for a
// page.
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
	if about.Task != "" {
		told.Facts = append([]report.Fact{{Name: "Task", Text: about.Task}}, told.Facts...)
	}
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
		same := a.IsSame()
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

// Parts says which parts of a collaboration are shown besides its story.
type Parts struct {
	Prompts, Raw bool
	Thinking     bool // what models thought
	Entry        int  // -1 is all
}

// WriteJSON writes the rows, prompts and answers as JSON, in which all that could steer a
// terminal is escaped.
func (v Transcript) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	if err := cli.WriteJSON(&b, v.jsonDocument()); err != nil {
		return err
	}
	_, err := w.Write(wording.EscapeJSON(b.Bytes()))
	return err
}

// ReadAsked returns, by entry, the prompt, answers and calls of each turn of a collaboration, for a
// page. With an error it still returns what can be shown.
func ReadAsked(ctx context.Context, reader *collaboration.Reader, rows record.Rows) (map[int32]report.Asked, error) {
	of, all := rows.Collaborations[0].Key, map[int32]report.Asked{}
	for _, call := range rows.Calls {
		a := all[call.Entry]
		a.Calls = append(a.Calls, call)
		all[call.Entry] = a
	}
	rendered, err := reader.Prompts(ctx, of)
	asked := rendered
	if err != nil { // answers without the prompts
		rest, lost := reader.Answers(ctx, of)
		asked, err = append(asked, rest[min(len(rendered), len(rest)):]...), errors.Join(err, lost)
	}
	for _, turn := range asked {
		a := all[int32(turn.Entry)]
		for _, m := range turn.Prompt {
			a.Prompt = append(a.Prompt, report.Message{Role: m.Role, Content: m.Content})
		}
		if turn.Prompt != nil && !turn.IsSame() {
			a.Differs = turn.Recorded
		}
		for _, answer := range turn.Asks {
			a.Answers = append(a.Answers, report.Answer{Ask: answer.Ask, Fault: answer.Fault, Raw: answer.Text()})
		}
		all[int32(turn.Entry)] = a
	}
	return all, err
}

// rowsJSON returns every table with the columns' names.
func rowsJSON(r record.Rows) map[string]any {
	return map[string]any{
		record.Collaborations: byColumn(r.Collaborations), record.Rounds: byColumn(r.Rounds),
		record.Turns:   byColumn(r.Turns),
		record.Ballots: byColumn(r.Ballots), record.Calls: byColumn(r.Calls),
	}
}

func byColumn[T record.Row](rows []T) []map[string]any {
	list := make([]map[string]any, len(rows))
	for i := range rows {
		list[i] = map[string]any{}
		addColumns(list[i], reflect.ValueOf(rows[i]))
	}
	return list
}

func addColumns(row map[string]any, v reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			addColumns(row, v.Field(i))
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		row[name] = v.Field(i).Interface()
	}
}

// Write writes the transcript. Nothing that a model wrote can steer the terminal.
func (v Transcript) Write(w io.Writer) error {
	var b strings.Builder
	v.tell(&b)
	_, err := io.WriteString(w, wording.SafeLines(b.String()))
	return err
}

func (v Transcript) tell(b *strings.Builder) {
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	v.tellHead(line)
	for _, round := range v.story.Rounds {
		if !v.showsRound(round) {
			continue
		}
		line("\n=== Round %d ===", round.Number)
		for _, phase := range round.Phases {
			v.tellPhase(line, phase)
		}
		if v.showsAll() {
			line("\n  %s", round.Standing)
		}
	}
	if v.showsAll() {
		line("\n%s", v.story.End)
	}
}

func (v Transcript) tellHead(line func(string, ...any)) {
	c := v.story.Collaboration
	line("%s/%s: %s", c.CampaignID, c.CollaborationID, c.Status)
	if c.Generation > 0 {
		line("Generation %d: it was run again.", c.Generation)
	}
	if c.Failure != nil {
		line("It did not succeed: %s", *c.Failure)
	}
	if c.Simulated {
		line("%s.", table.Simulated)
	}
	for _, sentence := range v.story.About {
		line("%s", sentence)
	}
	for _, f := range v.story.Facts {
		if strings.Contains(f.Text, "\n") {
			line("%s:\n    %s", f.Name, strings.ReplaceAll(f.Text, "\n", "\n    "))
		} else {
			line("%s: %s", f.Name, f.Text)
		}
	}
	for _, lost := range v.Lost {
		line("[%s]", lost)
	}
}

func (v Transcript) tellPhase(line func(string, ...any), phase report.Phase) {
	shown := false
	for _, turn := range phase.Turns {
		shown = shown || v.showsEntry(turn.Entry)
	}
	if !shown {
		return
	}
	line("\n-- %s --", phase.Name)
	for _, c := range phase.Candidates {
		line("  Candidate %d (%s): %s", c.Number, c.From, c.Proposal)
	}
	for _, turn := range phase.Turns {
		if v.showsEntry(turn.Entry) {
			v.tellTurn(line, turn)
			v.tellAsked(line, turn.Entry)
		}
	}
}

func (v Transcript) tellTurn(line func(string, ...any), turn report.Turn) {
	line("  %s%s", turn.Who, turn.Does)
	quote := func(mark, text string) {
		if text != "" {
			line("      %s%s", mark, strings.ReplaceAll(text, "\n", "\n      "))
		}
	}
	quote("", turn.Proposal)
	if turn.Again != "" {
		line("      [%s]", turn.Again)
	}
	quote("", turn.Text)
	quote("(private) ", turn.Reason)
	if v.Thinking {
		quote("(thinking) ", turn.Thinking)
	}
}

// tellAsked tells how a model was asked, and what it answered.
func (v Transcript) tellAsked(line func(string, ...any), entry int32) {
	for _, a := range v.Asked {
		if a.Entry != int(entry) {
			continue
		}
		for _, m := range a.Prompt {
			line("      --- prompt of entry %d, %s\n%s", a.Entry, m.Role, strings.TrimRight(m.Content, "\n"))
		}
		if a.Matches != nil && !*a.Matches {
			line("      --- this is NOT the prompt that was sent: its hash is not the recorded %s", a.PromptHash)
		}
		for _, answer := range a.Answers {
			line("      --- answer %d of entry %d, as received%s\n%s", answer.Ask+1, a.Entry, answer.sourceText(),
				strings.TrimRight(answer.Raw, "\n"))
			if answer.Fault != "" {
				line("      --- it cannot be used: %s", answer.Fault)
			}
		}
	}
}

// UnusableAnswers returns a function that reads, by entry, the raw answers that could not be
// used. The tables hold only the reasons.
func UnusableAnswers(ctx context.Context, s store.Store) func(record.Key, []int) (map[int][]report.Unusable, error) {
	ledger := answers.NewAnswers(s)
	return func(of record.Key, entries []int) (map[int][]report.Unusable, error) {
		found := map[int][]report.Unusable{}
		place := answers.RunKey{Campaign: of.CampaignID, Collaboration: of.CollaborationID,
			Generation: int(of.Generation)}
		var all *answers.Stored // read only if turns were stored in batches
		var errs error
		for _, entry := range entries {
			t, err := ledger.Turn(ctx, place, entry)
			if err == nil && len(t.Asks) == 0 {
				if all == nil {
					var stored answers.Stored
					stored, errs = ledger.Load(ctx, place)
					all = &stored
				}
				t, _ = all.Turn(entry)
			}
			errs = errors.Join(errs, err)
			found[entry] = listUnusable(t)
		}
		return found, errs
	}
}

func listUnusable(t answers.Turn) []report.Unusable {
	var list []report.Unusable
	for _, a := range t.Asks {
		if a.Fault != "" {
			list = append(list, report.Unusable{Ask: a.Ask, Fault: a.Fault, Raw: a.Raw})
		}
	}
	return list
}
