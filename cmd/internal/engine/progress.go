package engine

import (
	"bytes"
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

// progressFile is where the program of an embedded server says every second how its
// workflow is.
const progressFile = "progress.json"

// progressRoom is what the file takes from the start and is written over in place, so
// that it can still be written on a disk that is full.
const progressRoom = 8192

// A workflow that does not answer in this time is as its program has last heard, unless
// that is too long ago; idle, it takes 5 ms.
const (
	answerSoon = 150 * time.Millisecond
	recent     = 15 * time.Second
)

// progress is what a program says of its workflow.
type progress struct {
	Waits  calls.Waits     `json:"waits"` // what turns wait for
	Status json.RawMessage `json:"status,omitempty"`
	At     time.Time       `json:"at"` // of the status
}

// keepStatus keeps what the workflow has last answered.
func (e *Engine) keepStatus(status any) {
	data, err := json.Marshal(status)
	if err == nil {
		e.latest.Store(&progress{Status: data, At: time.Now().Round(0)})
	}
}

// writeProgress keeps the file up to date.
func (e *Engine) writeProgress(ctx context.Context) {
	file, err := os.OpenFile(e.progress, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return // status does without it
	}
	defer file.Close()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for written := ""; ; {
		var now progress
		if latest := e.latest.Load(); latest != nil {
			now = *latest
		}
		now.Waits = e.Activities.Waits()
		text, err := json.Marshal(now)
		text = append(text, bytes.Repeat([]byte(" "), max(progressRoom, len(written), len(text))-len(text))...)
		if err == nil && string(text) != written {
			if _, err = file.WriteAt(text, 0); err == nil {
				written = string(text)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// readProgress returns what the program of a campaign's embedded server says; nil if
// there is none.
func readProgress(o *cli.Options, campaign string) *progress {
	if infra.TargetFromEnv(o.Temporal).HostPort != "" {
		return nil
	}
	var p *progress
	text, err := os.ReadFile(filepath.Join(o.State, CampaignFolder(o, campaign), progressFile))
	if err != nil || json.Unmarshal(text, &p) != nil {
		return nil
	}
	return p
}

// AskStatus returns the status of a campaign's workflow, and since when it is so. A
// worker with much to do takes seconds for an answer: what its program has just heard is
// returned then.
func AskStatus[S any](ctx context.Context, o *cli.Options, c client.Client, campaign, id string) (status S, at time.Time, err error) {
	soon, cancel := context.WithTimeout(ctx, answerSoon)
	defer cancel()
	if status, err = QueryStatus[S](soon, c, id); err == nil || soon.Err() == nil && !isLate(err) {
		return status, time.Now(), err
	}
	if p := readProgress(o, campaign); p != nil && time.Since(p.At) < recent && json.Unmarshal(p.Status, &status) == nil {
		return status, p.At, nil
	}
	status, err = QueryStatus[S](ctx, c, id)
	return status, time.Now(), err
}
