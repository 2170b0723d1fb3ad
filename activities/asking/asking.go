// Package asking reads from the lake how far a campaign's stopping question is: which
// comparisons are decided, and which cells it needs next. The result depends only on
// how cells ended, so every process gets the same.
package asking

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"roundtable/activities/failure"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/until"
)

// Reader reads from the lake how far questions are. It caches how cells ended, which never changes.
type Reader struct {
	store store.Store

	mu    sync.Mutex
	known map[string]*remembered // by campaign
}

// remembered is of one campaign. Its mutex is held while it is read.
type remembered struct {
	mu      sync.Mutex
	of      string // revision and question
	design  *until.Design
	ids     []string                 // of conditions
	markers map[lake.Run]lake.Marker // with Measured, if it succeeded
}

// NewReader returns a Reader of a store.
func NewReader(store store.Store) *Reader {
	return &Reader{store: store, known: map[string]*remembered{}}
}

// Need is a cell that is still to be run, and the run that it will get.
type Need struct {
	Run  lake.Run
	Cell plan.Cell
}

// State is how far a question is.
type State struct {
	Course *until.Course
	Units  int    // of the plan
	Needs  []Need // in the order in which they are to start
	// Stopped are unfinished cells that the question does not need. Stop them once IsDone
	// reports true, not before.
	Stopped []Need
	// Cancelled is how many cells of Needs were stopped when the campaign was cancelled and
	// have not been run again.
	Cancelled int
	Ended     []lake.Marker // the latest generation of each cell of the plan that has ended
	isOver    bool
}

// IsDone reports whether no cell is needed any more: the question is answered, or every unit of the
// plan was looked at.
func (s State) IsDone() bool {
	return len(s.Needs) == 0 && s.isOver
}

// Read returns how far campaign c's question q is. lost names runs, as lake.Run.String does, that
// can never be committed: their cells count as ended without a value.
func (r *Reader) Read(ctx context.Context, c plan.Campaign, q until.Question, lost []string) (s State, err error) {
	err = r.look(ctx, c, q, lost, func(l *look) (err error) { s, err = l.findState(c, q); return err })
	return s, err
}

// Complete returns, for each unit whose cells have all ended, its observation for every comparison.
// Other units are left out.
func (r *Reader) Complete(ctx context.Context, c plan.Campaign,
	q until.Question) (units [][]until.Observation, err error) {
	err = r.look(ctx, c, q, nil, func(l *look) error {
		units = l.design.Complete(func(cell until.Cell) (*float64, bool) { return l.endedValue(plan.Cell(cell), q.Measure) })
		return nil
	})
	return units, err
}

// look has a campaign looked at as it is now. Nobody else reads it meanwhile.
func (r *Reader) look(ctx context.Context, c plan.Campaign, q until.Question, lost []string,
	see func(*look) error) error {
	of, err := json.Marshal(struct {
		Revision string
		Question until.Question
	}{c.Revision(), q})
	if err != nil {
		return err
	}
	r.mu.Lock()
	m := r.known[c.Name]
	if m == nil {
		m = &remembered{markers: map[lake.Run]lake.Marker{}}
		r.known[c.Name] = m
	}
	r.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of != string(of) {
		g := c.QuestionGrid()
		m.of, m.design, m.ids = string(of), until.NewDesign(q, g), nil
		for _, condition := range g.Conditions {
			m.ids = append(m.ids, condition.ID)
		}
	}
	again, err := campaign.ReadRerun(ctx, r.store, c.Name)
	if err != nil {
		return err
	}
	latest, err := r.readEnded(ctx, c.Name, m)
	if err != nil {
		return err
	}
	return see(&look{m, latest, again, lost})
}

