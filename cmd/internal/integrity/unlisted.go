package integrity

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"roundtable/activities/answers"
	"roundtable/activities/commits"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// byName is a store whose lists also have what was found by its name: some stores list late.
type byName struct {
	store.Store
	unlisted  map[string]store.Object
	fruitless int // collaborations in a row whose answers were asked for, and of which none was there
}

// Unwrap returns the store in it.
func (b *byName) Unwrap() store.Store { return b.Store }

// List returns the objects under a prefix, sorted by key.
func (b *byName) List(ctx context.Context, prefix string) ([]store.Object, error) {
	objects, err := b.Store.List(ctx, prefix)
	if len(b.unlisted) == 0 || err != nil {
		return objects, err
	}
	all := map[string]store.Object{}
	for _, o := range objects {
		all[o.Key] = o
	}
	for key, o := range b.unlisted {
		if strings.HasPrefix(key, prefix) {
			all[key] = o
		}
	}
	return slices.SortedFunc(maps.Values(all),
		func(a, b store.Object) int { return strings.Compare(a.Key, b.Key) }), nil
}

// Keys returns the keys under a prefix, sorted.
func (b *byName) Keys(ctx context.Context, prefix string) ([]string, error) {
	if s, ok := store.As[interface {
		Keys(context.Context, string) ([]string, error)
	}](b.Store); ok && len(b.unlisted) == 0 {
		return s.Keys(ctx, prefix)
	}
	objects, err := b.List(ctx, prefix)
	keys := make([]string, len(objects))
	for i, o := range objects {
		keys[i] = o.Key
	}
	return keys, err
}

