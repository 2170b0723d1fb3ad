package telemetry

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"roundtable/activities/calls"
	"roundtable/activities/model"
)

// NewHandler returns a handler that writes messages of at least this level to w, as lines of text
// or JSON.
func NewHandler(w io.Writer, format string, level slog.Level) slog.Handler {
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.NewJSONHandler(w, options)
	}
	return slog.NewTextHandler(w, options)
}

// Lines returns a writer that logs each line written to it, but empty ones, as a message of level
// info.
func Lines(to *slog.Logger) io.Writer { return lines{to} }

type lines struct{ to *slog.Logger }

func (l lines) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		if text := strings.TrimSpace(string(line)); text != "" {
			l.to.Info(text)
		}
	}
	return len(p), nil
}

// Log returns a listener that logs the events an operator needs. It logs no prompts, answers or
// keys, and of a service's error only the status and the code, not its message.
func Log(to *slog.Logger) calls.Listener {
	return &logs{to: to, said: map[[2]string]repeated{}}
}

// sayEvery is how often calls of one model that are made again for one reason are logged.
const sayEvery = time.Minute

type logs struct {
	to *slog.Logger

	mu   sync.Mutex
	said map[[2]string]repeated // by model and outcome
}

// repeated is when something was logged, and how often it has come since.
type repeated struct {
	at    time.Time
	since int
}

// Called logs a call: one that failed as a warning, others for debugging.
func (l *logs) Called(c calls.CallEvent) {
	outcome := c.Outcome()
	level, since := slog.LevelDebug, 0
	switch outcome {
	case calls.Answered, calls.Unusable:
	case calls.Refused, calls.Rejected:
		level = slog.LevelWarn
	default: // it is made again, perhaps with thousands of others
		if due, n := l.isDue(c.Model, outcome); due {
			level, since = slog.LevelWarn, n
		}
	}
	if !l.to.Enabled(context.Background(), level) {
		return
	}
	at := c.Turn()
	attrs := []slog.Attr{
		slog.String("campaign", c.Run.Campaign), slog.String("condition", at.Condition),
		slog.String("collaboration", c.Run.Collaboration), slog.Int("instance", at.Instance),
		slog.Int("replicate", at.Replicate),
		slog.Int("entry", c.Entry), slog.String("model", c.Model), slog.String("outcome", outcome),
		slog.Int64("ms", c.Answer.LatencyMS),
	}
	if e, ok := errors.AsType[*model.Error](c.Err); ok {
		attrs = append(attrs, slog.Int("status", e.Status), slog.String("code", e.Code))
	}
	if c.Err == nil {
		attrs = append(attrs, slog.Int64("input_tokens", c.Answer.Usage.Input),
			slog.Int64("output_tokens", c.Answer.Usage.Output))
	}
	if since > 0 {
		attrs = append(attrs, slog.Int("not_logged", since))
	}
	message := "call answered"
	if c.Err != nil {
		message = "call failed"
	}
	l.to.LogAttrs(context.Background(), level, message, attrs...)
}

// isDue reports whether something is to be logged again, and how often it came unlogged.
func (l *logs) isDue(model, outcome string) (bool, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.said[[2]string{model, outcome}]
	if time.Since(r.at) < sayEvery {
		r.since++
		l.said[[2]string{model, outcome}] = r
		return false, 0
	}
	l.said[[2]string{model, outcome}] = repeated{at: time.Now()}
	return true, r.since
}

// Ended logs a collaboration; why one failed is in the lake.
func (l *logs) Ended(c calls.CollaborationEvent) {
	level := slog.LevelInfo
	if c.Status == "failed" {
		level = slog.LevelWarn
	}
	if !l.to.Enabled(context.Background(), level) {
		return
	}
	row := c.Row()
	l.to.LogAttrs(context.Background(), level, "collaboration ended",
		slog.String("campaign", row.CampaignID), slog.String("condition", row.ConditionID),
		slog.String("collaboration", row.CollaborationID),
		slog.Int("instance", int(row.Instance)), slog.Int("replicate", int(row.Replicate)),
		slog.String("model", row.Model), slog.String("status", c.Status),
		slog.Int("rounds", int(row.RoundsRun)), slog.Int("calls", int(row.Calls)), slog.Any("cost_usd", row.CostUSD))
}

// Compacted logs a compaction.
func (l *logs) Compacted(campaign string, batches int, took time.Duration) {
	l.to.Info("compacted", "campaign", campaign, "batches", batches, "ms", took.Milliseconds())
}
