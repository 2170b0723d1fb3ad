package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"roundtable/activities/recorded"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

func newPause(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "pause NAME",
		Short: "Pause a running campaign; answers in flight are kept",
		Args:  cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			err := signalCampaign(ctx, o, name, workflows.SignalPause, workflows.Pause{Reason: "paused by hand"}, "is pausing")
			if !errors.Is(err, engine.ErrNotRunning) {
				return err
			}
			s, p, _, unknown := openRecorded(ctx, o, name)
			switch {
			case unknown != nil:
				return unknown
			case sealed(ctx, s, p):
				return reportDone(o, p, "pause")
			}
			return err
		},
	}
}

func newResume(o *cli.Options) *cobra.Command {
	var t tuning
	noCheck := false
	cmd := &cobra.Command{
		Use:   "resume NAME",
		Short: "Resume a paused or interrupted campaign",
		Args:  cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			s, p, m, err := openRecorded(ctx, o, name)
			if err != nil {
				return err
			}
			if err := t.apply(cmd, &m.Limits); err != nil {
				return err
			}
			if err := recorded.WriteManifest(ctx, s, m); err != nil {
				return err
			}
			if err := recorded.ClearHalt(ctx, s, name); err != nil {
				return err
			}
			if err = signalCampaign(ctx, o, name, workflows.SignalTune, m.Limits, ""); err == nil {
				err = signalCampaign(ctx, o, name, workflows.SignalResume, nil, "resumed")
			}
			if !errors.Is(err, engine.ErrNotRunning) {
				return err
			}
			r := runOptions{Options: o, checks: !noCheck}
			return r.finish(ctx, s, p, m, "roundtable resume "+name)
		},
	}
	t.flags(cmd)
	cmd.Flags().BoolVar(&noCheck, "no-check", false, noCheckUsage)
	return cmd
}

func newTune(o *cli.Options) *cobra.Command {
	var t tuning
	cmd := &cobra.Command{
		Use:   "tune NAME",
		Short: "Change the limits of a campaign, running or not",
		Args:  cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			s, _, m, err := openRecorded(ctx, o, name)
			if err != nil {
				return err
			}
			before := m.Limits // apply replaces its map of models
			if err := t.apply(cmd, &m.Limits); err != nil {
				return err
			}
			tuned := tuned{Campaign: name, Changed: changedLimits(before, m.Limits)}
			if len(tuned.Changed) == 0 {
				return cli.UsageError(errors.New("no limit changes; see roundtable tune --help for the limits"))
			}
			if err := recorded.WriteManifest(ctx, s, m); err != nil {
				return err
			}
			err = signalCampaign(ctx, o, name, workflows.SignalTune, m.Limits, "")
			if tuned.Running = err == nil; err != nil && !errors.Is(err, engine.ErrNotRunning) {
				return err
			}
			if o.JSON {
				return cli.WriteJSON(cmd.OutOrStdout(), tuned)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), tuned)
			return err
		},
	}
	t.flags(cmd)
	return cmd
}

// tuned is the JSON of tune.
type tuned struct {
	Campaign string   `json:"campaign"`
	Running  bool     `json:"running"` // the new limits apply at once
	Changed  []change `json:"changed"`
}

func (t tuned) String() string {
	parts := make([]string, len(t.Changed))
	for i, c := range t.Changed {
		parts[i] = fmt.Sprintf("%s %s → %s", c.Limit, c.Old, c.New)
	}
	text := fmt.Sprintf("%s: new limits applied: %s", t.Campaign, strings.Join(parts, ", "))
	if !t.Running {
		text = fmt.Sprintf("%s is not running here; the next resume uses the new limits: %s", t.Campaign, strings.Join(parts, ", "))
	}
	return text
}

func newCancel(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel NAME",
		Short: "Stop a campaign: every cell that has not ended ends as stopped",
		Args:  cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cancelCampaign(cmd.Context(), o, args[0])
		},
	}
}

