package commands

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/infra"
)

func newWorker(o *cli.Options) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "worker",
		Short:   "Take part in the campaigns of an outside Temporal server, without running one",
		GroupID: toRun,
		Long: `Take part in the campaigns of an outside Temporal server, without running one.
It needs the same lake, keys and data folders as the machine that runs them, and
says which campaigns it takes part in, and which not and why.
See roundtable help temporal.`,
		Example: `  roundtable worker --temporal temporal.example.org:7233 --lake s3://bucket/study`,
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Telemetry.Check(); err != nil {
				return err
			}
			if infra.TargetFromEnv(o.Temporal).HostPort == "" {
				return cli.UsageError(errors.New("a worker needs --temporal HOST:PORT (or TEMPORAL_ADDRESS)"))
			}
			s, _, err := o.CreateLake()
			if err != nil {
				return err
			}
			e, err := engine.Start(cmd.Context(), o, s, engine.Job{})
			if err != nil {
				return err
			}
			defer e.Stop()
			if err := e.TakeWork(cmd.Context()); err != nil {
				return err
			}
			fmt.Fprintf(e.Notices(), "working: %s\nCtrl-C lets answers under way come in and ends\n", e.Describe())
			if err := e.Neighbours(cmd.Context(), e.Notices()); err != nil {
				return cli.UsageError(err)
			}
			return nil
		},
	}
	o.Telemetry.Flags(cmd.Flags())
	return cmd
}
