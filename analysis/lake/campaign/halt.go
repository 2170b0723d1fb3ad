package campaign

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// Halt records why a campaign is paused, so that it is known when no process runs any more.
type Halt struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
	// Holds says that calls are held back, until the campaign's workflow lets them begin
	// again. A halt that a run leaves behind at its end holds nothing.
	Holds bool `json:"holds,omitempty"`
	// ByHand says that a command holds them back, of which the workflow may not have heard yet.
	ByHand bool `json:"by_hand,omitempty"`
}

// HaltKey returns the key of a campaign's Halt.
func HaltKey(campaign string) string { return lake.AboutKey(campaign, "halt.json") }

// WriteHalt records why a campaign is paused.
func WriteHalt(ctx context.Context, s store.Store, campaign string, h Halt) error {
	h.Reason = HidePaths(s, campaign, h.Reason)
	data, err := lake.Seal(HaltKey(campaign), h)
	if err != nil {
		return err
	}
	return s.Replace(ctx, HaltKey(campaign), data, "")
}

// ReadHalt returns why a campaign is paused; nil if it is not.
func ReadHalt(ctx context.Context, s store.Store, campaign string) (*Halt, error) {
	data, err := s.Get(ctx, HaltKey(campaign))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var h Halt
	if err == nil {
		err = lake.Unseal(HaltKey(campaign), data, &h)
	}
	return &h, err
}

// NoteHalt is WriteHalt, unless a halt that holds calls back is stored already.
func NoteHalt(ctx context.Context, s store.Store, campaign string, h Halt) error {
	if known, err := ReadHalt(ctx, s, campaign); err != nil || known != nil && known.Holds {
		return err
	}
	return WriteHalt(ctx, s, campaign, h)
}

// ClearSameHalt is ClearHalt if the stored halt is still the one given; otherwise it does nothing.
func ClearSameHalt(ctx context.Context, s store.Store, campaign string, of *Halt) error {
	known, err := ReadHalt(ctx, s, campaign)
	if err != nil || known == nil || of == nil || known.Reason != of.Reason || !known.At.Equal(of.At) {
		return err
	}
	return ClearHalt(ctx, s, campaign)
}

// ClearHalt deletes a campaign's Halt: it runs again.
func ClearHalt(ctx context.Context, s store.Store, campaign string) error {
	return store.IgnoreMissing(s.Delete(ctx, HaltKey(campaign)))
}
