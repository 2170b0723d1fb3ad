package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.temporal.io/sdk/client"

	"roundtable/analysis/lake/campaign"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// Signal steers a running campaign and tells what is said; nothing if that is empty.
func Signal(ctx context.Context, o *cli.Options, name, signal string, arg any, said string) error {
	err := campaigns.Signal(ctx, o, name, signal, arg)
	if errors.Is(err, campaigns.ErrNotRunning) {
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

// ReportDone says of a campaign without anything left to run that a command does nothing.
func ReportDone(o *cli.Options, p campaign.Plan, command string) error {
	name, cells := p.Campaign.Name, p.Campaign.Size()
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), map[string]any{"campaign": name, "state": "done", "cells": cells})
	}
	_, err := fmt.Fprintf(o.Stdout(), "%s; there is nothing to %s\n", DoneText(name, cells), command)
	return err
}

// DoneText says that a campaign is done.
func DoneText(name string, cells int) string {
	all := fmt.Sprintf("all %d collaborations", cells)
	if cells == 1 {
		all = "its collaboration"
	}
	return fmt.Sprintf("%s is done already: %s finished", name, all)
}

// Cancel stops a campaign, running or not.
func Cancel(ctx context.Context, o *cli.Options, name string) error {
	err := RequestCancel(ctx, o, name, "is being cancelled")
	if !errors.Is(err, campaigns.ErrNotRunning) {
		return err
	}
	s, p, m, err := campaigns.Open(ctx, o, name)
	if err != nil {
		return err
	}
	if campaigns.IsSealed(ctx, s, p) {
		return ReportDone(o, p, "cancel")
	}
	r := Options{Options: o}
	e, err := engine.Start(ctx, r.Options, s, engine.Job{Folder: o.CampaignFolder(name)})
	if err != nil {
		return err
	}
	defer e.Stop()
	if ctx, err = e.LockCampaign(ctx, o, name); err != nil {
		return err
	}
	// Halt and signal come before the worker: nothing is asked any more.
	halt := campaign.Halt{Reason: task.Cancelled, At: time.Now().UTC(), Holds: true, ByHand: true}
	before, err := campaign.ReadHalt(ctx, s, name)
	if err != nil {
		return err
	}
	if err := campaign.WriteHalt(ctx, s, name, halt); err != nil {
		return errors.Join(err, restoreHalt(ctx, s, name, halt, before))
	}
	in := workflows.CampaignInput{Name: name, Revision: p.Campaign.Revision(), Limits: m.Limits,
		Question: m.Until != nil, Heartbeat: e.Heartbeat(), Notify: true, Visibility: e.Visibility(ctx, o)}
	run, err := e.Client.SignalWithStartWorkflow(ctx, workflows.CampaignID(name), workflows.SignalCancel, nil,
		client.StartWorkflowOptions{TaskQueue: e.Queue, WorkflowTaskTimeout: workflows.TaskTimeout},
		task.CampaignWorkflow, in)
	if err = campaigns.NameLate("signal "+workflows.SignalCancel, err); campaigns.IsLate(err) { // it may have arrived
		return err
	}
	if err != nil {
		return errors.Join(err, restoreHalt(ctx, s, name, halt, before))
	}
	if err := e.TakeWork(ctx); err != nil {
		return err
	}
	status, err := r.watch(ctx, e, run, name, p.Campaign.Size())
	if err == nil {
		err = campaign.ClearSameHalt(ctx, s, name, &halt)
	}
	if err != nil {
		return err
	}
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), status)
	}
	fmt.Fprintf(os.Stderr, "%s: %d succeeded, %d failed, %d stopped\n", name, status.Succeeded, status.Failed,
		status.Stopped)
	return nil
}
