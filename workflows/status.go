package workflows

import (
	"time"

	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// CampaignInput starts a campaign, or carries it over into a new run. With a Labeller it
// is the labelling of what has ended of one.
type CampaignInput struct {
	Name     string      `json:"name"`
	Revision string      `json:"revision,omitempty"`
	Labeller string      `json:"labeller,omitempty"` // its id
	Limits   plan.Limits `json:"limits"`
	// Length is how many collaborations one run of the workflow starts; 0 is 500, or
	// twice as many as run at once.
	Length int `json:"length,omitempty"`
	// Until is how many cells of the plan are run, in its order; 0 is all. A
	// pilot runs the first ones.
	Until int `json:"until,omitempty"`
	// Heartbeat is how long an activity may be silent before it is taken for dead; 0 is
	// DefaultHeartbeat.
	Heartbeat time.Duration `json:"heartbeat,omitempty"`
	// Question has the campaign end when the question of its manifest is answered.
	Question bool `json:"question,omitempty"`
	// Notify has word sent of pauses and the end, to whom the manifest names.
	Notify bool `json:"notify,omitempty"`
	Visibility
	// What follows is filled by the workflow itself.
	From    int                `json:"from,omitempty"`
	Queue   []task.Outstanding `json:"queue,omitempty"`
	Running []string           `json:"running,omitempty"` // collaborations under way
	Status  Status             `json:"status"`
	Ended   bool               `json:"cancelled,omitempty"`
	Epoch   int                `json:"epoch,omitempty"` // how often it was resumed
	Held    string             `json:"held,omitempty"`  // why calls are held back; "" if they are not
	Lost    []string           `json:"lost,omitempty"`  // cells that the question needs and that leave nothing
	// Surveying says that a question no longer decides which cells are run.
	Surveying bool `json:"surveying,omitempty"`
}

// Status is how far a campaign is.
type Status struct {
	Revision    string      `json:"revision"`
	Cells       int         `json:"cells"`
	Until       int         `json:"until,omitempty"` // of the input
	Succeeded   int         `json:"succeeded"`
	Failed      int         `json:"failed"`
	Failure     string      `json:"failure,omitempty"` // of the first that failed while this workflow watched
	Stopped     int         `json:"stopped"`
	Answered    int         `json:"answered,omitempty"` // of those stopped, not needed for the question
	Question    bool        `json:"question,omitempty"` // of the input
	Running     int         `json:"running"`
	Paused      bool        `json:"paused"`
	PauseReason string      `json:"pause_reason,omitempty"`
	Notifying   bool        `json:"notifying,omitempty"` // word of a pause is being sent
	Cancelled   bool        `json:"cancelled"`
	Spent       task.Result `json:"spent"`            // sums over ended collaborations
	Sample      []string    `json:"sample,omitempty"` // workflow IDs of some that are running
}

// Done returns the number of cells that have ended.
func (s Status) Done() int { return s.Succeeded + s.Failed + s.Stopped }
