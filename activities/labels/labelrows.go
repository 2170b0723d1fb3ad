package labels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/commits"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// Survey finds the next collaborations that a labeller has not labelled yet: the latest
// generation of each that has ended, in any way. From counts the members of the dataset.
func (s *Labels) Survey(ctx context.Context, p task.Page) (task.Surveyed, error) {
	found := task.Surveyed{Next: p.From}
	l, err := s.buildLabeller(ctx, p.Campaign, p.Labeller)
	if err != nil {
		return found, err
	}
	d, err := lake.ReadDataset(ctx, s.store, p.Campaign)
	if err != nil {
		return found, err
	}
	labelled, err := lake.LabelledRuns(ctx, s.store, p.Campaign, p.Labeller)
	if err != nil {
		return found, err
	}
	for found.Total = len(d.Members); found.Next < found.Total && len(found.Cells) < p.Limit; found.Next++ {
		m := d.Members[found.Next]
		if labelled[m.Run] {
			found.Add(task.Result{Status: task.Succeeded})
			continue
		}
		found.Cells = append(found.Cells, task.Outstanding{
			ID: m.Run.String(), Collaboration: m.Collaboration, Generation: m.Generation, Instant: l.provider.Instant,
		})
	}
	return found, nil
}

// Record commits the labels of a collaboration. They are made from the stored answers
// alone.
func (s *Labels) Record(ctx context.Context, ref task.Ref) (task.Result, error) {
	var result task.Result
	l, err := s.buildLabeller(ctx, ref.Campaign, ref.Labeller)
	if err != nil {
		return result, err
	}
	t, err := s.talk(ctx, ref)
	if err != nil {
		return result, err
	}
	stored, err := s.answers.Load(ctx, RunOf(ref))
	if err != nil {
		return result, err
	}
	var rows []record.Label
	for _, m := range l.itemsAsked(t) {
		answer, ok := stored.Turn(int(m.Entry))
		if !ok || !answer.Done {
			return result, failure.Fail(fmt.Errorf("the label of entry %d of %s is not stored", m.Entry, RunOf(ref)))
		}
		row, err := l.labelRow(m, answer)
		if err != nil {
			return result, failure.Fail(err)
		}
		rows = append(rows, row)
	}
	marker, err := commits.CommitAnnotations(ctx, s.store, l.markerOf(ref, t.condition, stored), rows)
	if errors.Is(err, commits.ErrConflict) {
		err = failure.Fail(err)
	}
	return ledger.ResultOf(marker.Outcome()), err
}

func (l labeller) labelRow(m record.Turn, answer answers.Turn) (record.Label, error) {
	last := answer.Asks[len(answer.Asks)-1]
	sum := answers.Sum(answers.Stored{Turns: []answers.Turn{answer}}.Calls(m.Key))
	row := record.Label{
		Key: m.Key, Labeller: l.id, Model: l.provider.Name, Entry: m.Entry, Round: m.Round, Agent: *m.Agent,
		Status: record.Labelled, InvalidReason: record.Optional(answer.InvalidReason), Asks: int32(len(answer.Asks)),
		PromptHash: answer.PromptHash, AnswerHash: last.SHA256, Simulated: last.Simulated,
		InputTokens: sum.InputTokens, OutputTokens: sum.OutputTokens, CostUSD: sum.CostUSD,
	}
	row.SchemaVersion = record.SchemaVersion
	if l.CodeBook != nil {
		row.CodeBook = new(l.CodeBook.ID())
	}
	if l.isWhole() {
		row.Entry, row.Round, row.Agent = -1, 0, -1
	}
	if err := show(&row, answer, l.CodeBook != nil); err != nil {
		return row, fmt.Errorf("the stored label of entry %d: %w", m.Entry, err)
	}
	return row, nil
}

// show gives a row the label that an answer holds.
func show(row *record.Label, answer answers.Turn, byBook bool) error {
	if answer.Act.Status == transcript.Invalid {
		row.Status = string(transcript.Invalid)
		return nil
	}
	var acts []string
	if err := json.Unmarshal([]byte(answer.Text), &acts); err != nil {
		return err
	}
	if byBook {
		row.LabelsJSON = &answer.Text
	} else {
		row.Show(acts...)
	}
	return nil
}

// Says reports whether a row has the label that its stored answer holds.
func Says(row record.Label, answer answers.Turn) bool {
	same := record.Label{Key: row.Key, Status: record.Labelled}
	err := show(&same, answer, row.CodeBook != nil)
	return err == nil && row.Status == same.Status && reflect.DeepEqual(row.LabelsJSON, same.LabelsJSON) &&
		slices.Equal(row.Shown(), same.Shown())
}

// markerOf of labels, with what they have cost.
func (l labeller) markerOf(of task.Ref, condition string, stored answers.Stored) lake.Marker {
	sum := answers.Sum(stored.Calls(record.Key{}))
	return lake.Marker{
		Campaign: of.Campaign, Condition: condition, Collaboration: of.Collaboration, Generation: of.Generation,
		By: l.id, Status: task.Succeeded, Charged: stored.Charge(),
		Calls: int64(sum.Calls), Unknown: int64(len(stored.Unknown)), InputTokens: sum.InputTokens,
		OutputTokens: sum.OutputTokens, CostUSD: sum.CostUSD, WorstUSD: sum.WorstUSD,
	}
}
