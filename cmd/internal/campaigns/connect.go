package campaigns

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/telemetry"
	"roundtable/infra"
	"roundtable/infra/codec"
	"roundtable/workflows"
)

// OutsideTarget returns the server that flags or environment name; false if they name none.
func OutsideTarget(o *cli.Options) (target infra.Target, ok bool, err error) {
	target = infra.TargetFromEnv(o.Temporal)
	if target.HostPort == "" {
		return target, false, nil
	}
	target.Namespace = cmp.Or(o.Namespace, target.Namespace)
	target.Insecure, target.Logger = o.Insecure, OpenWorkerLog(o)
	target, err = target.WithCredentialsFromEnv()
	return target, true, err
}

// DialOutside connects to the outside server; nil if there is none. Metrics may be nil.
func DialOutside(ctx context.Context, o *cli.Options, metrics client.MetricsHandler) (client.Client, error) {
	target, ok, err := OutsideTarget(o)
	if !ok || err != nil {
		return nil, err
	}
	target.Metrics = metrics
	return infra.Dial(ctx, target)
}

// OpenWorkerLog returns where the SDK reports retries and the like: a file, not the
// terminal, unless a log is asked for.
func OpenWorkerLog(o *cli.Options) *slog.Logger {
	level, err := o.Telemetry.Level()
	if err != nil { // Start has refused it
		return slog.New(slog.DiscardHandler)
	}
	if o.Telemetry.Logs() {
		return slog.New(telemetry.NewHandler(os.Stderr, o.Telemetry.LogFormat, level))
	}
	if err := os.MkdirAll(o.State, 0o700); err != nil {
		return slog.New(slog.DiscardHandler)
	}
	file, err := os.OpenFile(filepath.Join(o.State, "worker.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(telemetry.NewHandler(file, "text", level))
}

// ErrNotRunning says that no engine is there to talk to.
var ErrNotRunning = errors.New("it is not running here")

// Connect finds the engine of a campaign in another process: the outside
// server, or the embedded one of its `roundtable run` in another terminal. A campaign of
// that name that runs there for another lake is refused.
func Connect(ctx context.Context, o *cli.Options, campaign string) (client.Client, error) {
	c, err := DialOutside(ctx, o, nil)
	if err != nil {
		return nil, err
	}
	if c != nil {
		if err := refuseForeign(ctx, o, c, workflows.CampaignID(campaign)); err != nil {
			c.Close()
			return nil, err
		}
		return c, nil
	}
	target, err := infra.TargetIn(filepath.Join(o.State, o.CampaignFolder(campaign)))
	if err != nil {
		return nil, ErrNotRunning
	}
	if _, err := codec.KeysFromEnv(); err != nil {
		return nil, err
	}
	target.Patience, target.Logger = time.Second, slog.New(slog.DiscardHandler)
	if c, err = infra.Dial(ctx, target); err != nil {
		return nil, ErrNotRunning
	}
	return c, nil
}

// Namespace returns the namespace of the engine that Connect finds.
func Namespace(o *cli.Options) string {
	target := infra.TargetFromEnv(o.Temporal)
	if target.HostPort == "" {
		return infra.Namespace
	}
	return cmp.Or(o.Namespace, target.Namespace, infra.Namespace)
}

// Signal signals the workflow of a campaign, wherever it runs; ErrNotRunning
// if it does not.
func Signal(ctx context.Context, o *cli.Options, campaign, signal string, arg any) error {
	c, err := Connect(ctx, o, campaign)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := CheckCodec(ctx, o, c, workflows.CampaignID(campaign)); err != nil {
		return err
	}
	err = c.SignalWorkflow(ctx, workflows.CampaignID(campaign), "", signal, arg)
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return ErrNotRunning
	}
	return NameLate("signal "+signal, err)
}