// Folders returns the names of the folders directly below a prefix.
func (b *byName) Folders(ctx context.Context, prefix string) ([]string, error) {
	folders, err := lake.Folders(ctx, b.Store, prefix)
	for key := range b.unlisted {
		if rest, is := strings.CutPrefix(key, prefix); is && strings.Contains(rest, "/") {
			folder, _, _ := strings.Cut(rest, "/")
			folders = append(folders, folder)
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders), err
}

// find asks for those of some objects in a folder that are not listed; it returns those that are not there.
func (b *byName) find(ctx context.Context, folder string, keys []string) (missing []string, err error) {
	objects, err := b.List(ctx, folder)
	if err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	for _, o := range objects {
		listed[o.Key] = true
	}
	keys = slices.DeleteFunc(keys, func(key string) bool { return listed[key] })
	found := make([]store.Object, len(keys))
	if err := lake.Each(ctx, len(keys), func(ctx context.Context, i int) error {
		o, err := b.Head(ctx, keys[i])
		if err == nil {
			found[i] = o
		}
		return store.IgnoreMissing(err)
	}); err != nil {
		return nil, err
	}
	for i, o := range found {
		if o.Key == "" {
			missing = append(missing, keys[i])
		} else {
			b.unlisted[o.Key] = o
		}
	}
	return missing, nil
}

// mostUnlisted is how many batches are looked for beside those that are listed.
const mostUnlisted = 100

// findCommits asks for the batches before the last one, and for the markers of their members and, of a
// campaign that has ended, of all its cells. It returns the markers that are not there.
func (b *byName) findCommits(ctx context.Context, name string) (missing []string, err error) {
	batch := lake.Batch{Campaign: name}
	folder := parent(batch.Key())
	objects, err := lake.List(ctx, b, folder)
	if err != nil {
		return nil, err
	}
	last := 1
	for _, o := range objects {
		if _, err := fmt.Sscanf(strings.TrimPrefix(o.Key, folder), "batch-%d", &batch.Number); err == nil {
			last = max(last, min(batch.Number, len(objects)+mostUnlisted)+1)
		}
	}
	for found := true; found; last++ {
		var keys []string
		for batch.Number = 1; batch.Number <= last; batch.Number++ {
			keys = append(keys, batch.IntentKey(), batch.Key())
		}
		before := len(b.unlisted)
		if _, err := b.find(ctx, folder, keys); err != nil {
			return nil, err
		}
		found = len(b.unlisted) > before
	}
	manifests, _, _ := lake.ReadManifests(ctx, b, name) // what is wrong with one is found by itself
	var markers []string
	for _, m := range manifests {
		for _, member := range m.Members {
			markers = append(markers, member.MarkerKey(name))
		}
	}
	if success, err := lake.ReadSuccess(ctx, b, name); err == nil && success.Revision != "" {
		if p, err := campaign.ReadPlan(ctx, b, name, success.Revision); err == nil {
			markers = append(markers, b.cells(ctx, p)...)
		}
	}
	slices.Sort(markers)
	return b.find(ctx, parent(lake.Run{}.MarkerKey(name)), slices.Compact(markers))
}

// findCounted asks for the objects of folders that list fewer than the campaign's card has counted. Those whose
// names are hashes or drawn, as of scores and batches, cannot be asked for.
func (b *byName) findCounted(ctx context.Context, name string) error {
	counts, err := commits.ReadCounts(ctx, b, name)
	for folder, n := range counts {
		ofCampaign := strings.Contains(folder, "/campaign="+name+"/") || strings.HasPrefix(folder, lake.AboutKey(name, ""))
		key, isFolder := strings.CutSuffix(folder, "/")
		if !ofCampaign || !isFolder || store.CheckKey(key) != nil { // the card may be forged
			continue
		}
		objects, err := lake.List(ctx, b, folder)
		if err == nil && len(objects) < n {
			var keys []string
			if keys, err = b.namesIn(ctx, name, folder, min(n, len(objects)+mostUnlisted)); err == nil {
				_, err = b.find(ctx, folder, keys)
			}
		}
		if err != nil {
			return err
		}
	}
	return err
}

// namesIn returns the keys that some objects of a folder can have.
func (b *byName) namesIn(ctx context.Context, name, folder string, n int) (keys []string, err error) {
	run, isRun := lake.ParseRun(path.Base(folder))
	switch {
	case folder == money.LogFolder(name):
		return money.LogKeys(name, n), nil
	case folder == lake.SettlementsKey(name):
		return lake.SettlementKeys(name, n), nil
	case strings.HasPrefix(folder, "raw/_commits/"): // of a table that was added
		markers, err := lake.Committed(ctx, b, name)
		if err != nil && !errors.Is(err, store.ErrCorrupt) { // that is found by itself
			return nil, err
		}
		for _, m := range markers {
			keys = append(keys, folder+path.Base(m.Key()))
		}
		return keys, nil
	case strings.HasPrefix(folder, "answers/") && isRun: // checks and embeddings number their entries
		calls := make([]record.Call, n+1)
		for i := range calls {
			calls[i].Entry = int32(i)
		}
		return answers.NamesOf(answers.RunKey{Campaign: name, Collaboration: run.Collaboration,
			Generation: run.Generation}, calls)
	}
	return nil, nil
}

// cells returns the markers of the first generation of all cells without a marker of another one.
func (b *byName) cells(ctx context.Context, p campaign.Plan) (markers []string) {
	latest, err := lake.Generations(ctx, b, p.Campaign.Name)
	if err != nil {
		return nil // who counts them says so
	}
	order := p.Campaign.Order()
	for n := range p.Campaign.Size() {
		run := lake.Run{Collaboration: p.Campaign.CollaborationID(order.Cell(n))}
		if _, has := latest[run.Collaboration]; !has {
			markers = append(markers, run.MarkerKey(p.Campaign.Name))
		}
	}
	return markers
}

// findAnswers asks for what the rows of calls were made from; it reports whether anything was found.
func (b *byName) findAnswers(ctx context.Context, run answers.RunKey, rows []record.Call) (bool, error) {
	keys, err := answers.NamesOf(run, rows)
	if err != nil || len(keys) == 0 || b.fruitless >= mostUnlisted { // where all are gone, that takes hours
		return false, err
	}
	before := len(b.unlisted)
	_, err = b.find(ctx, parent(keys[0]), keys)
	found := len(b.unlisted) > before
	if b.fruitless++; found {
		b.fruitless = 0
	}
	return found, err
}

func parent(key string) string { return key[:strings.LastIndex(key, "/")+1] }
