package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"roundtable/analysis/storage"
	"slices"
	"strconv"
	"strings"
)

// Load reads everything that is stored of a collaboration. Corrupt objects are
// errors that name the key (all of them, joined), next to what could be read.
func (a *Answers) Load(ctx context.Context, p RunKey) (Stored, error) {
	prefix, err := p.folderOf()
	if err != nil {
		return Stored{}, err
	}
	objects, err := a.store.List(ctx, prefix)
	if err != nil {
		return Stored{}, err
	}
	l := loading{Answers: a, turns: map[int]Turn{}, outcomes: map[int]string{}}
	var errs []error
	slices.SortStableFunc(objects, func(a, b storage.Object) int { // ask 2 before ask 10
		return cmp.Or(len(a.Key)-len(b.Key), strings.Compare(a.Key, b.Key))
	})
	for _, o := range objects {
		if err := l.addObject(ctx, o.Key, strings.TrimPrefix(o.Key, prefix)); err != nil {
			errs = append(errs, err)
		}
	}
	for entry, key := range l.outcomes {
		if err := l.finishTurn(ctx, entry, key); err != nil {
			errs = append(errs, err)
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return l.pairUp(), errors.Join(errs...)
}

type loading struct {
	*Answers
	turns    map[int]Turn
	intents  []Intent
	outcomes map[int]string // entry → key of a separate outcome
}

var name = regexp.MustCompile(`^(\d{6,})\.(?:(\d+)(?:\.intent-(\d+))?|(batch|turn))\.json$`)

func (l *loading) addObject(ctx context.Context, key, file string) error {
	m := name.FindStringSubmatch(file)
	if m == nil {
		return fmt.Errorf("%s: %w: not a name that this program gives", key, storage.ErrCorrupt)
	}
	entry, _ := strconv.Atoi(m[1])
	ask, _ := strconv.Atoi(m[2])
	switch {
	case m[4] == "turn":
		l.outcomes[entry] = key
		return nil
	case m[4] == "batch":
		return l.addBatch(ctx, key, entry)
	case m[3] != "":
		attempt, _ := strconv.Atoi(m[3])
		return l.addIntent(ctx, key, entry, ask, attempt)
	}
	return l.addAsk(ctx, key, entry, ask)
}

func (l *loading) addBatch(ctx context.Context, key string, first int) error {
	b, err := getObject[batchObject](ctx, l.store, key)
	if err == nil {
		err = b.checkKey(key, first)
	}
	if err != nil {
		return err
	}
	for _, t := range b.Turns {
		if _, taken := l.turns[t.Entry]; !taken {
			l.turns[t.Entry] = t
		}
	}
	return nil
}

func (l *loading) addIntent(ctx context.Context, key string, entry, ask, attempt int) error {
	i, err := getObject[Intent](ctx, l.store, key)
	if err != nil {
		return err
	}
	if i.Entry != entry || i.Ask != ask || i.Attempt != attempt {
		return fmt.Errorf("%s: %w: it holds attempt %d at ask %d of entry %d", key, storage.ErrCorrupt, i.Attempt, i.Ask, i.Entry)
	}
	l.intents = append(l.intents, i)
	return nil
}

func (l *loading) addAsk(ctx context.Context, key string, entry, ask int) error {
	o, err := getObject[answerObject](ctx, l.store, key)
	if err == nil {
		err = o.checkKey(key, entry, ask)
	}
	if err != nil {
		return err
	}
	t := l.turns[entry]
	t.Entry = entry
	if len(t.Asks) != ask {
		return fmt.Errorf("%s: %w: ask %d is stored without the ones before it", key, storage.ErrCorrupt, ask)
	}
	l.turns[entry] = o.joinTo(t)
	return nil
}

func (l *loading) finishTurn(ctx context.Context, entry int, key string) error {
	t, ok := l.turns[entry]
	if !ok || t.Done {
		return fmt.Errorf("%s: %w: the outcome of a turn whose answers are missing or have one", key, storage.ErrCorrupt)
	}
	o, err := getObject[outcomeObject](ctx, l.store, key)
	if err != nil {
		return err
	}
	t, err = o.joinTo(key, t)
	if err == nil {
		l.turns[entry] = t
	}
	return err
}

// pairUp pairs intents with answers. A cached answer was no call: it comes
// after the attempts that were made before it.
func (l *loading) pairUp() Stored {
	type call struct{ entry, ask, attempt int }
	answered := map[call]bool{}
	made := map[call]int{}
	for _, i := range l.intents {
		c := call{i.Entry, i.Ask, 0}
		made[c] = max(made[c], i.Attempt+1)
	}
	var s Stored
	for _, t := range l.turns {
		for i := range t.Asks {
			a := &t.Asks[i]
			if a.Cached {
				a.Attempt = made[call{t.Entry, a.Ask, 0}]
			} else {
				answered[call{t.Entry, a.Ask, a.Attempt}] = true
			}
		}
		s.Turns = append(s.Turns, t)
	}
	for _, i := range l.intents {
		if !answered[call{i.Entry, i.Ask, i.Attempt}] {
			s.Unknown = append(s.Unknown, i)
		}
	}
	slices.SortFunc(s.Turns, func(a, b Turn) int { return a.Entry - b.Entry })
	slices.SortFunc(s.Unknown, func(a, b Intent) int {
		return cmp.Or(a.Entry-b.Entry, a.Ask-b.Ask, a.Attempt-b.Attempt)
	})
	return s
}
