package lake

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// checkBatches checks what compaction left: intents and manifests against their
// checksums, parts against their manifests, and their rows against those of
// the commits that they were made from.
func (r *Report) checkBatches(ctx context.Context, store store.Store, whole []Marker, sums map[Run]copies,
	named map[string]bool) error {
	objects, err := List(ctx, store, manifestFolder(r.Campaign))
	if err != nil {
		return err
	}
	c := checking{Report: r, ctx: ctx, store: store, commits: map[Run]Marker{}, sums: sums, batch: map[Run]int{},
		intents: map[int]Batch{}}
	for _, m := range whole {
		c.commits[m.Run()] = m
	}
	for _, o := range objects { // intents sort before their manifests
		if err := c.checkObject(o.Key, named); err != nil {
			return err
		}
	}
	return nil
}

// checking is the state of batches.
type checking struct {
	*Report
	ctx     context.Context
	store   store.Store
	commits map[Run]Marker // whole ones
	sums    map[Run]copies // of these
	batch   map[Run]int    // that holds a run
	intents map[int]Batch
}

func (c *checking) checkObject(key string, named map[string]bool) error {
	if strings.HasSuffix(key, intentSuffix) {
		b, err := ReadIntent(c.ctx, c.store, key)
		if err == nil {
			c.intents[b.Number] = b
		}
		return c.reportDamage(key, err)
	}
	m, err := ReadManifest(c.ctx, c.store, key)
	if err != nil {
		return c.reportDamage(key, err)
	}
	for _, parts := range m.Files {
		for _, p := range parts {
			named[p.Key] = true
		}
	}
	c.checkMembers(m)
	return c.checkParts(m)
}

// reportDamage makes a finding of an object that is not what was written.
func (c *checking) reportDamage(key string, err error) error {
	if errors.Is(err, store.ErrCorrupt) {
		c.addFinding(key, err)
		return nil
	}
	return err
}

// checkMembers compares a manifest with the intent, the commits and the batches before it.
func (c *checking) checkMembers(m Manifest) {
	if b, ok := c.intents[m.Number]; ok && !reflect.DeepEqual(b, m.Batch) {
		c.addFinding(m.Key(), errors.New("it has other members than were to be compacted"))
	}
	twice, lost := 0, 0
	for _, member := range m.Members {
		if _, ok := c.batch[member.Run]; ok {
			twice++
			continue
		}
		c.batch[member.Run] = m.Number
		switch commit, ok := c.commits[member.Run]; {
		case !ok:
			lost++
		case !reflect.DeepEqual(MemberOf(commit), member):
			c.addFinding(m.Key(), fmt.Errorf("collaboration %s has digest %s, its commit says %s", member.Run,
				member.Digest, commit.Digest))
		}
	}
	if twice > 0 {
		c.addFinding(m.Key(), fmt.Errorf("%d of its %d collaborations are in batches before it", twice, len(m.Members)))
	}
	if lost > 0 {
		c.addFinding(m.Key(), fmt.Errorf("%d of its %d collaborations have no whole commit", lost, len(m.Members)))
	}
}

// checkParts reads the rows of a batch and compares them with those of the commits.
func (c *checking) checkParts(m Manifest) error {
	before := len(c.Findings)
	d := datasetOf(c.Campaign, []Manifest{m})
	w := newWalks(c.ctx, c.store, d, nil)
	defer w.close()
	p := partsOf{checking: c, failed: map[string]bool{}}
	for i, member := range m.Members {
		if i > 0 && member.Condition != m.Members[i-1].Condition {
			w.close() // a walk counts only the members of a data set
		}
		rows := record.Rows{}
		err := errors.Join(
			takeAndCompare(&p, w.collaborations, member, &rows.Collaborations),
			takeAndCompare(&p, w.rounds, member, &rows.Rounds),
			takeAndCompare(&p, w.turns, member, &rows.Turns),
			takeAndCompare(&p, w.ballots, member, &rows.Ballots),
			takeAndCompare(&p, w.calls, member, &rows.Calls),
		)
		if err != nil {
			return err
		}
		if !p.failed[member.Condition] {
			p.digest(m, member, rows)
		}
	}
	if len(c.Findings) == before {
		c.Batches++
		for _, parts := range m.Files {
			c.Parts += len(parts)
		}
	}
	return nil
}

// partsOf reads the parts of one batch.
type partsOf struct {
	*checking
	failed map[string]bool // conditions, and keys of parts, with a finding
}

// takeAndCompare is one table's rows of a member in its part, compared with those of its
// own file; the first thing that is wrong with a part is a finding.
func takeAndCompare[T record.Row](p *partsOf, w *tableWalk[T], m Member, rows *[]T) error {
	f, _, ok := w.d.locateRows(m, w.table)
	if !ok || p.failed[f.Key] {
		return nil
	}
	got, err := w.rowsOf(m)
	if err == nil {
		err = compareRows(p, m, got, f.Key)
	}
	if errors.Is(err, store.ErrCorrupt) {
		p.addFinding(f.Key, err)
		p.failed[f.Key], p.failed[m.Condition] = true, true
		return nil
	}
	*rows = got
	return err
}

// compareRows looks at operational columns too. A commit that is not whole has
// been reported already, and one whose file was deleted is not there to compare.
func compareRows[T record.Row](p *partsOf, m Member, rows []T, key string) error {
	var zero T
	own, ok := p.sums[m.Run][zero.Table()]
	if !ok {
		return nil
	}
	sum, err := copyOf(rows, key)
	if err == nil && sum != own {
		err = fmt.Errorf("%s: %w: its rows of collaboration %s are not those of its commit", key,
			store.ErrCorrupt, m.Run)
	}
	return err
}

func (p *partsOf) digest(b Manifest, m Member, rows record.Rows) {
	rows, err := rows.Sorted()
	digest := ""
	if err == nil {
		digest, err = record.Digest(rows)
	}
	if err == nil && digest != m.Digest {
		err = fmt.Errorf("the parts' rows of collaboration %s have digest %s, the manifest says %s", m.Run,
			digest, m.Digest)
	}
	if err != nil {
		p.addFinding(b.Key(), err)
		p.failed[m.Condition] = true
	}
}
