// Package task is what workflows and activities say to each other: names,
// inputs and results. Texts never travel here, only references and compact acts.
package task

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"roundtable/workflows/plan"
	"roundtable/workflows/transcript"
)

// EngineVersion changes when workflow code would no longer replay the histories
// that an earlier one recorded. Another version restarts collaborations from
// their stored answers.
const EngineVersion = "1"

// Queue is the task queue of this engine's workflows and activities on an embedded server.
const Queue = "roundtable-" + EngineVersion

// LakeQueue returns the task queue of a lake's campaigns on a server that others use as
// well: a worker with another lake never gets their tasks.
func LakeQueue(lake string) string { return Queue + "@" + lake }

// ModelQueue returns the task queue of a model with a limit of calls a minute, which
// goes with the queue of its campaign: the server gives its tasks out at that rate, to
// however many workers there are.
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

// Holding holds back the calls of a campaign that is paused or cancelled: those under
// way come in, and no other begins.
type Holding struct {
	Campaign string `json:"campaign"`
	Reason   string `json:"reason,omitempty"` // "" lets calls begin again
}

// Cancelled is the reason of the Holding of a campaign that is cancelled: its batches are, too.
const Cancelled = "cancelled"

// Types of activity errors that a workflow acts on.
const (
	ErrPause = "pause" // the operator must act before any call can succeed
	ErrFail  = "fail"  // this collaboration cannot go on
)

// ErrCellFailed is the type of the error of a collaboration's workflow that failed; its
// details are the Result.
const ErrCellFailed = "cell-failed"

// ResultIn returns the result that the error of a failed collaboration holds.
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

// Turn asks for one entry.
type Turn struct {
	Ref
	Entry int `json:"entry"`
	Epoch int `json:"epoch,omitempty"` // see Round
}

// Round asks for one round of a collaboration to be played.
type Round struct {
	Ref
	From int `json:"from"` // the first entry whose act is not known; 0 if nothing is known
	// Elsewhere are the speakers whose turns are taken one by one, from the task
	// queues of their models, by Speaker.
	Elsewhere []string `json:"elsewhere,omitempty"`
	// Epoch is how often the campaign was resumed: in a new one services are tried at once that
	// have asked for a pause.
	Epoch int `json:"epoch,omitempty"`
}

// Act is what came of one entry.
type Act struct {
	Entry int            `json:"e"`
	Act   transcript.Act `json:"a"`
}

// RoundResult is what is known after a round.
type RoundResult struct {
	Committed *Result  `json:"committed,omitempty"` // the collaboration has ended already
	Setting   *Setting `json:"setting,omitempty"`   // where Round.From is 0
	Acts      []Act    `json:"acts,omitempty"`      // from Round.From on
}

// Setting is what a workflow needs to follow a collaboration.
type Setting struct {
	Condition  plan.Condition `json:"condition"`
	Agents     int            `json:"agents"`
	Seed       uint64         `json:"seed"`                 // of the treatment
	Judged     bool           `json:"judged,omitempty"`     // a judge scores the final decision
	Unlabelled []int          `json:"unlabelled,omitempty"` // entries whose labels are taken from a queue
	// Queues are the task queues of the turns of speakers whose model has one of
	// its own, by Speaker.
	Queues map[string]string `json:"queues,omitempty"`
}

// Speaker returns the key of a speaker in Queues.
func Speaker(s transcript.Speaker) string {
	if s.Role != "" {
		return s.Role
	}
	return strconv.Itoa(s.Index)
}

// JudgeSpeaker is the key in Queues of who scores a final decision; no role of a
// protocol is called so.
const JudgeSpeaker = "(judge)"

// LabelSpeaker is likewise that of who labels messages.
const LabelSpeaker = "(labeller)"

// JudgeEntry is the entry of a Turn that asks for the score of the final decision.
const JudgeEntry = -1

// Status of an ended cell.
const (
	Succeeded = "succeeded"
	Failed    = "failed"
	Stopped   = "stopped"
)

// Answered is the failure of a cell that ended stopped because the campaign's question was
// answered without it (record.Answered).
const Answered = "answered"

// Notice says what has happened to a campaign.
type Notice struct {
	Campaign  string    `json:"campaign"`
	Revision  string    `json:"revision"`
	Event     string    `json:"event"` // plan.NotifyPause or plan.NotifyEnd
	Reason    string    `json:"reason,omitempty"`
	Key       string    `json:"key,omitempty"` // of a pause: no other has it
	At        time.Time `json:"at,omitzero"`
	Cells     int       `json:"cells"`
	Succeeded int       `json:"succeeded"`
	Failed    int       `json:"failed"`
	Stopped   int       `json:"stopped"`
}

