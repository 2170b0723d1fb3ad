// Package labels asks a model which dialogue acts the messages of ended collaborations
// perform (paper 1, appendix D.5), reads its answers and commits the labels. Labels are
// paid for and stored as turns are. It also holds the labeller that uses rules on words
// and needs no model.
package labels

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/commits"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
	"roundtable/activities/setup"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// Labels labels the messages of ended collaborations.
type Labels struct {
	store   store.Store
	answers *answers.Answers
	caller  *calls.Caller
	taker   *calls.Taker
	models  setup.Models

	reading sync.Mutex                  // one at a time reads messages: others then find them
	talks   *lru.Cache[task.Ref, *talk] // whose messages are being labelled
}

// NewLabels returns a Labels that asks through c and t.
func NewLabels(store store.Store, a *answers.Answers, c *calls.Caller, t *calls.Taker, models setup.Models) *Labels {
	talks, err := lru.New[task.Ref, *talk](talksKept)
	if err != nil {
		panic("labels: " + err.Error()) // only a size below 1 is an error
	}
	return &Labels{store: store, answers: a, caller: c, taker: t, models: models, talks: talks}
}

// Bounds of the memory for messages that are being labelled, and of what is read at once.
const (
	talksKept  = 1024
	talksAhead = 256
)

// talk is the messages of one ended collaboration.
type talk struct {
	condition string
	messages  []record.Turn // by entry
}

// talk reads the messages of a collaboration, or finds them in memory. Those that come
// after it in the dataset are read along: their labels are next.
func (s *Labels) talk(ctx context.Context, ref task.Ref) (*talk, error) {
	run := lake.Run{Collaboration: ref.Collaboration, Generation: ref.Generation}
	s.reading.Lock()
	defer s.reading.Unlock()
	if t, ok := s.talks.Get(talkOf(ref.Campaign, run)); ok {
		return t, nil
	}
	d, err := lake.ReadDataset(ctx, s.store, ref.Campaign)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(d.Members, func(m lake.Member) bool { return m.Run == run })
	if i < 0 {
		return nil, failure.Fail(fmt.Errorf("%s is not the latest generation of a collaboration of %s any more", run,
			ref.Campaign))
	}
	ahead := map[lake.Run]bool{}
	for _, m := range d.Members[i:min(i+talksAhead, len(d.Members))] {
		ahead[m.Run] = true
	}
	var found *talk
	for t, err := range s.readTalks(ctx, d.Only(func(m lake.Member) bool { return ahead[m.Run] })) {
		if err != nil {
			return nil, err
		}
		found = cmp.Or(found, t)
	}
	return found, nil
}

// readTalks yields the messages of each member of a dataset, in their order. They are kept in
// memory, for they are about to be labelled.
func (s *Labels) readTalks(ctx context.Context, d lake.Dataset) iter.Seq2[*talk, error] {
	return func(yield func(*talk, error) bool) {
		i := 0
		for rows, err := range lake.Collaborations(ctx, s.store, d, record.Turns) {
			if err != nil {
				yield(nil, err)
				return
			}
			m := d.Members[i]
			i++
			t := &talk{condition: m.Condition}
			for _, turn := range rows.Turns {
				if turn.IsMessage() {
					t.messages = append(t.messages, turn)
				}
			}
			s.talks.Add(talkOf(d.Campaign, m.Run), t)
			if !yield(t, nil) {
				return
			}
		}
	}
}

// talkOf returns what the messages of a collaboration are kept under, whoever labels them.
func talkOf(campaign string, run lake.Run) task.Ref {
	return task.Ref{Campaign: campaign, Collaboration: run.Collaboration, Generation: run.Generation}
}

// RunOf returns the key under which the answers of ref's labeller are stored. They count against
// the campaign's budget like those of its agents.
func RunOf(ref task.Ref) answers.RunKey {
	return answers.RunKey{Campaign: ref.Campaign, Collaboration: ledger.LabelsPrefix + ref.Labeller + "-" +
		ref.Collaboration, Generation: ref.Generation}
}

// questionAbout about one message, after what was said in the round before.
func (l labeller) questionAbout(ref task.Ref, t *talk, message record.Turn) calls.Question {
	order := calls.Order{Run: RunOf(ref), Entry: int(message.Entry), Provider: l.provider, Price: l.Price,
		Messages: l.messagesAbout(t, message)}
	form := Acts()
	if l.CodeBook != nil {
		form = ByBook(*l.CodeBook)
	}
	return Turn(order, l.Generate, l.Reasks, form)
}

// messagesAbout returns the question about one message, or about all of them.
func (l labeller) messagesAbout(t *talk, message record.Turn) []model.Message {
	said := func(m record.Turn) Said { return Said{From: m.AgentName, Text: *m.Text} }
	if l.isWhole() {
		var asked Whole
		for _, m := range t.messages {
			asked.Transcript = append(asked.Transcript, said(m))
		}
		return asked.Messages(l.Words)
	}
	asked := Question{Message: said(message)}
	for _, m := range t.messages {
		if m.Round == message.Round-1 {
			asked.Before = append(asked.Before, said(m))
		}
	}
	return asked.Messages(l.Words)
}

