// Package task defines what workflows and activities exchange: names, inputs and results. They
// hold no texts, only references and compact acts.
package task

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"roundtable/workflows/plan"
	"roundtable/workflows/transcript"
)

// EngineVersion changes when workflow code can no longer replay the histories of earlier code. A
// new version restarts collaborations from their stored answers.
const EngineVersion = "1"

// Queue is the task queue of this engine's workflows and activities on an embedded server.
const Queue = "roundtable-" + EngineVersion

// LakeQueue returns the task queue of a lake's campaigns on a shared server: a worker with
// another lake never gets their tasks.
func LakeQueue(lake string) string { return Queue + "@" + lake }

// ModelQueue returns the task queue of a model with a limit of calls per minute; queue is its
// campaign's. The server dispatches its tasks at that rate, whatever the number of workers.
func ModelQueue(queue, model string) string { return queue + "/" + model }

// IsModelQueue reports whether a task queue is that of a model.
func IsModelQueue(queue string) bool { return strings.Contains(queue, "/") }

// LongestBackoff is the longest wait between two attempts at a round, unless its error says how
// long to wait.
const LongestBackoff = 30 * time.Second

// Names under which workflows and activities are registered.
const (
	CampaignWorkflow      = "Campaign"
	CollaborationWorkflow = "Collaboration"

	PlayRound     = "PlayRound"     // Round → RoundResult: the calls of one round
	PlayThrough   = "PlayThrough"   // Batch → Played: whole collaborations whose models take no time
	TakeTurn      = "TakeTurn"      // Turn → transcript.Act: one call, of a model whose calls a minute all workers share
	Record        = "Record"        // Ending → Result: the rows of an ended collaboration are committed
	Survey        = "Survey"        // Page → Surveyed: which cells are left
	Ask           = "Ask"           // Asking → Asked: which cells the campaign's question needs next
	StopAnswered  = "StopAnswered"  // Asking → Asked: cells that the question does not need end stopped, if it is answered
	StopUnstarted = "StopUnstarted" // []Ref → nothing: cells that were never started end stopped
	Await         = "Await"         // workflow ID → Result: of a collaboration that an earlier run of its campaign started
	Hold          = "Hold"          // Holding → nothing: calls are held back, or no longer
	Compact       = "Compact"       // campaign's name → nothing: small files of rows become large ones
	Seal          = "Seal"          // Sealing → Surveyed: sums of all that ended
	Notify        = "Notify"        // Notice → nothing: word of a pause or the end is sent, if the campaign asks for it
)

// Holding holds back the calls of a paused or cancelled campaign: those under way are completed,
// and no other starts.
type Holding struct {
	Campaign string `json:"campaign"`
	Reason   string `json:"reason,omitempty"` // "" lets calls start again
}

// Cancelled is the Holding.Reason of a cancelled campaign, whose batches at services are
// cancelled, too.
const Cancelled = "cancelled"

// Types of activity errors that workflows handle.
const (
	ErrPause = "pause" // the operator must act before any call can succeed
	ErrFail  = "fail"  // this collaboration cannot go on
)

// ErrCellFailed is the type of the error of a failed collaboration's workflow; its details are
// the Result.
const ErrCellFailed = "cell-failed"

// ResultIn returns the Result in the error of a failed collaboration's workflow; ok is false if
// it has none.
func ResultIn(err error) (result Result, ok bool) {
	failed, ok := errors.AsType[interface {
		error
		Type() string
		Details(into ...any) error
	}](err)
	ok = ok && failed.Type() == ErrCellFailed && failed.Details(&result) == nil
	return result, ok
}

// Ref names one generation of one cell in one revision of a campaign's plan, or, with a
// Labeller, the labels of an ended collaboration.
type Ref struct {
	Campaign   string    `json:"campaign"`
	Revision   string    `json:"revision,omitempty"`
	Cell       plan.Cell `json:"cell"`
	Generation int       `json:"gen,omitempty"`

	Labeller      string `json:"labeller,omitempty"`      // its id
	Collaboration string `json:"collaboration,omitempty"` // whose messages are labelled
}

