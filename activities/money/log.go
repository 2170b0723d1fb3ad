package money

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// entry is one object of a campaign's budget log. The log is numbered without
// gaps and each number is written once, so that appending is a compare-and-swap:
// who appends has read everything before it. An owner's latest entry replaces its
// earlier ones; a recount replaces everything before it.
type entry struct {
	Kind  string `json:"kind"`            // grant, settle or recount
	Owner string `json:"owner,omitempty"` // of a grant or settle: one opened Account
	// Used is what the owner was charged since the last recount, or what the
	// ledger says was spent in all.
	Used Amount `json:"used"`
	// Open is what the owner may still be charged: its calls under way and what it
	// may reserve without asking.
	Open      Amount `json:"open"`
	ExpiresAt int64  `json:"expires_at,omitempty"` // µs UTC: from then on others may recount
	CountedAt int64  `json:"counted_at,omitempty"` // µs UTC
}

const (
	grant   = "grant"
	settle  = "settle"
	recount = "recount"
)

func (e entry) check() error {
	known := e.Kind == recount && e.Open == Amount{} || e.Owner != "" && (e.Kind == grant || e.Kind == settle)
	if !known || !e.Used.isSane() || !e.Open.isSane() {
		return fmt.Errorf("%w: no entry of a budget log: %+v", store.ErrCorrupt, e)
	}
	return nil
}

// book is what the log says, read up to and including entry number last.
type book struct {
	store  store.Store
	prefix string
	last   int64
	counts int              // recounts read
	base   entry            // the latest recount
	owners map[string]entry // since then
}

func newBook(store store.Store, campaign string) *book {
	return &book{store: store, prefix: "budget/campaign=" + campaign + "/", owners: map[string]entry{}}
}

func (b *book) keyOf(number int64) string { return fmt.Sprintf("%s%08d.json", b.prefix, number) }

// openLog reads from the latest recount on.
func (b *book) openLog(ctx context.Context) error {
	objects, err := lake.List(ctx, b.store, b.prefix)
	if err != nil || len(objects) == 0 {
		return err
	}
	var end int64
	if _, err := fmt.Sscanf(path.Base(objects[len(objects)-1].Key), "%08d.json", &end); err != nil || end < 1 {
		return fmt.Errorf("%s: no object of a budget log", objects[len(objects)-1].Key)
	}
	var entries []entry // backwards
	for n := end; n > 0; n-- {
		e, err := b.readEntry(ctx, n)
		if err != nil { // a missing one, too: an entry without those before it says too little
			return err
		}
		if entries = append(entries, e); e.Kind == recount {
			break
		}
	}
	b.last = end - int64(len(entries))
	for _, e := range slices.Backward(entries) {
		b.applyEntry(e)
	}
	return nil
}

// readNew reads what was appended since.
func (b *book) readNew(ctx context.Context) error {
	for {
		e, err := b.readEntry(ctx, b.last+1)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		b.applyEntry(e)
	}
}

func (b *book) readEntry(ctx context.Context, number int64) (entry, error) {
	data, err := b.store.Get(ctx, b.keyOf(number))
	if err != nil {
		return entry{}, err
	}
	var e entry
	if err := lake.Unseal(b.keyOf(number), data, &e); err != nil {
		return entry{}, err
	}
	if err := e.check(); err != nil {
		return entry{}, fmt.Errorf("%s: %w", b.keyOf(number), err)
	}
	return e, nil
}

func (b *book) applyEntry(e entry) {
	b.last++
	if e.Kind == recount {
		b.counts++
		b.base = e
		clear(b.owners)
		return
	}
	b.owners[e.Owner] = e
}

// appendEntry writes the next entry. If another one is there already, or the outcome
// is not known, the log is read on: perhaps the entry is ours after all.
func (b *book) appendEntry(ctx context.Context, e entry) error {
	key := b.keyOf(b.last + 1)
	data, err := lake.Seal(key, e)
	if err != nil {
		return err
	}
	err = b.store.PutIfAbsent(ctx, key, data)
	switch {
	case err == nil:
		b.applyEntry(e)
		return nil
	case errors.Is(err, store.ErrExists):
		return b.readNew(ctx)
	}
	return err
}

// foreign is what all owners but one come to.
type foreign struct {
	used, open Amount
	any        bool      // there are such owners since the last recount
	until      time.Time // the last of them may reserve until then
}

func (b *book) grantsOfOthers(owner string) foreign {
	var f foreign
	for _, e := range b.owners {
		if e.Owner == owner {
			continue
		}
		f.any = true
		f.used, f.open = f.used.Add(e.Used), f.open.Add(e.Open)
		if t := time.UnixMicro(e.ExpiresAt); e.Open != (Amount{}) && t.After(f.until) {
			f.until = t
		}
	}
	return f
}

// LogFolder returns the folder of a campaign's budget log.
func LogFolder(campaign string) string { return newBook(nil, campaign).prefix }

// Log is what a campaign's budget log says.
type Log struct {
	Entries int64
	Until   time.Time // when the last grant that some process has ends; zero if none has one
	Most    Amount    // that can have been spent: the last count, what was charged since, and what is reserved
}

// ReadLog reads a whole budget log. One with a gap is corrupt.
func ReadLog(ctx context.Context, s store.Store, campaign string) (Log, error) {
	b := newBook(s, campaign)
	objects, err := lake.List(ctx, s, b.prefix)
	if err != nil {
		return Log{}, err
	}
	if err := b.readNew(ctx); err != nil {
		return Log{}, err
	}
	if int(b.last) != len(objects) {
		return Log{}, fmt.Errorf("%s: %w: it has %d entries, and entry %d is missing", b.prefix, store.ErrCorrupt,
			len(objects), b.last+1)
	}
	all := b.grantsOfOthers("")
	return Log{b.last, all.until, b.base.Used.Add(all.used).Add(all.open)}, nil
}
