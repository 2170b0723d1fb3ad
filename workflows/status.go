package workflows

import (
	"time"

	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// CampaignInput starts a campaign's workflow, or continues it as a new run. With a Labeller, the
// workflow labels the campaign's ended collaborations.
type CampaignInput struct {
	Name     string      `json:"name"`
	Revision string      `json:"revision,omitempty"`
	Labeller string      `json:"labeller,omitempty"` // its id
	Limits   plan.Limits `json:"limits"`
	// Length is how many collaborations one run of the workflow starts; 0 means 500 or, if greater,
	// twice as many as run at once.
	Length int `json:"length,omitempty"`
	// Until is how many cells of the plan are run, in its order, as a pilot does; 0 means all.
	Until int `json:"until,omitempty"`
	// Heartbeat is how long an activity may go without a heartbeat; 0 means DefaultHeartbeat.
	Heartbeat time.Duration `json:"heartbeat,omitempty"`
	// Question makes the campaign end once the question in its manifest is answered.
	Question bool `json:"question,omitempty"`
	// Notify makes pauses and the end be reported to those whom the manifest names.
	Notify bool `json:"notify,omitempty"`
	Visibility
	// The workflow itself fills in the following fields.
	From    int                `json:"from,omitempty"`
	Queue   []task.Outstanding `json:"queue,omitempty"`
	Running []string           `json:"running,omitempty"` // collaborations under way
	Status  Status             `json:"status"`
	Ended   bool               `json:"cancelled,omitempty"`
	Epoch   int                `json:"epoch,omitempty"` // how often it was resumed
	Held    string             `json:"held,omitempty"`  // why calls are held back; "" if they are not
	Lost    []string           `json:"lost,omitempty"`  // needed cells whose run leaves no commit
	// Surveying says that a question no longer decides which cells are run.
	Surveying bool `json:"surveying,omitempty"`
}

// Status is the progress of a campaign.
type Status struct {
	Revision    string      `json:"revision"`
	Cells       int         `json:"cells"`
	Until       int         `json:"until,omitempty"` // of the input
	Succeeded   int         `json:"succeeded"`
	Failed      int         `json:"failed"`
	Failure     string      `json:"failure,omitempty"` // of the first that failed while this workflow watched
	Stopped     int         `json:"stopped"`
	Answered    int         `json:"answered,omitempty"` // how many of Stopped the question did not need
	Question    bool        `json:"question,omitempty"` // of the input
	Running     int         `json:"running"`
	Paused      bool        `json:"paused"`
	PauseReason string      `json:"pause_reason,omitempty"`
	Notifying   bool        `json:"notifying,omitempty"` // a pause is being reported
	Cancelled   bool        `json:"cancelled"`
	Spent       task.Result `json:"spent"`            // sums over ended collaborations
	Sample      []string    `json:"sample,omitempty"` // workflow IDs of some that are running
}

// Done returns the number of cells that have ended.
func (s Status) Done() int { return s.Succeeded + s.Failed + s.Stopped }