// Turn asks for the act of one entry.
type Turn struct {
	Ref
	Entry int `json:"entry"`
	Epoch int `json:"epoch,omitempty"` // see Round
}

// Round asks for one round of a collaboration to be played.
type Round struct {
	Ref
	From int `json:"from"` // the first entry whose act is not known; 0 if nothing is known
	// Elsewhere are the speakers, as keys by Speaker, whose turns are taken one by one from the task
	// queues of their models.
	Elsewhere []string `json:"elsewhere,omitempty"`
	// Epoch is how often the campaign was resumed: in a new epoch, services that have asked for a
	// pause are tried at once.
	Epoch int `json:"epoch,omitempty"`
}

// Act is the act of one entry.
type Act struct {
	Entry int            `json:"e"`
	Act   transcript.Act `json:"a"`
}

// RoundResult is the result of a Round.
type RoundResult struct {
	Committed *Result  `json:"committed,omitempty"` // the collaboration has ended already
	Setting   *Setting `json:"setting,omitempty"`   // where Round.From is 0
	Acts      []Act    `json:"acts,omitempty"`      // from entry Round.From on
}

// Setting is what a workflow needs to know of a collaboration.
type Setting struct {
	Condition  plan.Condition `json:"condition"`
	Agents     int            `json:"agents"`
	Seed       uint64         `json:"seed"`                 // of the treatment
	Judged     bool           `json:"judged,omitempty"`     // a judge scores the final decision
	Unlabelled []int          `json:"unlabelled,omitempty"` // entries whose labels are taken from a queue
	// Queues are, by Speaker, the task queues of speakers whose model has one of its own.
	Queues map[string]string `json:"queues,omitempty"`
}

// Speaker returns the key of a speaker in Setting.Queues.
func Speaker(s transcript.Speaker) string {
	if s.Role != "" {
		return s.Role
	}
	return strconv.Itoa(s.Index)
}

// JudgeSpeaker is the key in Setting.Queues of the judge of final decisions; no protocol has such
// a role.
const JudgeSpeaker = "(judge)"

// LabelSpeaker is the key in Setting.Queues of the model that labels messages.
const LabelSpeaker = "(labeller)"

// JudgeEntry is the Entry of a Turn that asks for the score of the final decision.
const JudgeEntry = -1

// Values of Result.Status and Ending.Status.
const (
	Succeeded = "succeeded"
	Failed    = "failed"
	Stopped   = "stopped"
)

// Answered is the Failure of a cell that was stopped because the campaign's question was answered
// without it (record.Answered).
const Answered = "answered"

// Notice says what happened to a campaign, for Notify.
type Notice struct {
	Campaign  string    `json:"campaign"`
	Revision  string    `json:"revision"`
	Event     string    `json:"event"` // plan.NotifyPause or plan.NotifyEnd
	Reason    string    `json:"reason,omitempty"`
	Key       string    `json:"key,omitempty"` // of a pause: unique to it
	At        time.Time `json:"at,omitzero"`
	Cells     int       `json:"cells"`
	Succeeded int       `json:"succeeded"`
	Failed    int       `json:"failed"`
	Stopped   int       `json:"stopped"`
}

// Ending says how a collaboration ended, for Record.
type Ending struct {
	Ref
	Status  string `json:"status"`
	Failure string `json:"failure,omitempty"`
}

// Result is what a campaign is told of an ended collaboration.
type Result struct {
	Status       string  `json:"status"`
	Failure      string  `json:"failure,omitempty"`
	Calls        int64   `json:"calls,omitempty"`
	Cached       int64   `json:"cached,omitempty"` // answers from the cache, no calls
	InputTokens  int64   `json:"in,omitempty"`
	OutputTokens int64   `json:"out,omitempty"`
	CostUSD      float64 `json:"usd,omitempty"`
	WorstUSD     float64 `json:"worst,omitempty"`    // the most that calls of unknown outcome can have cost
	Unpriced     bool    `json:"unpriced,omitempty"` // some call's cost is not known
}

