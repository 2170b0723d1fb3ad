package campaign

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"time"
	"unique"

	"golang.org/x/sync/errgroup"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Kept are runs that were read before: what readers kept of the rows of a sealed part, which
// never change. They are made again where they are missing, of another program, or not what
// was written.
type Kept struct {
	Cache store.Cache // no folder keeps nothing
	Least int         // members that a campaign has for its runs to be kept; 0 is 1,000
}

const (
	keptLeast = 1000    // of fewer, all is read as soon
	keptMost  = 2 << 30 // bytes of what nobody uses
	keptInUse = 24 * time.Hour
)

// keptRun is a run in a file.
type keptRun struct {
	Collaboration record.Collaboration
	Scores        []*float64
	Keys          []string
	Usable        Usable
	Asked         Asked
	Answered      []Answered
	Parts         map[string]json.RawMessage // by reader
}

// reading is the runs of a sealed part, in the order of its members.
type reading struct {
	lake.Sealed
	name string // of its file; "" if it is not kept
	runs []Run  // as read from the file; nil if it is not there
}

// find reads what is kept of a campaign; what is not kept is left in the dataset.
func (k Kept) find(ctx context.Context, s store.Store, d lake.Dataset, readers []Reader) (lake.Dataset, []reading) {
	if k.Cache.Folder == "" || len(d.Members) < cmp.Or(k.Least, keptLeast) {
		return d.ByPart(), nil
	}
	if thisProgram == "" {
		return d.ByPart(), nil
	}
	sealed, rest := d.Split()
	all := make([]reading, len(sealed))
	through, ctx := errgroup.WithContext(ctx)
	through.SetLimit(atOnce)
	for i, one := range sealed {
		all[i] = reading{Sealed: one, name: nameKept(thisProgram, one.Digest, readers)}
		through.Go(func() error {
			if data, err := k.Cache.Get(all[i].name); err == nil && one.IsThere(ctx, s) {
				all[i].runs, _ = decodeRuns(data, len(one.Members), readers)
			}
			return nil
		})
	}
	_ = through.Wait()
	var unread []lake.Member
	for _, one := range all {
		if one.runs == nil {
			unread = append(unread, one.Members...)
		}
	}
	rest.Members = append(unread, rest.Members...)
	return rest, all
}

// keep writes what was read, if it reads back as it is. That it cannot be written costs time alone.
func (k Kept) keep(all []reading, readers []Reader) {
	wrote := false
	for _, one := range all {
		data, err := encodeRuns(one.runs, readers)
		if err != nil {
			continue
		}
		if again, err := decodeRuns(data, len(one.runs), readers); err == nil && reflect.DeepEqual(again, one.runs) {
			wrote = k.Cache.Put(one.name, data) == nil || wrote
		}
	}
	if wrote {
		_ = k.Cache.Prune(keptMost, time.Now().Add(-keptInUse))
	}
}

// nameKept names what one program's readers keep of a part.
func nameKept(program, digest string, readers []Reader) string {
	sum := sha256.New()
	fmt.Fprintln(sum, program, digest)
	for _, r := range readers {
		fmt.Fprintln(sum, r.name)
	}
	name := hex.EncodeToString(sum.Sum(nil))
	return name[:2] + "/" + name + ".json"
}

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

// encodeRuns returns runs as the text of a file, which begins with a sum of the rest.
func encodeRuns(runs []Run, readers []Reader) ([]byte, error) {
	all := make([]keptRun, len(runs))
	for i, r := range runs {
		all[i] = keptRun{r.Collaboration, r.Scores, r.Keys, r.Usable, r.Asked, r.Answered,
			map[string]json.RawMessage{}}
		for _, reader := range readers {
			part, ok := reader.part(r.Parts)
			if !ok {
				continue
			}
			data, err := json.Marshal(part)
			if err != nil {
				return nil, err
			}
			all[i].Parts[reader.name] = data
		}
	}
	data, err := json.Marshal(all)
	return append(fmt.Appendf(nil, "%x\n", sha256.Sum256(data)), data...), err
}

const sumLine = 2*sha256.Size + 1

// decodeRuns reads what encodeRuns wrote of so many runs.
func decodeRuns(data []byte, n int, readers []Reader) ([]Run, error) {
	if len(data) < sumLine || fmt.Sprintf("%x\n", sha256.Sum256(data[sumLine:])) != string(data[:sumLine]) {
		return nil, store.ErrCorrupt
	}
	var all []keptRun
	if err := json.Unmarshal(data[sumLine:], &all); err != nil || len(all) != n {
		return nil, cmp.Or(err, store.ErrCorrupt)
	}
	runs := make([]Run, n)
	for i, k := range all {
		k.Collaboration.SettingsJSON = unique.Make(k.Collaboration.SettingsJSON).Value() // one copy for each condition
		r := Run{Collaboration: k.Collaboration, Scores: k.Scores, Keys: k.Keys, Usable: k.Usable, Asked: k.Asked,
			Answered: k.Answered}
		for _, reader := range readers {
			if part, kept := k.Parts[reader.name]; kept {
				if err := reader.keep(&r.Parts, part); err != nil {
					return nil, err
				}
			}
		}
		runs[i] = r
	}
	return runs, nil
}
