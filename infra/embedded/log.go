package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	serverlog "go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

// maxLog is the size at which a start empties server.log.
const maxLog = 8 << 20

func openLog(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "server.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("infra: server log: %w", err)
	}
	err = restrictFile(file.Name(), 0o600)
	if info, statErr := file.Stat(); err == nil && statErr == nil && info.Size() > maxLog {
		err = file.Truncate(0)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("infra: server log: %w", err)
	}
	return file, nil
}

// serverLog writes the server's messages to a slog.Logger.
type serverLog struct {
	to   *slog.Logger
	with []tag.Tag // of every message
}

func newServerLog(to *slog.Logger) serverlog.Logger { return serverLog{to: to} }

func (l serverLog) write(level slog.Level, msg string, tags []tag.Tag) {
	ctx := context.Background()
	if !l.to.Enabled(ctx, level) {
		return
	}
	var attrs []slog.Attr
	for _, t := range slices.Concat(l.with, tags) {
		attrs = append(attrs, slog.Any(t.Key(), t.Value()))
	}
	l.to.LogAttrs(ctx, level, msg, attrs...)
}

func (l serverLog) Debug(msg string, tags ...tag.Tag)  { l.write(slog.LevelDebug, msg, tags) }
func (l serverLog) Info(msg string, tags ...tag.Tag)   { l.write(slog.LevelInfo, msg, tags) }
func (l serverLog) Warn(msg string, tags ...tag.Tag)   { l.write(slog.LevelWarn, msg, tags) }
func (l serverLog) Error(msg string, tags ...tag.Tag)  { l.write(slog.LevelError, msg, tags) }
func (l serverLog) DPanic(msg string, tags ...tag.Tag) { l.write(slog.LevelError, msg, tags) }

func (l serverLog) Panic(msg string, tags ...tag.Tag) {
	l.write(slog.LevelError, msg, tags)
	panic("embedded Temporal server: " + msg)
}

// Fatal ends the process, as the server's own logger does: it is called on
// goroutines of the server, which cannot go on. Nothing durable is lost.
func (l serverLog) Fatal(msg string, tags ...tag.Tag) {
	l.write(slog.LevelError, msg, tags)
	fmt.Fprint(os.Stderr, "embedded Temporal server: ", msg)
	for _, t := range tags {
		fmt.Fprintf(os.Stderr, " %s=%v", t.Key(), t.Value())
	}
	fmt.Fprintln(os.Stderr)
	os.Exit(1)
}

// With only keeps the tags: the server asks for such loggers several times a
// call, and next to no message is ever written.
func (l serverLog) With(tags ...tag.Tag) serverlog.Logger {
	return serverLog{l.to, slices.Concat(l.with, tags)}
}