// Add adds what more has spent to r.
func (r *Result) Add(more Result) {
	r.Calls += more.Calls
	r.Cached += more.Cached
	r.InputTokens += more.InputTokens
	r.OutputTokens += more.OutputTokens
	r.CostUSD += more.CostUSD
	r.WorstUSD += more.WorstUSD
	r.Unpriced = r.Unpriced || more.Unpriced
}

// Page asks for the next cells that have not ended or are to be rerun; with a Labeller, for the
// next ended collaborations that it has not labelled.
type Page struct {
	Campaign string `json:"campaign"`
	Revision string `json:"revision,omitempty"`
	Labeller string `json:"labeller,omitempty"`
	From     int    `json:"from"`
	Limit    int    `json:"limit"`
	Until    int    `json:"until,omitempty"` // cells from this one on are left out; 0 means none
}

// Asking asks for the progress of a campaign's question.
type Asking struct {
	Campaign string `json:"campaign"`
	Revision string `json:"revision"`
	// ids of collaborations, with generation, that cannot be committed: they count as failed
	Lost []string `json:"lost,omitempty"`
}

// Asked is the progress of a campaign's question.
type Asked struct {
	// Cells are those that the question needs and that have not ended, at most as many as fit into a
	// history; some may be under way.
	Cells []Outstanding `json:"cells,omitempty"`
	// Done says that no cell is needed any more: the question is answered, or the plan is at its end.
	Done    bool `json:"done,omitempty"`
	Total   int  `json:"total"`   // cells of the plan
	Stopped int  `json:"stopped"` // cells that StopAnswered has stopped
	Sums         // over all cells that have ended
}

// Surveyed is the result of a Page: its cells.
type Surveyed struct {
	Cells []Outstanding `json:"cells,omitempty"`
	Next  int           `json:"next"` // where the next page begins
	Total int           `json:"total"`
	Sums                // over the ended cells that the page skipped
}

// Sums are totals over ended cells.
type Sums struct {
	Ended []Result `json:"ended,omitempty"` // one sum for each status, and one for Answered
	Count []int    `json:"count,omitempty"` // number of cells in each sum
}

// Outstanding is a cell that is still to be run.
type Outstanding struct {
	ID         string    `json:"id"` // of the collaboration, with its generation
	Cell       plan.Cell `json:"cell"`
	Generation int       `json:"gen,omitempty"`
	Instant    bool      `json:"instant,omitempty"` // it can be played through: answers are instant and free

	Collaboration string `json:"collaboration,omitempty"` // whose messages are to be labelled
}

// Batch holds cells to be played through one after another, without a workflow of their own.
type Batch struct {
	Campaign string        `json:"campaign"`
	Revision string        `json:"revision,omitempty"`
	Labeller string        `json:"labeller,omitempty"`
	Cells    []Outstanding `json:"cells"`
}

// Ref returns the Ref of one of its cells.
func (b Batch) Ref(o Outstanding) Ref {
	return Ref{Campaign: b.Campaign, Revision: b.Revision, Cell: o.Cell, Generation: o.Generation, Labeller: b.Labeller,
		Collaboration: o.Collaboration}
}

// Played is the result of a Batch.
type Played struct {
	Sums
	// Left are the cells that have not ended: for lack of time, or because they need a workflow of
	// their own and so are no longer Instant.
	Left []Outstanding `json:"left,omitempty"`
}

// Sealing asks to seal a campaign's revision after its end.
type Sealing struct {
	Campaign string `json:"campaign"`
	Revision string `json:"revision"`
}

// Add adds an ended cell to the sum of its status; cells that were Answered have a sum of their
// own.
func (s *Sums) Add(r Result) {
	if r.Failure != Answered {
		r.Failure = ""
	}
	for i := range s.Ended {
		if sum := &s.Ended[i]; sum.Status == r.Status && sum.Failure == r.Failure {
			sum.Add(r)
			s.Count[i]++
			return
		}
	}
	s.Ended, s.Count = append(s.Ended, r), append(s.Count, 1)
}
