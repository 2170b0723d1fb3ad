package activities

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"roundtable/activities/ledger"
	"roundtable/activities/setup"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// surveyed is how many cells Survey looks up at once.
const surveyed = 500

// Survey returns the next cells that have not ended, and sums up those it passed over. It reads
// only the markers of the cells that it looks at: a page costs the same however large the campaign
// is.
func (a *Activities) Survey(ctx context.Context, p task.Page) (task.Surveyed, error) {
	if p.Labeller != "" {
		return a.labels.Survey(ctx, p)
	}
	camp, err := a.plans.Load(ctx, p.Campaign, p.Revision)
	if err != nil {
		return task.Surveyed{}, err
	}
	s := survey{store: a.config.Store, campaign: camp}
	if s.again, err = campaign.ReadRerun(ctx, s.store, p.Campaign); err != nil {
		return task.Surveyed{}, err
	}
	if s.again != nil {
		if s.generations, err = lake.Generations(ctx, s.store, p.Campaign); err != nil {
			return task.Surveyed{}, err
		}
	}
	found := task.Surveyed{Next: p.From, Total: camp.Campaign.Size()}
	if p.Until > 0 {
		found.Total = min(found.Total, p.Until)
	}
	order := camp.Campaign.Order()
	for found.Next < found.Total && len(found.Cells) < p.Limit {
		cells := make([]plan.Cell, min(surveyed, found.Total-found.Next))
		for i := range cells {
			cells[i] = order.Cell(found.Next + i)
		}
		markers, err := s.latestMarkers(ctx, cells)
		if err == nil && !s.asked && slices.ContainsFunc(markers, isStopped) {
			markers, err = s.goOn(ctx, cells, markers)
		}
		if err != nil {
			return task.Surveyed{}, err
		}
		for i := 0; i < len(cells) && len(found.Cells) < p.Limit; i++ {
			s.add(&found, cells[i], markers[i])
		}
	}
	return found, nil
}

// survey looks up cells of a campaign.
type survey struct {
	store    store.Store
	campaign *setup.Campaign
	again    campaign.RerunRequest
	// a cell was found that a question had stopped, or may run again: all and generations are known
	asked       bool
	all         bool           // no question ends the campaign any more: such cells are run
	generations map[string]int // the latest, by collaboration; nil if no cell was ever run again
}

// latestMarkers returns how the latest generation of each cell ended; nil where none has.
func (s survey) latestMarkers(ctx context.Context, cells []plan.Cell) ([]*lake.Marker, error) {
	markers := make([]*lake.Marker, len(cells))
	return markers, lake.Each(ctx, len(cells), func(ctx context.Context, i int) error {
		id := s.campaign.CollaborationID(task.Ref{Cell: cells[i]})
		run := lake.Run{Collaboration: id, Generation: s.generations[id]}
		m, err := lake.ReadMarker(ctx, s.store, run.MarkerKey(s.campaign.Campaign.Name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		markers[i] = &m
		return err
	})
}

// isAnswered reports whether a cell was stopped because a question did not need it.
func isAnswered(m *lake.Marker) bool { return m != nil && m.Reason == record.Answered }

// isStopped reports whether a cell was stopped, for that reason or by cancel.
func isStopped(m *lake.Marker) bool { return m != nil && m.Status == task.Stopped }

// goOn returns the markers of cells of which some were stopped: a question runs those that
// it needs as another generation; one that is there no longer, those that it did not need.
func (s *survey) goOn(ctx context.Context, cells []plan.Cell, markers []*lake.Marker) ([]*lake.Marker, error) {
	name := s.campaign.Campaign.Name
	m, err := campaign.ReadManifest(ctx, s.store, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if m.Until == nil && !slices.ContainsFunc(markers, isAnswered) {
		return markers, nil // it was cancelled, and has no question
	}
	s.asked, s.all = true, m.Until == nil
	if s.generations, err = lake.Generations(ctx, s.store, name); err != nil {
		return nil, err
	}
	return s.latestMarkers(ctx, cells)
}

// add adds a cell to what was found: as one that is to be run, or to the sums.
func (s survey) add(found *task.Surveyed, cell plan.Cell, m *lake.Marker) {
	found.Next++
	generation := 0
	switch {
	case m != nil && !s.again[m.Run()] && !(s.all && isAnswered(m)):
		found.Add(ledger.ResultOf(m.Outcome()))
		return
	case m != nil:
		generation = m.Generation + 1
	}
	run := lake.Run{Collaboration: s.campaign.CollaborationID(task.Ref{Cell: cell}), Generation: generation}
	found.Cells = append(found.Cells, task.Outstanding{
		ID: run.String(), Cell: cell, Generation: generation,
		Instant: s.campaign.Conditions[cell.Condition].IsInstant(),
	})
}
