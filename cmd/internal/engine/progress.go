package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"time"

	"roundtable/cmd/internal/campaigns"
)

// progressRoom is what the file takes from the start and is written over in place, so
// that it can still be written on a disk that is full.
const progressRoom = 8192

// keepStatus keeps what the workflow has last answered.
func (e *Engine) keepStatus(status any) {
	data, err := json.Marshal(status)
	if err == nil {
		e.latest.Store(&campaigns.Progress{Status: data, At: time.Now().Round(0)})
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
		var now campaigns.Progress
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
