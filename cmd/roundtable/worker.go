package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"roundtable/analysis/storage"
	"roundtable/infra"
)

func newWorker(o *options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Take part in the campaigns of an outside Temporal server, without running one",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if infra.TargetFromEnv(o.temporal).HostPort == "" {
				return exit{exitUsage, errors.New("a worker needs --temporal HOST:PORT (or TEMPORAL_ADDRESS)")}
			}
			s, err := storage.Open(o.lake)
			if err != nil {
				return exit{exitUsage, err}
			}
			e, err := o.start(cmd.Context(), s, work{})
			if err != nil {
				return err
			}
			defer e.Stop()
			if err := e.work(cmd.Context()); err != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, "working; Ctrl-C lets answers under way come in and ends")
			<-cmd.Context().Done()
			return nil
		},
	}
	return cmd
}
