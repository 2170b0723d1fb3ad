package integrity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"roundtable/activities/answers"
	"roundtable/activities/labels"
	"roundtable/activities/money"
	"roundtable/activities/people"
	"roundtable/activities/scoring"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// compareAnswers holds the rows of ended collaborations against the stored answers that
// they were made from, answers against the intents that announced them, and the
// budget's log against the ledger.
func (v *Verification) compareAnswers(ctx context.Context, s *byName, scored scoring.Scored) error {
	objects := answers.NewAnswers(s)
	runs, err := objects.Runs(ctx, v.Campaign)
	if err != nil {
		return err
	}
	p, _, err := campaign.ReadRecorded(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	judged, err := newJudgements(p, scored)
	if err != nil {
		return err
	}
	// it is found below
	if err := judged.read(ctx, objects, runs,
		func(run answers.RunKey, problem string) { v.find(folderOf(run), problem) }); err != nil &&
		!errors.Is(err, store.ErrCorrupt) {
		return err
	}
	if err := v.compareRows(ctx, s, objects, judged); err != nil {
		return err
	}
	if err := v.compareLabels(ctx, s, objects); err != nil {
		return err
	}
	covered := int64(0) // of what answers have cost
	for _, run := range runs {
		stored, err := objects.Load(ctx, run)
		if err != nil {
			if err := v.noteCorrupt(run, err); err != nil {
				return err
			}
			continue
		}
		if len(stored.Unannounced) > 0 { // intents may not be listed yet
			if more, err := s.findAnswers(ctx, run, stored.Calls(record.Key{})); err != nil {
				return err
			} else if more {
				if stored, err = objects.Load(ctx, run); err != nil {
					return err
				}
			}
		}
		for _, a := range stored.Unannounced {
			v.find(folderOf(run), fmt.Sprintf("the answer to ask %d of entry %d has no intent, which is written "+
				"before a call", a.Ask, a.Entry))
		}
		found, err := people.Check(ctx, s, run.Campaign, run.Collaboration, stored.Turns)
		if err != nil {
			return err
		}
		v.Findings = append(v.Findings, found...)
		covered += stored.Covered()
	}
	return v.compareBudget(ctx, s, covered)
}

// compareLabels holds labels against the stored answers that they were made from, and finds
// those of which nobody says any more how they were made.
func (v *Verification) compareLabels(ctx context.Context, s *byName, objects *answers.Answers) error {
	ids, err := lake.AllLabellers(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	for _, id := range ids {
		how, err := campaign.ReadLabelling(ctx, s, v.Campaign, id)
		if err != nil {
			v.find("labels of "+id, fmt.Sprintf("what labelled cannot be read: %v", err))
		}
		markers, err := lake.LabelMarkers(ctx, s, v.Campaign, id)
		if err != nil {
			return err
		}
		for _, m := range markers {
			if err := v.compareLabelled(ctx, s, objects, m, min(how.Reasks, mostReasks)+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareLabelled compares the labels of one collaboration, of which each took up to some asks.
func (v *Verification) compareLabelled(ctx context.Context, s *byName, objects *answers.Answers,
	m lake.Marker, asks int) error {
	run := labels.RunOf(task.Ref{Campaign: m.Campaign, Collaboration: m.Collaboration, Generation: m.Generation,
		Labeller: m.By})
	rows, err := lake.ReadRows[record.Label](ctx, s, m)
	if err != nil {
		return err
	}
	problems, err := compareLabelsOf(ctx, objects, run, m, rows)
	if err != nil || len(problems) > 0 {
		if more, unheard := s.findAnswers(ctx, run, possibleCalls(rows, asks)); unheard != nil {
			return unheard
		} else if more {
			problems, err = compareLabelsOf(ctx, objects, run, m, rows)
		}
	}
	if err != nil {
		return v.noteCorrupt(run, err)
	}
	for _, problem := range problems {
		v.find(folderOf(run), problem)
	}
	return nil
}

// compareLabelsOf returns what the rows and the marker of labels have that their answers have not.
func compareLabelsOf(ctx context.Context, objects *answers.Answers, run answers.RunKey, m lake.Marker,
	rows []record.Label) (problems []string, err error) {
	stored, err := objects.Load(ctx, run)
	if err != nil {
		return nil, err
	}
	find := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	sum := answers.Sum(stored.Calls(record.Key{}))
	switch calls := int64(sum.Calls); {
	case calls+int64(len(stored.Released)) < m.Calls:
		find("it tells of %d calls, the marker of the labels of %d", calls, m.Calls)
	// something was stored or taken back after the labels
	case calls != m.Calls || int64(len(stored.Unknown)) != m.Unknown:
	case sum.InputTokens != m.InputTokens || sum.OutputTokens != m.OutputTokens ||
		!reflect.DeepEqual(sum.CostUSD, m.CostUSD):
		find("its calls have used and cost something else than the marker of the labels says")
	}
	byHash := map[string]answers.Turn{}
	for _, t := range stored.Turns {
		if len(t.Asks) > 0 {
			byHash[t.Asks[len(t.Asks)-1].SHA256] = t
		}
	}
	for _, row := range rows {
		t, ok := stored.Turn(int(row.Entry))
		if row.Entry < 0 { // of the whole collaboration
			t, ok = byHash[row.AnswerHash]
		}
		switch {
		case !ok || len(t.Asks) == 0 || t.Asks[len(t.Asks)-1].SHA256 != row.AnswerHash:
			find("the label of entry %d names an answer that is not there", row.Entry)
		case !labels.Says(row, t):
			find("the label of entry %d says something else than its answer", row.Entry)
		}
	}
	return problems, nil
}

const (
	mostFirst  = 100 // where the first message of a collaboration is looked for
	mostReasks = 10  // after which answers are looked for
)

// possibleCalls returns the calls that labels can have taken. Those of a whole collaboration do not say their
// entry, which is that of its first message.
func possibleCalls(rows []record.Label, asks int) (calls []record.Call) {
	add := func(entry int32) {
		for ask := range asks {
			calls = append(calls, record.Call{Entry: entry, Ask: int32(ask)})
		}
	}
	for _, row := range rows {
		if row.Entry >= 0 {
			add(row.Entry)
			continue
		}
		for entry := range int32(mostFirst) {
			add(entry)
		}
	}
	return calls
}

func folderOf(run answers.RunKey) string { return "answers of " + run.String() }

// noteCorrupt notes answers that cannot be put together; any other error ends the check.
func (v *Verification) noteCorrupt(run answers.RunKey, err error) error {
	if !errors.Is(err, store.ErrCorrupt) {
		return err
	}
	v.find(folderOf(run), err.Error())
	return nil
}

// compareRows compares what readers see of each collaboration with its answers.
func (v *Verification) compareRows(ctx context.Context, s *byName, objects *answers.Answers,
	judged judgements) error {
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	for rows, err := range lake.Collaborations(ctx, s, d.ByPart(), record.Collaborations, record.Turns, record.Calls) {
		if err != nil {
			return err
		}
		c := rows.Collaborations[0]
		run := answers.RunKey{Campaign: v.Campaign, Collaboration: c.CollaborationID, Generation: int(c.Generation)}
		problems, err := compareRun(ctx, objects, run, rows)
		if err != nil || len(problems) > 0 {
			if more, unheard := s.findAnswers(ctx, run, rows.Calls); unheard != nil {
				return unheard
			} else if more {
				problems, err = compareRun(ctx, objects, run, rows)
			}
		}
		if err != nil {
			if err := v.noteCorrupt(run, err); err != nil {
				return err
			}
			continue
		}
		for _, problem := range problems {
			v.find(folderOf(run), problem)
		}
		v.Compared++
		is, wrong := judged.check(c)
		if is {
			v.Judged++
		}
		if wrong != "" {
			v.find("the row of "+run.String(), wrong)
		}
	}
	return nil
}

// compareRun returns what rows of a collaboration have that its answers have not, or the other way.
func compareRun(ctx context.Context, objects *answers.Answers, run answers.RunKey,
	rows record.Rows) (problems []string, err error) {
	stored, err := objects.Load(ctx, run)
	if err != nil {
		return nil, err
	}
	compare := comparison{run, stored,
		func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }}
	compare.compareTurns(rows.Turns)
	compare.compareCalls(rows.Calls)
	return problems, nil
}

// comparison is of one collaboration.
type comparison struct {
	run    answers.RunKey
	stored answers.Stored
	find   func(format string, args ...any)
}

// compareTurns compares each row that names an answer with the answer.
func (c comparison) compareTurns(rows []record.Turn) {
	for _, row := range rows {
		if row.AnswerHash == "" {
			continue
		}
		t, ok := c.stored.Turn(int(row.Entry))
		switch {
		case !ok || len(t.Asks) == 0:
			c.find("the row of entry %d names an answer that is not there", row.Entry)
		case t.Asks[len(t.Asks)-1].SHA256 != row.AnswerHash:
			c.find("the answer of entry %d is not the one that its row names", row.Entry)
		case int(row.Asks) != len(t.Asks):
			c.find("entry %d has %d answers, its row says %d", row.Entry, len(t.Asks), row.Asks)
		case !isSaid(row.Text, t.Text) || !isSaid(row.Reason, t.Reason) || !isSaid(row.ProposalJSON, t.Proposal):
			c.find("the row of entry %d says something else than its answer", row.Entry)
		}
	}
}

func isSaid(row *string, stored string) bool { return reflect.DeepEqual(row, record.Optional(stored)) }

// compareCalls compares the rows of calls with answers and intents. A call of unknown outcome
// whose answer was stored after the rows were made is not a fault.
func (c comparison) compareCalls(rows []record.Call) {
	type call struct{ entry, ask, attempt int32 }
	key := func(r record.Call) call { return call{r.Entry, r.Ask, r.Attempt} }
	stored := c.stored.Calls(record.Key{})
	theirs := map[call]record.Call{}
	for _, r := range withoutReleased(rows, stored, c.stored.Released) {
		theirs[key(r)] = r
	}
	for _, mine := range stored {
		row, ok := theirs[key(mine)]
		delete(theirs, key(mine))
		switch {
		case !ok:
			c.find("attempt %d at ask %d of entry %d is stored, and no row tells of it", mine.Attempt,
				mine.Ask, mine.Entry)
		case row.Status == "unknown" && mine.Status == "answered":
		case !isSameCall(row, mine):
			c.find("the row of attempt %d at ask %d of entry %d tells of another call than its answer", mine.Attempt,
				mine.Ask, mine.Entry)
		}
	}
	left := make([]call, 0, len(theirs))
	for k := range theirs {
		left = append(left, k)
	}
	slices.SortFunc(left, func(a, b call) int {
		return cmp.Or(cmp.Compare(a.entry, b.entry), cmp.Compare(a.ask, b.ask), cmp.Compare(a.attempt, b.attempt))
	})
	for _, k := range left {
		c.find("attempt %d at ask %d of entry %d has a row, and neither answer nor intent", k.attempt, k.ask, k.entry)
	}
}

// withoutReleased leaves out rows of calls that were taken back after the rows were made: one
// worker, cut off, was refused and could not say so before another made the call and ended
// the collaboration. Attempts after them are numbered as if they had never been, as stored
// ones are.
func withoutReleased(rows, stored []record.Call, released []answers.Intent) []record.Call {
	if len(released) == 0 {
		return rows
	}
	type ask struct{ entry, ask int32 }
	over := map[ask]int{} // rows without a stored call
	for _, r := range rows {
		over[ask{r.Entry, r.Ask}]++
	}
	for _, s := range stored {
		over[ask{s.Entry, s.Ask}]--
	}
	gone := map[ask]int32{}
	var left []record.Call
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b record.Call) int { return cmp.Compare(a.Attempt, b.Attempt) })
	for _, r := range rows {
		its := ask{r.Entry, r.Ask}
		if over[its] > 0 && r.Status == "unknown" && slices.ContainsFunc(released, func(i answers.Intent) bool {
			return int32(i.Entry) == r.Entry && int32(i.Ask) == r.Ask && i.StartedAt == r.StartedAt
		}) {
			over[its]--
			gone[its]++
			continue
		}
		r.Attempt -= gone[its]
		left = append(left, r)
	}
	return left
}

// isSameCall compares what was asked, answered and paid.
func isSameCall(row, stored record.Call) bool {
	stored.Key, stored.Simulated = row.Key, row.Simulated
	return reflect.DeepEqual(row, stored)
}

// compareBudget finds a budget's log that says less than was reserved for answers: an entry of it is missing.
func (v *Verification) compareBudget(ctx context.Context, s store.Store, covered int64) error {
	log, err := money.ReadLog(ctx, s, v.Campaign)
	switch {
	case errors.Is(err, store.ErrCorrupt):
		v.find(money.LogFolder(v.Campaign), err.Error())
		return nil
	case err != nil:
		return err
	case log.Entries == 0 && covered > 0:
		v.find(money.LogFolder(v.Campaign), "it is missing, and calls were reserved in it")
		return nil
	}
	if covered > log.Most.NanoUSD {
		v.find(money.LogFolder(v.Campaign),
			fmt.Sprintf("it says that at most %s were spent or reserved, and of what the answers have cost $%.6f "+
				"were reserved", log.Most, float64(covered)/1e9))
	}
	return nil
}
