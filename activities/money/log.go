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

	// Of an account, which waits for others' grants; a reader of the log has none of these.
	now  func() time.Time
	ttl  time.Duration
	seen map[string]time.Time // when the grant of an owner was first read, by this machine's clock
}

// maxClockSkew is how far the clocks of machines can differ: grants that ended longer ago by what they say
// themselves are not waited for.
const maxClockSkew = time.Hour

func newBook(store store.Store, campaign string) *book {
	return &book{store: store, prefix: "budget/campaign=" + campaign + "/", owners: map[string]entry{},
		seen: map[string]time.Time{}}
}

func (b *book) keyOf(number int64) string { return fmt.Sprintf("%s%08d.json", b.prefix, number) }

// LogKeys returns the keys of the first n entries of a campaign's budget log.
func LogKeys(campaign string, n int) []string {
	b, keys := newBook(nil, campaign), make([]string, n)
	for i := range keys {
		keys[i] = b.keyOf(int64(i) + 1)
	}
	return keys
}

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
		clear(b.seen)
		return
	}
	if known, ok := b.owners[e.Owner]; b.now != nil && (!ok || known.ExpiresAt != e.ExpiresAt) {
		b.seen[e.Owner] = b.now()
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
	for name, e := range b.owners {
		if name == owner {
			continue
		}
		f.any = true
		f.used, f.open = f.used.Add(e.Used), f.open.Add(e.Open)
		if t := b.endOf(e); e.Open != (Amount{}) && t.After(f.until) {
			f.until = t
		}
	}
	return f
}

// endOf returns when an owner certainly reserves no more from its grant. Clocks differ, so an account
// measures that from when it read of the grant, which is after the owner did; who does not know when it was
// first read waits for the slowest clock.
func (b *book) endOf(e entry) time.Time {
	late := time.UnixMicro(e.ExpiresAt).Add(maxClockSkew)
	if read := b.seen[e.Owner].Add(b.ttl); b.now != nil && read.Before(late) {
		return read
	}
	return late
}

// LogFolder returns the folder of a campaign's budget log.
func LogFolder(campaign string) string { return newBook(nil, campaign).prefix }

// Log is what a campaign's budget log says.
type Log struct {
	Entries int64
	Until   time.Time // when the last grant of any process has certainly ended; zero if there is none
	Most    Amount    // what can have been spent at most: the last count, later charges, and what is reserved
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
	if int(b.last) < len(objects) { // more may have come since, or be listed late
		return Log{}, fmt.Errorf("%s: %w: it has %d entries, and entry %d is missing", b.prefix, store.ErrCorrupt,
			len(objects), b.last+1)
	}
	all := b.grantsOfOthers("")
	return Log{b.last, all.until, b.base.Used.Add(all.used).Add(all.open)}, nil
}