// signalCampaign steers a running campaign and tells what is said; nothing if that is empty.
func signalCampaign(ctx context.Context, o *cli.Options, name, signal string, arg any, said string) error {
	err := engine.Signal(ctx, o, name, signal, arg)
	if errors.Is(err, engine.ErrNotRunning) {
		return fmt.Errorf("campaign %q: %w; resume with: roundtable run FILE, or roundtable resume %s", name, err, name)
	}
	if err != nil {
		return fmt.Errorf("campaign %q: %w", name, err)
	}
	if said == "" {
		return nil
	}
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), map[string]string{"campaign": name, "signal": signal})
	}
	fmt.Printf("%s %s\n", name, said)
	return nil
}

// reportDone says of a campaign without anything left to run that a command does nothing.
func reportDone(o *cli.Options, p recorded.Plan, command string) error {
	name, cells := p.Campaign.Name, p.Campaign.Size()
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), map[string]any{"campaign": name, "state": "done", "cells": cells})
	}
	_, err := fmt.Fprintf(o.Stdout(), "%s; there is nothing to %s\n", doneText(name, cells), command)
	return err
}

// doneText says that a campaign is done.
func doneText(name string, cells int) string {
	all := fmt.Sprintf("all %d collaborations", cells)
	if cells == 1 {
		all = "its collaboration"
	}
	return fmt.Sprintf("%s is done already: %s finished", name, all)
}

// cancelCampaign stops a campaign, running or not.
func cancelCampaign(ctx context.Context, o *cli.Options, name string) error {
	err := signalCampaign(ctx, o, name, workflows.SignalCancel, nil, "is being cancelled")
	if !errors.Is(err, engine.ErrNotRunning) {
		return err
	}
	s, p, m, err := openRecorded(ctx, o, name)
	if err != nil {
		return err
	}
	if sealed(ctx, s, p) {
		return reportDone(o, p, "cancel")
	}
	r := runOptions{Options: o}
	e, err := engine.Start(ctx, r.Options, s, engine.Job{Folder: engine.CampaignFolder(o, name)})
	if err != nil {
		return err
	}
	defer e.Stop()
	if err := e.LockCampaign(o, name); err != nil {
		return err
	}
	// The signal comes before the worker: nothing is asked any more.
	in := workflows.CampaignInput{Name: name, Revision: p.Campaign.Revision(), Limits: m.Limits}
	run, err := e.Client.SignalWithStartWorkflow(ctx, workflows.CampaignID(name), workflows.SignalCancel, nil,
		client.StartWorkflowOptions{TaskQueue: task.Queue, WorkflowTaskTimeout: workflows.TaskTimeout}, task.CampaignWorkflow, in)
	if err != nil {
		return err
	}
	if err := e.TakeWork(ctx); err != nil {
		return err
	}
	status, err := r.watch(ctx, e, run, name, p.Campaign.Size())
	if err != nil {
		return err
	}
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), status)
	}
	fmt.Fprintf(os.Stderr, "%s: %d succeeded, %d failed, %d stopped\n", name, status.Succeeded, status.Failed, status.Stopped)
	return nil
}

// openRecorded opens the lake and the plan of a campaign in it.
func openRecorded(ctx context.Context, o *cli.Options, name string) (storage.Store, recorded.Plan, recorded.Manifest, error) {
	s, err := o.OpenLake()
	if err != nil {
		return nil, recorded.Plan{}, recorded.Manifest{}, err
	}
	p, m, err := requirePlan(ctx, o, s, name)
	return s, p, m, err
}

// requirePlan returns present, and says so in words if the lake has no such campaign.
func requirePlan(ctx context.Context, o *cli.Options, s storage.Store, name string) (recorded.Plan, recorded.Manifest, error) {
	p, m, err := recorded.ReadRecorded(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		names, _ := lake.Campaigns(ctx, s)
		err = o.UnknownCampaign(name, names)
	}
	return p, m, err
}