// Ending says how a collaboration ended.
type Ending struct {
	Ref
	Status  string `json:"status"`
	Failure string `json:"failure,omitempty"`
}

// Result is what the campaign learns of an ended collaboration.
type Result struct {
	Status       string  `json:"status"`
	Failure      string  `json:"failure,omitempty"`
	Calls        int64   `json:"calls,omitempty"`
	Cached       int64   `json:"cached,omitempty"` // answers from the cache, no calls
	InputTokens  int64   `json:"in,omitempty"`
	OutputTokens int64   `json:"out,omitempty"`
	CostUSD      float64 `json:"usd,omitempty"`
	WorstUSD     float64 `json:"worst,omitempty"`    // what calls of unknown outcome have cost at most
	Unpriced     bool    `json:"unpriced,omitempty"` // some call's cost is not known
}

// Add sums what was spent.
func (r *Result) Add(more Result) {
	r.Calls += more.Calls
	r.Cached += more.Cached
	r.InputTokens += more.InputTokens
	r.OutputTokens += more.OutputTokens
	r.CostUSD += more.CostUSD
	r.WorstUSD += more.WorstUSD
	r.Unpriced = r.Unpriced || more.Unpriced
}

// Page asks for the next cells that have not ended, or are to run once more; with a
// Labeller, for the next collaborations that have ended and that it has not labelled.
type Page struct {
	Campaign string `json:"campaign"`
	Revision string `json:"revision,omitempty"`
	Labeller string `json:"labeller,omitempty"`
	From     int    `json:"from"`
	Limit    int    `json:"limit"`
	Until    int    `json:"until,omitempty"` // cells from here on are left out; 0 leaves none out
}

// Asking asks how far a campaign's question is.
type Asking struct {
	Campaign string `json:"campaign"`
	Revision string `json:"revision"`
	// collaborations, with their generation, that cannot be committed: they count as failed
	Lost []string `json:"lost,omitempty"`
}

// Asked is how far it is.
type Asked struct {
	// Cells are those that it needs and that have not ended, at most as many as fit into a
	// history; some may be under way.
	Cells []Outstanding `json:"cells,omitempty"`
	// Done says that no cell is needed any more: the question is answered, or the plan is at its end.
	Done    bool `json:"done,omitempty"`
	Total   int  `json:"total"`   // cells of the plan
	Stopped int  `json:"stopped"` // cells that this has ended
	Sums         // of all cells that have ended
}

// Surveyed is a page of cells.
type Surveyed struct {
	Cells []Outstanding `json:"cells,omitempty"`
	Next  int           `json:"next"` // where the next page begins
	Total int           `json:"total"`
	Sums                // of the cells passed over
}

// Sums are of cells that have ended.
type Sums struct {
	Ended []Result `json:"ended,omitempty"` // one sum for each status, and one for Answered
	Count []int    `json:"count,omitempty"` // how many cells each sum is of
}

// Outstanding is a cell that is still to be run.
type Outstanding struct {
	ID         string    `json:"id"` // of the collaboration, with its generation
	Cell       plan.Cell `json:"cell"`
	Generation int       `json:"gen,omitempty"`
	Instant    bool      `json:"instant,omitempty"` // it can be played through: answers take no time and cost nothing

	Collaboration string `json:"collaboration,omitempty"` // whose messages are to be labelled
}

// Batch are cells to be played through one after another, without a workflow of their own.
type Batch struct {
	Campaign string        `json:"campaign"`
	Revision string        `json:"revision,omitempty"`
	Labeller string        `json:"labeller,omitempty"`
	Cells    []Outstanding `json:"cells"`
}

// Ref names one of its cells.
func (b Batch) Ref(o Outstanding) Ref {
	return Ref{Campaign: b.Campaign, Revision: b.Revision, Cell: o.Cell, Generation: o.Generation, Labeller: b.Labeller,
		Collaboration: o.Collaboration}
}

// Played is what came of a Batch.
type Played struct {
	Sums
	// Left are the cells that have not ended: those that time was too short for, and
	// those that need a workflow of their own, which are no longer Instant.
	Left []Outstanding `json:"left,omitempty"`
}

// Sealing ends a campaign's revision.
type Sealing struct {
	Campaign string `json:"campaign"`
	Revision string `json:"revision"`
}

// Add counts an ended cell. Those that were not needed are a sum of their own.
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
