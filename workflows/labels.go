package workflows

import (
	"cmp"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/task"
)

// pageMessages is about how many messages one run of Labels labels. Each is
// three events of history.
const pageMessages = 2000

// LabelsInput starts the labelling of a campaign, or carries it over into a new run.
type LabelsInput struct {
	Campaign string `json:"campaign"`
	Labeller string `json:"labeller"`           // its id
	Window   int    `json:"window,omitempty"`   // collaborations at once; 0 is DefaultWindow
	Messages int    `json:"messages,omitempty"` // of one run; 0 is 2,000
	// What follows is filled by the workflow itself.
	After  string       `json:"after,omitempty"`
	Status LabelsStatus `json:"status"`
}

// LabelsStatus is how far the labelling of a campaign is.
type LabelsStatus struct {
	Collaborations int         `json:"collaborations"`    // that have ended, and so can be labelled
	Labelled       int         `json:"labelled"`          // of these
	Failed         int         `json:"failed"`            // whose labels could not be made
	Failure        string      `json:"failure,omitempty"` // of the first of them
	Messages       int         `json:"messages"`          // labelled by this workflow, as is what follows
	Invalid        int         `json:"invalid"`           // messages that have no label
	Spent          task.Result `json:"spent"`
}

// LabelsID returns the workflow ID of a labelling.
func LabelsID(campaign, labeller string) string { return "labels/" + campaign + "/" + labeller }

// Labels labels the messages of all collaborations that have ended. Labels are
// stored one by one, and those of a collaboration committed together, so it can
// be thrown away and started again at any time. An error that the operator must
// fix ends it; starting it again goes on.
func Labels(ctx workflow.Context, in LabelsInput) (LabelsStatus, error) {
	l := labels{in: in}
	err := workflow.SetQueryHandler(ctx, QueryStatus, func() (LabelsStatus, error) { return l.in.Status, nil })
	if err != nil {
		return LabelsStatus{}, err
	}
	var page task.Unlabelled
	if err := executeActivity(ctx, task.SurveyLabels, l.currentPage()).Get(ctx, &page); err != nil {
		return l.in.Status, err
	}
	l.in.Status.Collaborations, l.in.Status.Labelled = page.Total, page.Done
	if err := l.labelPage(ctx, page); err != nil {
		return l.in.Status, err
	}
	if page.Next != "" {
		l.in.After = page.Next
		return LabelsStatus{}, workflow.NewContinueAsNewError(ctx, task.LabelsWorkflow, l.in)
	}
	return l.in.Status, nil
}

type labels struct {
	in   LabelsInput
	held error // what the operator must fix
}

func (l *labels) currentPage() task.LabelPage {
	return task.LabelPage{Campaign: l.in.Campaign, Labeller: l.in.Labeller, After: l.in.After, Messages: cmp.Or(l.in.Messages, pageMessages)}
}

// labelPage labels a page, as many collaborations at once as the window has places.
func (l *labels) labelPage(ctx workflow.Context, page task.Unlabelled) error {
	places := workflow.NewSemaphore(ctx, int64(cmp.Or(l.in.Window, DefaultWindow)))
	all := workflow.NewWaitGroup(ctx)
	for _, talk := range page.Talks {
		if err := places.Acquire(ctx, 1); err != nil {
			return err
		}
		all.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer all.Done()
			defer places.Release(1)
			if l.held == nil {
				l.labelMessages(ctx, page, talk)
			}
		})
	}
	all.Wait(ctx)
	if l.held != nil {
		return l.held
	}
	return ctx.Err()
}

// labelMessages labels the messages of one collaboration, all at once, and commits the labels.
func (l *labels) labelMessages(ctx workflow.Context, page task.Unlabelled, talk task.LabelJob) {
	err := askLabeller(ctx, page, talk)
	var result task.LabelResult
	if err == nil {
		err = executeActivity(ctx, task.RecordLabels, talk.LabelRef).Get(ctx, &result)
	}
	if isFixable(err) {
		l.held = temporal.NewNonRetryableApplicationError(messageOf(err), task.ErrPause, nil)
		return
	}
	s := &l.in.Status
	if err != nil {
		if s.Failed++; s.Failure == "" {
			s.Failure = messageOf(err)
		}
		return
	}
	s.Labelled++
	s.Messages += result.Messages
	s.Invalid += result.Invalid
	s.Spent.Add(result.Spent)
}

func askLabeller(ctx workflow.Context, page task.Unlabelled, talk task.LabelJob) error {
	if page.Instant {
		return executeActivity(ctx, task.LabelTalk, talk.LabelRef).Get(ctx, nil)
	}
	on := ctx
	if page.Queue != "" {
		on = workflow.WithTaskQueue(ctx, page.Queue)
	}
	labels := make([]workflow.Future, len(talk.Entries))
	for i, entry := range talk.Entries {
		labels[i] = executeActivity(on, task.LabelMessage, task.LabelTurn{LabelRef: talk.LabelRef, Entry: entry})
	}
	var failed error
	for _, label := range labels { // all of them: their answers are on the way
		failed = moreUrgent(failed, label.Get(ctx, nil))
	}
	return failed
}
