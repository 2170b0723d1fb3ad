package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"roundtable/activities/recorded"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

func newPause(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "pause NAME",
		Short: "Hold a running campaign; answers under way are kept",
		Args:  oneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			err := o.signal(ctx, name, workflows.SignalPause, workflows.Pause{Reason: "paused by hand"}, "is pausing")
			if !errors.Is(err, errNotRunning) {
				return err
			}
			s, p, _, unknown := o.recorded(ctx, name)
			switch {
			case unknown != nil:
				return unknown
			case sealed(ctx, s, p):
				return o.doneAlready(p, "pause")
			}
			return err
		},
	}
}

func newResume(o *options) *cobra.Command {
	var t tuning
	noCheck := false
	cmd := &cobra.Command{
		Use:   "resume NAME",
		Short: "Go on with a campaign: release a paused one, or run what is left of it",
		Args:  oneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			s, p, m, err := o.recorded(ctx, name)
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
			if err = o.signal(ctx, name, workflows.SignalTune, m.Limits, ""); err == nil {
				err = o.signal(ctx, name, workflows.SignalResume, nil, "resumed")
			}
			if !errors.Is(err, errNotRunning) {
				return err
			}
			r := runOptions{options: o, checks: !noCheck}
			return r.finish(ctx, s, p, m, "roundtable resume "+name)
		},
	}
	t.flags(cmd)
	cmd.Flags().BoolVar(&noCheck, "no-check", false, noCheckUsage)
	return cmd
}

func newTune(o *options) *cobra.Command {
	var t tuning
	cmd := &cobra.Command{
		Use:   "tune NAME",
		Short: "Change the limits of a campaign, running or not",
		Args:  oneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			s, _, m, err := o.recorded(ctx, name)
			if err != nil {
				return err
			}
			before := m.Limits // apply replaces its map of models
			if err := t.apply(cmd, &m.Limits); err != nil {
				return err
			}
			tuned := tuned{Campaign: name, Changed: changedLimits(before, m.Limits)}
			if len(tuned.Changed) == 0 {
				return exit{exitUsage, errors.New("no limit changes; see roundtable tune --help for the limits")}
			}
			if err := recorded.WriteManifest(ctx, s, m); err != nil {
				return err
			}
			err = o.signal(ctx, name, workflows.SignalTune, m.Limits, "")
			if tuned.Running = err == nil; err != nil && !errors.Is(err, errNotRunning) {
				return err
			}
			if o.json {
				return writeJSON(cmd.OutOrStdout(), tuned)
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

func newCancel(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel NAME",
		Short: "Stop a campaign: every cell that has not ended ends as stopped",
		Args:  oneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.cancel(cmd.Context(), args[0])
		},
	}
}

// signal steers a running campaign and tells what is said; nothing if that is empty.
func (o *options) signal(ctx context.Context, name, signal string, arg any, said string) error {
	c, err := o.connect(ctx, name)
	if err != nil {
		return fmt.Errorf("campaign %q: %w; resume with: roundtable run FILE, or roundtable resume %s", name, err, name)
	}
	defer c.Close()
	if err := o.readable(ctx, c, workflows.CampaignID(name)); err != nil {
		return fmt.Errorf("campaign %q: %w", name, err)
	}
	err = c.SignalWorkflow(ctx, workflows.CampaignID(name), "", signal, arg)
	if _, missing := errors.AsType[*serviceerror.NotFound](err); missing {
		return fmt.Errorf("campaign %q: %w; resume with: roundtable run FILE, or roundtable resume %s", name, errNotRunning, name)
	}
	if err != nil {
		return fmt.Errorf("campaign %q: %w", name, namingLate("signal "+signal, err))
	}
	if said == "" {
		return nil
	}
	if o.json {
		return writeJSON(o.stdout(), map[string]string{"campaign": name, "signal": signal})
	}
	fmt.Printf("%s %s\n", name, said)
	return nil
}

// doneAlready says of a campaign without anything left to run that a command does nothing.
func (o *options) doneAlready(p recorded.Plan, command string) error {
	name, cells := p.Campaign.Name, p.Campaign.Size()
	if o.json {
		return writeJSON(o.stdout(), map[string]any{"campaign": name, "state": "done", "cells": cells})
	}
	_, err := fmt.Fprintf(o.stdout(), "%s; there is nothing to %s\n", doneText(name, cells), command)
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

// cancel stops a campaign, running or not.
func (o *options) cancel(ctx context.Context, name string) error {
	err := o.signal(ctx, name, workflows.SignalCancel, nil, "is being cancelled")
	if !errors.Is(err, errNotRunning) {
		return err
	}
	s, p, m, err := o.recorded(ctx, name)
	if err != nil {
		return err
	}
	if sealed(ctx, s, p) {
		return o.doneAlready(p, "cancel")
	}
	r := runOptions{options: o}
	e, err := r.start(ctx, s, work{folder: o.campaignFolder(name)})
	if err != nil {
		return err
	}
	defer e.Stop()
	if err := e.hold(o, name); err != nil {
		return err
	}
	// The signal comes before the worker: nothing is asked any more.
	in := workflows.CampaignInput{Name: name, Revision: p.Campaign.Revision(), Limits: m.Limits}
	run, err := e.client.SignalWithStartWorkflow(ctx, workflows.CampaignID(name), workflows.SignalCancel, nil,
		client.StartWorkflowOptions{TaskQueue: task.Queue, WorkflowTaskTimeout: workflows.TaskTimeout}, task.CampaignWorkflow, in)
	if err != nil {
		return err
	}
	if err := e.work(ctx); err != nil {
		return err
	}
	status, err := r.watch(ctx, e, run, name, p.Campaign.Size())
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(o.stdout(), status)
	}
	fmt.Fprintf(os.Stderr, "%s: %d succeeded, %d failed, %d stopped\n", name, status.Succeeded, status.Failed, status.Stopped)
	return nil
}

// recorded opens the lake and the plan of a campaign in it.
func (o *options) recorded(ctx context.Context, name string) (storage.Store, recorded.Plan, recorded.Manifest, error) {
	s, err := o.openLake()
	if err != nil {
		return nil, recorded.Plan{}, recorded.Manifest{}, err
	}
	p, m, err := o.planIn(ctx, s, name)
	return s, p, m, err
}

// planIn is present, and says so in words if the lake has no such campaign.
func (o *options) planIn(ctx context.Context, s storage.Store, name string) (recorded.Plan, recorded.Manifest, error) {
	p, m, err := present(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		names, _ := lake.Campaigns(ctx, s)
		err = o.unknown(name, names)
	}
	return p, m, err
}
