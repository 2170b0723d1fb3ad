package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Load reads everything that is stored of a collaboration. Corrupt objects are errors that name the
// key (all of them, joined), next to what could be read. If an object could not be read, only that
// error is returned, since what is missing without it is not corrupt.
func (a *Answers) Load(ctx context.Context, p RunKey) (Stored, error) {
	prefix, objects, err := a.listObjects(ctx, p)
	if err != nil {
		return Stored{}, err
	}
	return a.loadObjects(ctx, prefix, objects)
}

// listObjects lists what is stored of a collaboration, below a prefix of all its keys.
func (a *Answers) listObjects(ctx context.Context, p RunKey) (prefix string, objects []store.Object, err error) {
	if prefix, err = p.folderOf(); err == nil {
		objects, err = lake.List(ctx, a.store, prefix)
	}
	return prefix, objects, err
}

// unnamedEntries is after how many entries without an object LoadByName looks for no more.
const unnamedEntries = 100

// LoadByName is Load that also gets each answer by its key, because a store may list objects of
// other processes late.
func (a *Answers) LoadByName(ctx context.Context, p RunKey) (Stored, error) {
	prefix, objects, err := a.listObjects(ctx, p)
	if err != nil {
		return Stored{}, err
	}
	listed, last := map[string]bool{}, 0
	for _, o := range objects {
		listed[o.Key] = true
		if m := name.FindStringSubmatch(strings.TrimPrefix(o.Key, prefix)); m != nil {
			entry, _ := strconv.Atoi(m[1])
			last = max(last, entry)
		}
	}
	find := func(key string) (bool, error) {
		if listed[key] {
			return true, nil
		}
		o, err := a.store.Head(ctx, key)
		if err != nil {
			return false, store.IgnoreMissing(err)
		}
		objects = append(objects, o)
		return true, nil
	}
	for entry := 0; entry <= last+unnamedEntries; entry++ {
		asks := 0
		for {
			found, err := find(prefix + fmt.Sprintf("%06d.%d.json", entry, asks))
			if err != nil {
				return Stored{}, err
			}
			if !found {
				break
			}
			asks++
		}
		if asks == 0 {
			continue
		}
		last = max(last, entry)
		if _, err := find(prefix + fmt.Sprintf("%06d.turn.json", entry)); err != nil {
			return Stored{}, err
		}
	}
	return a.loadObjects(ctx, prefix, objects)
}

