package labels

import (
	"context"

	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
)

// labeller is one that is at work on a campaign.
type labeller struct {
	campaign.Labelling
	campaign string
	id       string
	provider model.Provider
}

// isWhole reports whether collaborations are labelled, not messages.
func (l labeller) isWhole() bool {
	return l.CodeBook != nil && l.CodeBook.Unit == campaign.UnitCollaboration
}

// buildLabeller builds the model of a recorded labeller. Models keep their
// connections, so that building one again is cheap.
func (s *Labels) buildLabeller(ctx context.Context, name, id string) (labeller, error) {
	l := labeller{campaign: name, id: id}
	var err error
	if l.Labelling, err = campaign.ReadLabelling(ctx, s.store, name, id); err != nil {
		return l, err
	}
	if l.provider, err = s.models(l.Labeller, plan.Condition{}, nil); err != nil {
		return l, failure.Pause(err) // this worker lacks a key
	}
	m, err := s.caller.Manifest(ctx, name, false)
	if err != nil {
		return l, err
	}
	s.caller.Ceiling(m, l.provider)
	return l, nil
}
