package campaign

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// Start records that a runner started to work on a campaign. Each follows an earlier one, the first
// follows "0"; two that follow the same one come from two copies of the lake.
type Start struct {
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	Revision string    `json:"revision"` // of the plan
}

func startKey(campaign, name string) string { return lake.AboutKey(campaign, "starts/"+name+".json") }

// parseStartKey returns which start the one of a key follows, and its ID; follows is false of a key
// that has the first of these alone.
func parseStartKey(key string) (last, id string, follows bool) {
	return strings.Cut(strings.TrimSuffix(path.Base(key), ".json"), ".")
}

// NoteStart records that a runner starts to work on a campaign. Only one start can follow another,
// so the starts of one lake form a chain, even of runners that start at the same time.
func NoteStart(ctx context.Context, s store.Store, campaign string, start Start) error {
	start.ID = strings.ToLower(rand.Text())
	for last := "0"; ; {
		err := writeStart(ctx, s, startKey(campaign, last), start)
		if err != nil && !errors.Is(err, store.ErrExists) {
			return err
		}
		next := start
		if err != nil { // it may be this one, whose first attempt was not answered
			if next, err = readStart(ctx, s, startKey(campaign, last)); errors.Is(err, store.ErrCorrupt) {
				next.ID, err = findFollowing(ctx, s, campaign, last, err)
			}
			if err != nil {
				return err
			}
		}
		if next.ID == start.ID {
			return writeStart(ctx, s, startKey(campaign, last+"."+start.ID), start)
		}
		last = next.ID
	}
}

// findFollowing returns the ID of the start that follows one whose object cannot be read: the name of
// the other object has it.
func findFollowing(ctx context.Context, s store.Store, campaign, last string, unread error) (string, error) {
	objects, err := lake.List(ctx, s, lake.AboutKey(campaign, "starts/"))
	if err != nil {
		return "", err
	}
	found := ""
	for _, o := range objects {
		before, id, follows := parseStartKey(o.Key)
		if follows && before == last && found == "" {
			found = id
		}
	}
	if found == "" {
		return "", fmt.Errorf("%w; it only says that a run began: delete it", unread)
	}
	return found, nil
}

func writeStart(ctx context.Context, s store.Store, key string, start Start) error {
	data, err := lake.Seal(key, start)
	if err != nil {
		return err
	}
	return s.PutIfAbsent(ctx, key, data)
}

func readStart(ctx context.Context, s store.Store, key string) (start Start, err error) {
	data, err := s.Get(ctx, key)
	if err == nil {
		err = lake.Unseal(key, data, &start)
	}
	return start, err
}

// CheckStarts returns an error if two copies of the lake have each continued the campaign and were
// merged: their answers cannot be told apart any more.
func CheckStarts(ctx context.Context, s store.Store, campaign string) error {
	objects, err := lake.List(ctx, s, lake.AboutKey(campaign, "starts/"))
	if err != nil {
		return err
	}
	following := map[string]string{}
	for _, o := range objects {
		last, _, follows := parseStartKey(o.Key)
		if !follows {
			continue
		}
		other, twice := following[last]
		if following[last] = o.Key; !twice {
			continue
		}
		a, errA := readStart(ctx, s, other)
		b, errB := readStart(ctx, s, o.Key)
		if err := errors.Join(errA, errB); err != nil {
			return err
		}
		if b.At.Before(a.At) {
			a, b = b, a
		}
		return fmt.Errorf("two runs of %s were copied into one lake: one started on %s (plan %s), one on %s (plan %s), "+
			"and neither has seen the other's answers; keep each in a lake of its own, as before it was copied "+
			"(analyze %s --with %s --with-lake OTHER compares them). Of a run that got no answer, delete the start: "+
			"%s or %s", campaign, timeOf(a), a.Revision, timeOf(b), b.Revision, campaign, campaign, other, o.Key)
	}
	return nil
}

func timeOf(s Start) string { return s.At.UTC().Format("2006-01-02 15:04:05 UTC") }