// NamesOf returns the keys under which the store may hold what the ledger rows of run p were made
// from: answers, turns, batches and intents. They are sorted; not all of them exist.
func NamesOf(p RunKey, rows []record.Call) (keys []string, err error) {
	folder, err := p.folderOf()
	for _, r := range rows {
		keys = append(keys, fmt.Sprintf("%s%06d.%d.json", folder, r.Entry, r.Ask),
			fmt.Sprintf("%s%06d.turn.json", folder, r.Entry), fmt.Sprintf("%s%06d.batch.json", folder, r.Entry))
		for attempt := range r.Attempt + 2 {
			keys = append(keys, fmt.Sprintf("%s%06d.%d.intent-%d.json", folder, r.Entry, r.Ask, attempt))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), err
}

func (a *Answers) loadObjects(ctx context.Context, prefix string, objects []store.Object) (Stored, error) {
	l := loading{Answers: a, turns: map[int]Turn{}, outcomes: map[int]string{}, released: map[announced]bool{},
		batched: map[int]bool{}}
	var errs []error
	slices.SortStableFunc(objects, func(a, b store.Object) int { // ask 2 before ask 10
		return cmp.Or(len(a.Key)-len(b.Key), strings.Compare(a.Key, b.Key))
	})
	for _, o := range objects {
		err := l.addObject(ctx, o.Key, strings.TrimPrefix(o.Key, prefix))
		switch {
		case errors.Is(err, store.ErrCorrupt):
			errs = append(errs, err)
		case err != nil:
			return Stored{}, err
		}
	}
	for entry, key := range l.outcomes {
		err := l.finishTurn(ctx, entry, key)
		switch {
		case errors.Is(err, store.ErrCorrupt):
			errs = append(errs, err)
		case err != nil:
			return Stored{}, err
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return l.pairUp(), errors.Join(errs...)
}

type loading struct {
	*Answers
	turns    map[int]Turn
	intents  []Intent
	released map[announced]bool
	outcomes map[int]string // entry → key of a separate outcome
	batched  map[int]bool   // entries of models that take no time
}

var name = regexp.MustCompile(`^(\d{6,})\.(?:(\d+)(?:\.(intent|released)-(\d+))?|(batch|turn))\.json$`)

func (l *loading) addObject(ctx context.Context, key, file string) error {
	m := name.FindStringSubmatch(file)
	if m == nil {
		return fmt.Errorf("%s: %w: not a name that this program gives", key, store.ErrCorrupt)
	}
	entry, _ := strconv.Atoi(m[1])
	ask, _ := strconv.Atoi(m[2])
	attempt, _ := strconv.Atoi(m[4])
	switch {
	case m[5] == "turn":
		l.outcomes[entry] = key
		return nil
	case m[5] == "batch":
		return l.addBatch(ctx, key, entry)
	case m[3] == "intent":
		return l.addIntents(ctx, key, call{entry, ask, attempt})
	case m[3] == "released":
		return l.addReleased(ctx, key, call{entry, ask, attempt})
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
			l.turns[t.Entry], l.batched[t.Entry] = t, true
		}
	}
	return nil
}

func (l *loading) addIntents(ctx context.Context, key string, c call) error {
	o, err := getObject[intentObject](ctx, l.store, key)
	if errors.Is(err, fs.ErrNotExist) { // released since it was listed
		return nil
	}
	if err != nil {
		return err
	}
	if o.call() != c {
		return fmt.Errorf("%s: %w: it holds attempt %d at ask %d of entry %d", key, store.ErrCorrupt, o.Attempt,
			o.Ask, o.Entry)
	}
	l.intents = append(l.intents, o.allIntents()...)
	return nil
}

func (l *loading) addReleased(ctx context.Context, key string, c call) error {
	o, err := getObject[releasedObject](ctx, l.store, key)
	if err != nil {
		return err
	}
	if o.Entry != c.entry || o.Ask != c.ask || o.Attempt > c.attempt {
		return fmt.Errorf("%s: %w: it releases attempt %d at ask %d of entry %d", key, store.ErrCorrupt, o.Attempt,
			o.Ask, o.Entry)
	}
	l.released[o.announcedCall()] = true
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
		return fmt.Errorf("%s: %w: ask %d is stored without the ones before it", key, store.ErrCorrupt, ask)
	}
	l.turns[entry] = o.joinTo(t)
	return nil
}

func (l *loading) finishTurn(ctx context.Context, entry int, key string) error {
	t, ok := l.turns[entry]
	if !ok || t.Done {
		return fmt.Errorf("%s: %w: the outcome of a turn whose answers are missing or have one", key, store.ErrCorrupt)
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

// pairUp pairs intents with answers. What was taken back does not count: attempts
// are numbered as if it had never been. A cached answer was not a call: it comes after
// the attempts that were made before it.
func (l *loading) pairUp() Stored {
	var s Stored
	if len(l.intents) > 0 {
		s.next, s.reserved = map[call]int{}, map[call]*float64{}
	}
	slices.SortStableFunc(l.intents, compareCalls)
	made, number := map[call]int{}, map[announced]int{}
	var counted []Intent
	for _, i := range l.intents {
		ask, its := call{i.Entry, i.Ask, 0}, i.announcedCall()
		s.next[ask] = i.Attempt + 1
		if l.released[its] {
			s.Released = append(s.Released, i)
			continue
		}
		i.Attempt = made[ask]
		made[ask]++
		number[its] = i.Attempt
		if _, twice := number[announced{call: its.call}]; !twice { // for answers that tell another time
			number[announced{call: its.call}] = i.Attempt
		}
		counted = append(counted, i)
		s.reserved[i.call()] = i.WorstUSD
	}
	answered := map[call]bool{}
	for _, t := range l.turns {
		for i := range t.Asks {
			a := &t.Asks[i]
			if a.Cached {
				a.Attempt = made[call{t.Entry, a.Ask, 0}]
				continue
			}
			its := announced{call{t.Entry, a.Ask, a.Attempt}, a.StartedAt}
			n, ok := number[its]
			if !ok {
				n, ok = number[announced{call: its.call}]
			}
			if ok {
				a.Attempt = n
				answered[call{t.Entry, a.Ask, n}] = true
			} else if !l.batched[t.Entry] {
				s.Unannounced = append(s.Unannounced, Ask{t.Entry, a.Ask})
			}
		}
		s.Turns = append(s.Turns, t)
	}
	for _, i := range counted {
		if !answered[i.call()] {
			s.Unknown = append(s.Unknown, i)
		}
	}
	slices.SortFunc(s.Turns, func(a, b Turn) int { return a.Entry - b.Entry })
	slices.SortFunc(s.Unannounced, func(a, b Ask) int { return cmp.Or(a.Entry-b.Entry, a.Ask-b.Ask) })
	return s
}

func compareCalls(a, b Intent) int {
	return cmp.Or(a.Entry-b.Entry, a.Ask-b.Ask, a.Attempt-b.Attempt)
}

// Calls returns a ledger row for each call under this key, sorted by entry, ask and attempt:
// answered calls, and those of unknown outcome, which may have been billed.
func (s Stored) Calls(key record.Key) []record.Call {
	var calls []record.Call
	for _, t := range s.Turns {
		for _, a := range t.Asks {
			calls = append(calls, a.callRow(key, t.Entry))
		}
	}
	for _, i := range s.Unknown {
		calls = append(calls, record.Call{
			Key: key, Entry: int32(i.Entry), Ask: int32(i.Ask), Attempt: int32(i.Attempt),
			Provider: i.Provider, ModelAsked: i.Model, Status: "unknown", StartedAt: i.StartedAt,
			WorstUSD: i.WorstUSD, WorstTokens: &i.WorstTokens,
		})
	}
	slices.SortStableFunc(calls, func(a, b record.Call) int {
		return cmp.Or(cmp.Compare(a.Entry, b.Entry), cmp.Compare(a.Ask, b.Ask), cmp.Compare(a.Attempt, b.Attempt))
	})
	return calls
}

func (a Answer) callRow(key record.Key, entry int) record.Call {
	row := record.Call{
		Key: key, Entry: int32(entry), Ask: int32(a.Ask), Attempt: int32(a.Attempt),
		Provider: a.Provider, ModelAsked: a.ModelAsked, ModelAnswered: a.ModelAnswered,
		Status: "answered", Cached: a.Cached, CostUSD: a.CostUSD, PriceUSD: cmp.Or(a.CostUSD, a.PriceUSD),
		InputTokens: &a.Usage.Input, CachedInputTokens: &a.Usage.CachedInput, CacheWriteTokens: &a.Usage.CacheWrite,
		OutputTokens: &a.Usage.Output, ReasoningTokens: &a.Usage.Reasoning, LatencyMS: &a.LatencyMS,
		ReasoningAsked: record.Optional(a.ReasoningAsked), Tier: record.Optional(a.Tier), SavedUSD: a.SavedUSD,
		FinishReason: a.FinishReason, RequestID: a.RequestID, StartedAt: a.StartedAt, Simulated: a.Simulated,
		ForkedFrom: record.Optional(a.From),
	}
	if a.WorstTokens > 0 { // the service did not say what it has used
		row.WorstUSD, row.WorstTokens = a.WorstUSD, &a.WorstTokens
	}
	return row
}

// Spent is what calls have cost. Answers from the cache cost nothing here.
type Spent struct {
	Calls        int32
	InputTokens  int64
	OutputTokens int64
	CostUSD      *float64 // of answered calls; nil if a price is not known
	WorstUSD     *float64 // at most, of calls of unknown outcome or usage; nil if that is not known
}

// Sum returns what calls have cost together.
func Sum(calls []record.Call) Spent {
	cost, worst := 0., 0.
	s := Spent{CostUSD: &cost, WorstUSD: &worst}
	for _, c := range calls {
		if c.Cached {
			continue
		}
		s.Calls++
		if c.WorstTokens != nil {
			s.WorstUSD = addKnown(s.WorstUSD, c.WorstUSD)
		}
		if c.Status == "answered" {
			s.InputTokens, s.OutputTokens, s.CostUSD = s.InputTokens+*c.InputTokens, s.OutputTokens+*c.OutputTokens,
				addKnown(s.CostUSD, c.CostUSD)
		}
	}
	return s
}

// addKnown adds what may not be known.
func addKnown(sum, more *float64) *float64 {
	if sum == nil || more == nil {
		return nil
	}
	total := *sum + *more
	return &total
}

// Charge returns what the stored calls count against a budget: answers at their cost, calls of
// unknown outcome or usage at their worst case. Answers from the cache are free.
func (s Stored) Charge() lake.Charge { return lake.ChargeOf(s.Calls(record.Key{})) }

// Covered returns how much of the answers' cost was reserved before their calls, in nano-dollars.
// The rest comes from calls without a bound and from services that bill more than a request allows:
// it enters the budget's log later, or never if the process is killed. Answers charged at their
// worst case are left out.
func (s Stored) Covered() int64 {
	sum := int64(0)
	for _, t := range s.Turns {
		for _, a := range t.Asks {
			if a.WorstTokens > 0 {
				continue
			}
			cost := lake.ChargeOf([]record.Call{a.callRow(record.Key{}, t.Entry)}).NanoUSD
			reserved := lake.ChargeOf([]record.Call{{WorstUSD: s.reserved[call{t.Entry, a.Ask, a.Attempt}]}}).NanoUSD
			sum += min(cost, reserved)
		}
	}
	return sum
}

// Runs returns the runs of a campaign of which anything is stored.
func (a *Answers) Runs(ctx context.Context, campaign string) ([]RunKey, error) {
	folders, err := lake.Folders(ctx, a.store, "answers/campaign="+campaign+"/")
	var runs []RunKey
	for _, f := range folders {
		if run, ok := lake.ParseRun(f); ok {
			runs = append(runs, RunKey{Campaign: campaign, Collaboration: run.Collaboration,
				Generation: run.Generation})
		}
	}
	return runs, err
}
