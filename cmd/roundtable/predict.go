package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"roundtable/activities"
	"roundtable/activities/label"
	"roundtable/analysis/forecast"
	store "roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/workflows/plan"
)

// prediction is what a campaign will take.
type prediction struct {
	forecast.Forecast
	Basis string `json:"basis"` // what it rests on
	// Labels are what labelling takes beside that, by a guess; nil if nobody labels.
	Labels *forecast.Forecast `json:"labels,omitempty"`
}

// guess predicts before any model was asked: from one collaboration of each
// condition that scripted agents play in memory.
func guess(p activities.Plan, m activities.Manifest, s store.Store, most []int) (prediction, error) {
	var sum forecast.Forecast
	for i, c := range p.Campaign.Conditions {
		r, _, err := activities.Rehearse(p, i, "", openData, newProviders(s).build)
		if err != nil {
			return prediction{}, err
		}
		f := forecast.Guess(p.Campaign.CellsOf(i), r.Calls, r.Shown, r.Said, most[i], c.Generate.MaxTokens)
		switch price, ok := m.Prices[c.Model.Name]; {
		case free(c):
			f = f.Price(0, 0)
		case ok && len(c.Models) == 0:
			f = f.Price(price.Input, price.Output)
		}
		if i == 0 {
			sum = f
		} else {
			sum = sum.Add(f)
		}
	}
	return prediction{Forecast: sum, Basis: "a guess: a rehearsal with scripted agents, 2.5 to 6 bytes a token, answers from half as long as theirs to max_tokens; --pilot 0.02 asks the models"}, nil
}

// free says that all models of a condition are simulated or recorded.
func free(c plan.Condition) bool {
	return !slices.ContainsFunc(slices.AppendSeq([]plan.Choice{c.Model}, maps.Values(c.Models)), func(m plan.Choice) bool {
		return !strings.HasPrefix(m.Name, "scripted/") && !strings.HasPrefix(m.Name, "replay/")
	})
}

// guessLabels predicts what the labeller of the file takes; nil if it names none.
func guessLabels(p activities.Plan, m activities.Manifest, s store.Store, most []int) (*forecast.Forecast, error) {
	l := m.Labels
	if l == nil {
		return nil, nil
	}
	sum := forecast.Forecast{CostUSD: new(forecast.Interval)}
	for i, c := range p.Campaign.Conditions {
		cells := p.Campaign.CellsOf(i)
		turns, r, err := activities.Rehearse(p, i, l.Words, openData, newProviders(s).build)
		if err != nil {
			return nil, err
		}
		atMost := r.Calls * most[i] / max(1, turns.Calls)
		f := forecast.Guess(cells, r.Calls, r.Shown, r.Said, max(r.Calls, atMost), l.Generate.MaxTokens)
		// What is labelled may be as much longer as what agents read, not as the labels.
		read := forecast.Guess(cells, turns.Calls, turns.Shown, turns.Said, most[i], c.Generate.MaxTokens).InputTokens
		f.InputTokens.High = f.InputTokens.Mean * read.High / max(1, read.Mean)
		switch {
		case l.Price != nil:
			f = f.Price(l.Price.Input, l.Price.Output)
		case l.Labeller.Name == label.Rules:
			f = forecast.Forecast{CostUSD: new(forecast.Interval)} // it asks nobody
		}
		sum = sum.Add(f)
	}
	return &sum, nil
}

// pilot runs the first cells of a campaign for real and predicts the whole from
// them. They are part of the campaign: run goes on after them.
func (o *options) pilot(ctx context.Context, s store.Store, p activities.Plan, m activities.Manifest, share float64, again string) (prediction, error) {
	conditions := len(p.Campaign.Conditions)
	first := int(math.Ceil(share * float64(p.Campaign.Size())))
	first = min(p.Campaign.Size(), max(2*conditions, (first+conditions-1)/conditions*conditions))
	r := runOptions{options: o, until: first}
	if _, err := r.work(ctx, s, p, m, again); err != nil {
		return prediction{}, err
	}
	pilot, err := endedOf(ctx, s, p, first)
	if err != nil {
		return prediction{}, err
	}
	cells := map[string]int{}
	for i, c := range p.Campaign.Conditions {
		cells[c.ID()] = p.Campaign.CellsOf(i)
	}
	f, ok := forecast.OfPilot(pilot, cells)
	if !ok {
		return prediction{}, exit{exitIncomplete, fmt.Errorf("the pilot of %d cells is too small or failed: no condition may be without a cell that succeeded; `roundtable status %s` says more", first, p.Campaign.Name)}
	}
	return prediction{Forecast: f, Basis: fmt.Sprintf("a pilot of %d of %d cells, with 95 %% intervals", first, p.Campaign.Size())}, nil
}

// endedOf are the rows of the first cells of a plan, as far as they have ended.
func endedOf(ctx context.Context, s store.Store, p activities.Plan, first int) ([]record.Collaboration, error) {
	wanted := map[string]bool{}
	order := p.Campaign.Order()
	for n := range first {
		wanted[p.Campaign.CollaborationID(order.Cell(n))] = true
	}
	d, err := store.ReadDataset(ctx, s, p.Campaign.Name)
	if err != nil {
		return nil, err
	}
	var rows []record.Collaboration
	for row, err := range store.Scan[record.Collaboration](ctx, s, d.Only(func(m store.Member) bool { return wanted[m.Collaboration] })) {
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (p prediction) print(atOnce int) {
	fmt.Printf("\nThe whole campaign, by %s:\n", p.Basis)
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"", "from", "about", "to"})
	row := func(name string, i forecast.Interval, show func(float64) string) {
		t.AppendRow(table.Row{name, show(i.Low), show(i.Mean), show(i.High)})
	}
	count := func(v float64) string {
		if math.IsInf(v, 0) {
			return "?"
		}
		return short(int64(math.Ceil(v)))
	}
	usd := func(v float64) string {
		if math.IsInf(v, 0) {
			return "?"
		}
		return fmt.Sprintf("$%.2f", v)
	}
	row("calls", p.Calls, count)
	row("input tokens", p.InputTokens, count)
	row("output tokens", p.OutputTokens, count)
	if p.CostUSD != nil {
		row("cost", *p.CostUSD, usd)
	} else {
		t.AppendRow(table.Row{"cost", "?", "not known", "?"})
	}
	if l := p.Labels; l != nil {
		row("labels: calls", l.Calls, count)
		row("labels: tokens", l.InputTokens.Add(l.OutputTokens), count)
		if l.CostUSD != nil {
			row("labels: cost", *l.CostUSD, usd)
		} else {
			t.AppendRow(table.Row{"labels: cost", "?", "not known", "?"})
		}
	}
	if p.Seconds != nil {
		row(fmt.Sprintf("time, %d at once", atOnce), *p.Seconds, func(v float64) string {
			if math.IsInf(v, 0) {
				return "?"
			}
			return time.Duration(v / float64(atOnce) * float64(time.Second)).Round(time.Second).String()
		})
	}
	fmt.Fprintln(os.Stdout, t.Render())
}
