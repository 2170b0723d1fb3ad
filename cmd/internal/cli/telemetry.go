package cli

import (
	"os"

	"github.com/spf13/pflag"
)

// Telemetry is how a command that works on campaigns is seen from outside.
type Telemetry struct {
	Metrics string // HOST:PORT or :PORT where metrics are served; empty for nowhere
}

// Flags adds the flags of commands that start an engine.
func (t *Telemetry) Flags(f *pflag.FlagSet) {
	f.StringVar(&t.Metrics, "metrics", os.Getenv("ROUNDTABLE_METRICS"), "serve Prometheus metrics and health at `HOST:PORT`; :PORT is every interface ($ROUNDTABLE_METRICS)")
}