// listAskedItems returns the messages that are asked about: of a collaboration that is labelled as a
// whole, the first stands for all.
func (l labeller) listAskedItems(t *talk) []record.Turn {
	if l.isWhole() {
		return t.messages[:min(1, len(t.messages))]
	}
	return t.messages
}

// begin returns who labels a collaboration, and its messages.
func (s *Labels) begin(ctx context.Context, ref task.Ref) (labeller, *talk, error) {
	l, err := s.buildLabeller(ctx, ref.Campaign, ref.Labeller)
	if err != nil {
		return l, nil, err
	}
	t, err := s.talk(ctx, ref)
	return l, t, err
}

// Open returns the entries of a collaboration that are to be labelled. setting says if they are
// taken from a task queue of the labeller's model.
func (s *Labels) Open(ctx context.Context, ref task.Ref) (setting task.Setting, entries []int, err error) {
	l, t, err := s.begin(ctx, ref)
	if err != nil {
		return setting, nil, err
	}
	m, err := s.caller.Manifest(ctx, ref.Campaign, false)
	if err != nil {
		return setting, nil, err
	}
	for _, m := range l.listAskedItems(t) {
		entries = append(entries, int(m.Entry))
	}
	if queue := setup.ModelQueue(ctx, m, l.provider.Name); queue != "" && len(entries) > 0 {
		setting.Queues, setting.Unlabelled = map[string]string{task.LabelSpeaker: queue}, entries
	}
	return setting, entries, nil
}

// Take labels one message: it does nothing if the label is stored, else makes a call and stores the
// answer.
func (s *Labels) Take(ctx context.Context, in task.Turn) (none transcript.Act, err error) {
	stored, err := s.answers.Turn(ctx, RunOf(in.Ref), in.Entry)
	if err != nil || stored.Done {
		return none, err
	}
	l, t, err := s.begin(ctx, in.Ref)
	if err != nil {
		return none, err
	}
	for _, m := range l.listAskedItems(t) {
		if int(m.Entry) == in.Entry {
			_, err := s.taker.TakeTurnOnce(ctx, l.questionAbout(in.Ref, t, m))
			return none, err
		}
	}
	return none, failure.Fail(fmt.Errorf("entry %d of %s is not a message", in.Entry, in.Collaboration))
}

// LabelInstantly labels all messages of a collaboration with a labeller that takes no time and
// stores the labels as one object.
func (s *Labels) LabelInstantly(ctx context.Context, ref task.Ref, meter *calls.Meter) error {
	l, t, err := s.begin(ctx, ref)
	if err != nil {
		return err
	}
	var labels []answers.Turn
	for _, m := range l.listAskedItems(t) {
		got, err := calls.Instant(ctx, l.questionAbout(ref, t, m), meter)
		if err != nil {
			return err
		}
		labels = append(labels, got)
	}
	_, err = s.answers.PutBatch(ctx, RunOf(ref), labels)
	return err
}

// labeller is one that is at work on a campaign.
type labeller struct {
	campaign.Labelling
	campaign string
	id       string
	provider model.Provider
}

// isWhole reports whether collaborations are labelled, not messages.
func (l labeller) isWhole() bool {
	return l.CodeBook != nil && l.CodeBook.Unit == campaign.UnitCollaboration
}

// buildLabeller builds the model of a recorded labeller. Models keep their
// connections, so that building one again is cheap.
func (s *Labels) buildLabeller(ctx context.Context, name, id string) (labeller, error) {
	l := labeller{campaign: name, id: id}
	var err error
	if l.Labelling, err = campaign.ReadLabelling(ctx, s.store, name, id); err != nil {
		return l, err
	}
	if l.provider, err = s.models(l.Labeller, plan.Condition{}, nil); err != nil {
		return l, failure.Pause(err) // this worker lacks a key
	}
	m, err := s.caller.Manifest(ctx, name, false)
	if err != nil {
		return l, err
	}
	s.caller.Ceiling(m, l.provider)
	return l, nil
}

// Survey returns the next collaborations that a labeller has not labelled yet: the latest
// generation of each that has ended, in any way. p.From counts the members of the dataset.
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

// Record commits the labels of a collaboration, made from the stored answers alone.
func (s *Labels) Record(ctx context.Context, ref task.Ref) (task.Result, error) {
	var result task.Result
	l, t, err := s.begin(ctx, ref)
	if err != nil {
		return result, err
	}
	stored, err := s.answers.Load(ctx, RunOf(ref))
	if err != nil {
		return result, err
	}
	var rows []record.Label
	for _, m := range l.listAskedItems(t) {
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

// Says reports whether row has the labels that its stored answer gives.
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