// readEnded returns the latest run of each collaboration that has ended, and reads those
// that are not remembered.
func (r *Reader) readEnded(ctx context.Context, campaign string, m *remembered) (map[string]lake.Run, error) {
	ended, err := lake.Ended(ctx, r.store, campaign)
	if err != nil {
		return nil, err
	}
	latest := make(map[string]lake.Run, len(ended))
	for _, run := range ended { // later generations come later
		latest[run.Collaboration] = run
	}
	var unread []lake.Run
	for _, run := range ended {
		if _, ok := m.markers[run]; !ok && latest[run.Collaboration] == run {
			unread = append(unread, run)
		}
	}
	read, err := lake.ReadMarkers(ctx, r.store, campaign, unread)
	if err != nil {
		return nil, err
	}
	for _, marker := range read {
		m.markers[marker.Run()] = marker
	}
	return latest, nil
}

// look is one look at a campaign.
type look struct {
	*remembered
	latest map[string]lake.Run
	again  campaign.RerunRequest
	lost   []string
}

// findState goes through the units as far as their cells have ended, and lists what is needed.
func (l *look) findState(c plan.Campaign, q until.Question) (State, error) {
	s := State{Units: l.design.Units()}
	err := q.Check()
	if err != nil {
		return s, failure.Pause(fmt.Errorf("the campaign's question: %w", err))
	}
	if s.Course, err = l.design.Look(func(cell until.Cell) (*float64, bool) { return l.endedValue(plan.Cell(cell), q.Measure) }); err != nil {
		return s, failure.Pause(fmt.Errorf("%w; where a score is an error, wider bounds `low` and `high` accept it; "+
			"`method: asymptotic` takes any value", err))
	}
	needed := map[plan.Cell]bool{}
	for _, x := range l.design.Needed(s.Course) {
		cell := plan.Cell(x)
		needed[cell] = true
		run, marker := l.endOf(cell)
		if isOpen(marker) && !l.isLost(cell) {
			if marker != nil {
				run.Generation++
				if marker.Reason == "" {
					s.Cancelled++
				}
			}
			s.Needs = append(s.Needs, Need{run, cell})
		}
	}
	s.isOver = l.design.IsOver(s.Course)
	order := c.Order()
	for n := range c.Size() {
		cell := order.Cell(n)
		run, marker := l.endOf(cell)
		switch {
		case marker != nil:
			s.Ended = append(s.Ended, *marker)
		case needed[cell]:
		case l.hasFailed(run): // the operator has it run again
			s.Needs = append(s.Needs, Need{run, cell})
		default:
			s.Stopped = append(s.Stopped, Need{run, cell})
		}
	}
	return s, nil
}

// endedValue returns the value of a cell, nil if it has none; false if it has not ended.
func (l *look) endedValue(cell plan.Cell, measure string) (*float64, bool) {
	_, marker := l.endOf(cell)
	switch {
	case isOpen(marker):
		return nil, l.isLost(cell)
	case marker.Measured == nil: // it failed
		return nil, true
	}
	if v, ok := marker.Measured.Value(measure); ok {
		return &v, true
	}
	return nil, true
}

// isOpen reports whether a cell has not ended as far as its question goes: it was stopped
// because it was not needed, or because the campaign was cancelled.
func isOpen(m *lake.Marker) bool { return m == nil || m.Status == task.Stopped }

// hasFailed reports whether the run before one has failed.
func (l *look) hasFailed(run lake.Run) bool {
	return run.Generation > 0 && l.markers[lake.Run{Collaboration: run.Collaboration,
		Generation: run.Generation - 1}].Status == task.Failed
}

// endOf returns how a cell ended, and nil with the run that it is to have if it has not,
// or is to run again.
func (l *look) endOf(cell plan.Cell) (lake.Run, *lake.Marker) {
	id := l.ids[cell.Condition] + cell.Suffix()
	run, ok := l.latest[id]
	if !ok {
		return lake.Run{Collaboration: id}, nil
	}
	marker := l.markers[run]
	if l.again[run] {
		return lake.Run{Collaboration: id, Generation: run.Generation + 1}, nil
	}
	return run, &marker
}

// isLost reports whether a cell that has not ended cannot be committed.
func (l *look) isLost(cell plan.Cell) bool {
	if len(l.lost) == 0 {
		return false
	}
	run, marker := l.endOf(cell)
	if marker != nil {
		run.Generation++
	}
	return slices.Contains(l.lost, run.String())
}
