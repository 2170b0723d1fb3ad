package pages

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/transcripts"
)

// shown is what the server keeps of a campaign, until more of it has ended.
type shown struct {
	plan     campaign.Campaign // without rows
	revision string            // of the plan
	list     kept[listing]
	said     kept[[]said]
	results  results
	beside   sync.Map // *results, by the campaign that this one stands next to
	watched  watched
}

// kept is what was made of rows with a digest.
type kept[T any] struct {
	mu     sync.Mutex // one makes it, the others wait
	digest string
	value  T
}

// listing is the list of collaborations.
type listing struct {
	list *report.List
	json []byte                 // of it
	rows []record.Collaboration // the latest generations
}

// said is what was said in a collaboration, in lower case and packed: texts are most of a lake,
// and all of them are in memory from the first search on.
type said struct {
	id     string
	packed []byte
}

// rowsOf returns what is kept, which is made once more if other rows are in the lake.
func (k *kept[T]) rowsOf(ctx context.Context, s store.Store, campaign string,
	build func(lake.Dataset) (T, error)) (T, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d, err := lake.ReadDataset(ctx, s, campaign)
	if err != nil {
		return k.value, err
	}
	if digest := d.Digest(); digest != k.digest {
		value, err := build(d)
		if err != nil {
			return k.value, err
		}
		k.digest, k.value = digest, value
	}
	return k.value, nil
}

// planAge is for how long a plan is taken for the present one: a campaign can be extended.
const planAge = 5 * time.Second

