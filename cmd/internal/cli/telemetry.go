package cli

import (
	"fmt"
	"log/slog"
	"net"
	"os"

	"github.com/spf13/pflag"
)

// Telemetry is how a command that works on campaigns is seen from outside.
type Telemetry struct {
	Metrics   string // HOST:PORT or :PORT where metrics are served; empty for nowhere
	LogFormat string // text or json: log to standard error; empty: to worker.log
	LogLevel  string // debug, info, warn or error; empty: info, and warn in worker.log
}

// Flags adds the flags of commands that start an engine.
func (t *Telemetry) Flags(f *pflag.FlagSet) {
	f.StringVar(&t.Metrics, "metrics", os.Getenv("ROUNDTABLE_METRICS"),
		"serve Prometheus metrics and health at `HOST:PORT`; :PORT is every interface ($ROUNDTABLE_METRICS)")
	f.StringVar(&t.LogFormat, "log-format", os.Getenv("ROUNDTABLE_LOG_FORMAT"),
		"log to standard error, as `text or json` ($ROUNDTABLE_LOG_FORMAT; default: warnings to worker.log in the state folder)")
	f.StringVar(&t.LogLevel, "log-level", os.Getenv("ROUNDTABLE_LOG_LEVEL"),
		"log from this `level` on: debug, info, warn or error ($ROUNDTABLE_LOG_LEVEL; default: info, and warn in worker.log)")
}

// Check returns what is wrong with the flags, before anything is opened or begun.
func (t Telemetry) Check() error {
	if _, err := t.Level(); err != nil || t.Metrics == "" {
		return err
	}
	_, port, err := net.SplitHostPort(t.Metrics)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return UsageError(fmt.Errorf("--metrics %q: %w; expected HOST:PORT or :PORT", t.Metrics, err))
	}
	return nil
}

// Logs reports whether messages go to standard error as a log.
func (t Telemetry) Logs() bool { return t.LogFormat != "" }

// Level returns the level of the log, or what is wrong with the flags.
func (t Telemetry) Level() (level slog.Level, err error) {
	switch t.LogFormat {
	case "", "text", "json":
	default:
		return level, UsageError(fmt.Errorf("--log-format %q: expected text or json", t.LogFormat))
	}
	switch t.LogLevel {
	case "":
		if t.Logs() {
			return slog.LevelInfo, nil
		}
		return slog.LevelWarn, nil
	case "debug", "info", "warn", "error":
		return level, level.UnmarshalText([]byte(t.LogLevel))
	}
	return level, UsageError(fmt.Errorf("--log-level %q: expected debug, info, warn or error", t.LogLevel))
}
