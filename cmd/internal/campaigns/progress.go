package campaigns

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/sdk/client"

	"roundtable/activities/calls"
	"roundtable/cmd/internal/cli"
	"roundtable/infra"
)

// ProgressFile is where the program of an embedded server says every second how its
// workflow is.
const ProgressFile = "progress.json"

// A workflow that does not answer in this time is as its program has last heard, unless
// that is too long ago; idle, it takes 5 ms.
const (
	answerSoon = 150 * time.Millisecond
	recent     = 15 * time.Second
)

// Progress is what a program says of its workflow.
type Progress struct {
	Waits  calls.Waits     `json:"waits"` // what turns wait for
	Status json.RawMessage `json:"status,omitempty"`
	At     time.Time       `json:"at"` // of the status
}

// readProgress returns what the program of a campaign's embedded server says; nil if
// there is none.
func readProgress(o *cli.Options, campaign string) *Progress {
	if infra.TargetFromEnv(o.Temporal).HostPort != "" {
		return nil
	}
	var p *Progress
	text, err := os.ReadFile(filepath.Join(o.State, o.CampaignFolder(campaign), ProgressFile))
	if err != nil || json.Unmarshal(text, &p) != nil {
		return nil
	}
	return p
}

// AskStatus returns the status of a campaign's workflow, and since when it is so. A
// worker with much to do takes seconds for an answer: what its program has just heard is
// returned then.
func AskStatus[S any](ctx context.Context, o *cli.Options, c client.Client, campaign, id string) (status S,
	at time.Time, err error) {
	soon, cancel := context.WithTimeout(ctx, answerSoon)
	defer cancel()
	if status, err = QueryStatus[S](soon, c, id); err == nil || soon.Err() == nil && !IsLate(err) {
		return status, time.Now(), err
	}
	if p := readProgress(o, campaign); p != nil && time.Since(p.At) < recent &&
		json.Unmarshal(p.Status, &status) == nil {
		return status, p.At, nil
	}
	status, err = QueryStatus[S](ctx, c, id)
	return status, time.Now(), err
}