// shownOf returns what is kept of a campaign of the lake; it is read again once the plan is another one.
func (v *Server) shownOf(ctx context.Context, name string) (*shown, error) {
	v.mu.Lock()
	c := v.campaigns[name]
	fresh := c != nil && time.Since(v.checked[name]) < planAge
	v.mu.Unlock()
	if fresh {
		return c, nil
	}
	m, err := recorded.ReadManifest(ctx, v.store, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if c == nil || c.revision != m.Revision {
		if c, err = v.readShown(ctx, name, m.Revision); err != nil {
			return nil, err
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.campaigns[name], v.checked[name] = c, time.Now()
	return c, nil
}

func (v *Server) readShown(ctx context.Context, name, revision string) (*shown, error) {
	names, err := lake.Campaigns(ctx, v.store)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, name) {
		return nil, v.options.UnknownCampaign(name, names)
	}
	c := &shown{plan: campaign.Campaign{Name: name}, revision: revision}
	return c, analyze.AddPlan(ctx, v.store, &c.plan)
}

// listingOf returns the list of a campaign's collaborations, those that were run again last.
func (v *Server) listingOf(ctx context.Context, c *shown) (listing, error) {
	return c.list.rowsOf(ctx, v.store, c.plan.Name, func(d lake.Dataset) (listing, error) {
		latest, err := readAll(ctx, v.store, d)
		if err != nil {
			return listing{}, err
		}
		known := c.plan
		for _, row := range latest {
			known.Runs = append(known.Runs, campaign.Run{Collaboration: row})
		}
		list := report.NewList(known, questionsOf(ctx, v.store, v.options.Plugins, c.plan.Name))
		for i := range latest {
			list.Add(&latest[i], false)
		}
		again, err := d.RunAgain(ctx, v.store)
		if err != nil {
			return listing{}, err
		}
		earlier, err := readAll(ctx, v.store, again)
		if err != nil {
			return listing{}, err
		}
		for i := range earlier {
			list.Add(&earlier[i], true)
		}
		data, err := json.Marshal(list)
		return listing{list, data, latest}, err
	})
}

func readAll(ctx context.Context, s store.Store, d lake.Dataset) (all []record.Collaboration, err error) {
	for row, err := range lake.Scan[record.Collaboration](ctx, s, d) {
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, nil
}

func (v *Server) listPage(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("campaign")
	if _, err := v.shownOf(r.Context(), name); err != nil {
		return err
	}
	p := v.newPage("Collaborations of "+name, step{name, "../"})
	p.Rows = "rows"
	return v.render(w, "collaborations.tmpl", p)
}

func (v *Server) listRows(w http.ResponseWriter, r *http.Request) error {
	c, err := v.shownOf(r.Context(), r.PathValue("campaign"))
	if err != nil {
		return err
	}
	list, err := v.listingOf(r.Context(), c)
	if err != nil {
		return err
	}
	unfinished, err := transcripts.ReadUnfinished(r.Context(), v.store, v.options.Plugins, c.plan.Name)
	if err != nil {
		return err
	}
	data := list.json
	if len(unfinished.Rows) > 0 {
		if data, err = json.Marshal(list.list.With(unfinished.Collaborations())); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(data)
	return err
}

// serveSearch answers with the collaborations in which something was said.
func (v *Server) serveSearch(w http.ResponseWriter, r *http.Request) error {
	c, err := v.shownOf(r.Context(), r.PathValue("campaign"))
	if err != nil {
		return err
	}
	all, err := v.readSaid(r.Context(), c)
	if err != nil {
		return err
	}
	unpacker, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer unpacker.Close()
	found, wanted := []string{}, []byte(strings.ToLower(r.FormValue("said")))
	var text []byte
	for _, one := range all {
		if text, err = unpacker.DecodeAll(one.packed, text[:0]); err != nil {
			return err
		}
		if bytes.Contains(text, wanted) {
			found = append(found, one.id)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(found)
}

// readSaid returns what was said in each collaboration.
func (v *Server) readSaid(ctx context.Context, c *shown) ([]said, error) {
	return c.said.rowsOf(ctx, v.store, c.plan.Name, func(d lake.Dataset) ([]said, error) {
		all, err := gatherSaid(ctx, v.store, d, false)
		if err != nil {
			return nil, err
		}
		again, err := d.RunAgain(ctx, v.store)
		if err != nil {
			return nil, err
		}
		earlier, err := gatherSaid(ctx, v.store, again, true)
		return append(all, earlier...), err
	})
}

// gatherSaid returns what was said in each collaboration of a dataset, by ID; earlier are those that were
// run again.
func gatherSaid(ctx context.Context, s store.Store, d lake.Dataset, earlier bool) ([]said, error) {
	sealed, raw := d.Split()
	parts := make([][]said, len(sealed)+1)
	through, ctx := errgroup.WithContext(ctx)
	through.SetLimit(runtime.GOMAXPROCS(0))
	for i, part := range append(sealed, lake.Sealed{Dataset: raw}) {
		through.Go(func() (err error) {
			parts[i], err = packSaid(ctx, s, part.Dataset, earlier)
			return err
		})
	}
	err := through.Wait()
	all := slices.Concat(parts...)
	slices.SortFunc(all, func(a, b said) int { return cmp.Compare(a.id, b.id) })
	return all, err
}

func packSaid(ctx context.Context, s store.Store, d lake.Dataset, earlier bool) (all []said, err error) {
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	defer packer.Close()
	var text bytes.Buffer
	var packed []byte // has room for a text that does not pack; what is kept has none
	var of record.Key
	keep := func() {
		if text.Len() > 0 {
			packed = packer.EncodeAll(bytes.ToLower(text.Bytes()), packed[:0])
			all = append(all, said{report.IDOf(of, earlier), bytes.Clone(packed)})
		}
		text.Reset()
	}
	for turn, err := range lake.Scan[record.Turn](ctx, s, lake.Reading[record.Turn](d, "text", "reason")) {
		if err != nil {
			return nil, err
		}
		if turn.Key != of {
			keep()
			of = turn.Key
		}
		for _, part := range []*string{turn.Text, turn.Reason} {
			if part != nil {
				text.WriteString(*part)
				text.WriteByte('\n')
			}
		}
	}
	keep()
	return all, nil
}
