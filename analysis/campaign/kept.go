package campaign

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// Kept is a cache of runs: what readers kept of the rows of sealed parts, which never change, and results that
// take long to compute (Remember).
// Entries that are missing, damaged or from another version of the program are made again.
type Kept struct {
	Cache store.Cache // no folder keeps nothing
	Least int         // members that a campaign has for its runs to be kept; 0 is 1,000
}

const (
	keptLeast = 1000    // of fewer, all is read as soon
	keptMost  = 2 << 30 // bytes of what nobody uses
	keptInUse = 24 * time.Hour
)

// Keep reads what is not kept of the parts of a campaign that may be running, one by one; done are
// digests of those that need not be looked at, to which it adds.
func (k Kept) Keep(ctx context.Context, s store.Store, campaign string, done map[string]bool, readers ...Reader) error {
	if k.keepsNothing() {
		return nil
	}
	d, err := lake.ReadDataset(ctx, s, campaign)
	if err != nil {
		return err
	}
	from := source{ctx, s, allTables(), distinct(readers), k.filesOf(ctx, s, d)}
	if from.kept == nil {
		return nil
	}
	defer from.kept.prune()
	sealed, _ := d.Split()
	for _, part := range sealed {
		if !done[part.Digest] {
			_, failed := from.read(part)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			err, done[part.Digest] = errors.Join(err, failed), true // nor is it tried again
		}
	}
	return err
}

// keptFiles are the files of a cache that belong to a campaign.
type keptFiles struct {
	store.Cache
	sizes map[string]int64 // of the parts that the lake has
	wrote atomic.Bool
}

func (k Kept) keepsNothing() bool { return k.Cache.Folder == "" || thisProgram == "" }

// filesOf returns nil if nothing is kept of a campaign.
func (k Kept) filesOf(ctx context.Context, s store.Store, d lake.Dataset) *keptFiles {
	if k.keepsNothing() || len(d.Members) < cmp.Or(k.Least, keptLeast) {
		return nil
	}
	sizes, err := d.PartSizes(ctx, s)
	if err != nil {
		return nil // reading the parts says what is wrong
	}
	return &keptFiles{Cache: k.Cache, sizes: sizes}
}

// has reports whether there may be files of a part, which the lake has.
func (k *keptFiles) has(part lake.Sealed) bool { return k != nil && part.AreIn(k.sizes) }

// get fills into with what a reader has kept of each run of what has a digest; false if that is not there.
func (k *keptFiles) get(digest string, reader Reader, into []any) bool {
	data, err := k.Get(nameKept(thisProgram, digest, reader.name))
	if err != nil || len(data) < sumLine || string(data[:sumLine]) != sumOf(data[sumLine:]) {
		return false
	}
	return reader.decode(data[sumLine:], into) == nil
}

// put writes what a reader keeps of each run of what has a digest, if it reads back as it is. That it
// cannot be written costs time alone.
func (k *keptFiles) put(digest string, reader Reader, all []any) {
	data, err := reader.encode(all)
	if err == nil && k.Put(nameKept(thisProgram, digest, reader.name), append([]byte(sumOf(data)), data...)) == nil {
		k.wrote.Store(true)
	}
}

// Remember returns the result of compute, from the cache of the campaign's runs if it is there. The result must
// depend on name and inputs alone, and survive JSON unchanged.
func Remember[T any](c Campaign, name string, inputs any, compute func() (T, error)) (T, error) {
	if c.kept == nil {
		return compute()
	}
	reader, all, sum := Reader{name: name, codec: codecOf[T]()}, make([]any, 1), sha256.New()
	if err := json.MarshalWrite(sum, inputs, json.Deterministic(true)); err != nil { // NaN
		return compute()
	}
	digest := fmt.Sprintf("%x", sum.Sum(nil))
	if c.kept.get(digest, reader, all) {
		return all[0].(T), nil
	}
	result, err := compute()
	if err == nil {
		all[0] = result
		c.kept.put(digest, reader, all)
		c.kept.prune()
	}
	return result, err
}

// prune makes room after files were written.
func (k *keptFiles) prune() {
	if k.wrote.Load() {
		_ = k.Prune(keptMost, time.Now().Add(-keptInUse))
	}
}

// nameKept names what one program's reader keeps of a part.
func nameKept(program, digest, reader string) string {
	name := fmt.Sprintf("%x", sha256.Sum256(fmt.Appendln(nil, program, digest, reader)))
	return name[:2] + "/" + name + ".json"
}

const sumLine = 2*sha256.Size + 1

// sumOf returns the first line of a file: a sum of the rest.
func sumOf(data []byte) string { return fmt.Sprintf("%x\n", sha256.Sum256(data)) }

// thisProgram names the program's file as it was at the start: a later version, which may read
// the same rows differently, may have taken its place when rows are read.
var thisProgram = nameProgram()

// nameProgram returns a name that no other program's file has; empty if the file is not known.
func nameProgram() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%s %d %d", path, info.Size(), info.ModTime().UnixNano())
}

// codec writes and reads what a reader keeps of runs; nil is nothing.
type codec struct {
	encode func([]any) ([]byte, error)
	decode func(data []byte, into []any) error
}

// codecOf returns the codec of parts of one type.
func codecOf[T any]() codec {
	decode := func(data []byte, into []any) error {
		var all [][]T // none or one a run
		if err := json.Unmarshal(data, &all); err != nil || len(all) != len(into) {
			return cmp.Or(err, store.ErrCorrupt)
		}
		for i, one := range all {
			if into[i] = nil; len(one) > 0 {
				into[i] = one[0]
			}
		}
		return nil
	}
	return codec{func(parts []any) ([]byte, error) {
		all := make([][]T, len(parts))
		for i, part := range parts {
			if part != nil {
				all[i] = []T{part.(T)}
			}
		}
		data, err := json.Marshal(all, json.FormatNilSliceAsNull(true), json.FormatNilMapAsNull(true))
		if err != nil {
			return nil, err
		}
		again := make([]any, len(parts))
		if err := decode(data, again); err != nil || !reflect.DeepEqual(again, parts) {
			return nil, cmp.Or(err, store.ErrCorrupt)
		}
		return data, nil
	}, decode}
}

// bareReader keeps the runs themselves, without parts.
func bareReader() Reader { return Reader{name: "run", codec: codecOf[Run]()} }
