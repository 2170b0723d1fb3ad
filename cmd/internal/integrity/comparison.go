package integrity

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/envs/wording"
)

// Comparison says how the lake differs from what was attested of a campaign.
type Comparison struct {
	File    string `json:"file"`
	Program string `json:"program"` // version that attested it
	Objects int    `json:"objects"` // attested
	Same    int    `json:"same"`    // of them

	Signed  bool   `json:"signed"`
	Key     string `json:"key,omitempty"` // Fingerprint of the one that signed
	Valid   bool   `json:"valid"`         // the signature fits the file's contents
	Trusted bool   `json:"trusted"`       // and is by the expected key

	Changed []string `json:"changed,omitempty"`
	Missing []string `json:"missing,omitempty"`
	Deleted []string `json:"deleted,omitempty"` // raw files; verify finds those whose rows no part holds

	AddedVisible []string `json:"added_visible,omitempty"` // stored later, and readers see them
	AddedUnused  []string `json:"added_unused,omitempty"`  // stored later; no table rests on them

	Findings []lake.Finding `json:"findings,omitempty"` // of signature and digest
}

// Expected is the attestation that a lake is compared with.
type Expected struct {
	Attestation
	File string
	Key  ed25519.PublicKey // that must have signed it; nil accepts any key, and no signature
}

// compareAttested compares a lake, whose rows have a digest, with what is expected.
func compareAttested(ctx context.Context, s store.Store, digest string, e Expected) (Comparison, error) {
	c := Comparison{File: e.File, Program: e.Program, Objects: len(e.Objects)}
	c.checkSignature(e)
	if digest != e.Digest {
		c.find(fmt.Sprintf("it attests rows of digest %s; those of the lake have %s", e.Digest, digest))
	}
	listed, _, err := lake.Objects(ctx, s, e.Campaign)
	if err != nil {
		return c, err
	}
	now := make(map[string]store.Object, len(listed))
	for _, o := range listed {
		now[o.Key] = o
	}
	states := make([]state, len(e.Objects))
	err = lake.Each(ctx, len(states), func(ctx context.Context, i int) (err error) {
		o, ok := now[e.Objects[i].Key]
		if !ok { // a store may list late what it has
			o = store.Object{Key: e.Objects[i].Key, Size: e.Objects[i].Size}
		}
		states[i], err = compareObject(ctx, s, o, e.Objects[i])
		return err
	})
	if err != nil {
		return c, err
	}
	for i, o := range e.Objects {
		c.classify(o.Key, states[i])
		delete(now, o.Key)
	}
	for _, o := range listed {
		if _, ok := now[o.Key]; ok {
			c.classify(o.Key, added)
		}
	}
	return c, nil
}

// state is what became of an object.
type state int

const (
	missing state = iota
	same
	changed
	added
)

func compareObject(ctx context.Context, s store.Store, now store.Object, then Object) (state, error) {
	if now.Size != then.Size {
		return changed, nil
	}
	size, sum, err := store.Hash(ctx, s, now.Key)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing, nil
	case errors.Is(err, store.ErrCorrupt):
		return changed, nil
	case err != nil:
		return missing, err
	case size == then.Size && sum == then.SHA256:
		return same, nil
	}
	return changed, nil
}

func (c *Comparison) classify(key string, s state) {
	switch {
	case s == same:
		c.Same++
	case s == changed:
		c.Changed = append(c.Changed, key)
	case s == missing && isRawFile(key):
		c.Deleted = append(c.Deleted, key)
	case s == missing:
		c.Missing = append(c.Missing, key)
	case isSeen(key):
		c.AddedVisible = append(c.AddedVisible, key)
	default:
		c.AddedUnused = append(c.AddedUnused, key)
	}
}

// isRawFile reports whether an object holds rows of one collaboration. It may be deleted
// once a part holds them.
func isRawFile(key string) bool {
	return strings.HasPrefix(key, "raw/") && !strings.HasPrefix(key, "raw/_commits/")
}

// isSeen reports whether readers see an object because it is there: markers, manifests
// and what is about the campaign. They see files of rows, answers and the budget's log
// through those, or not at all.
func isSeen(key string) bool {
	isStart, _ := path.Match(lake.AboutKey("*", "starts/*"), key)
	return strings.HasPrefix(key, "raw/_") || strings.HasPrefix(key, "lake/_") && !isStart
}

func (c *Comparison) find(problem string) {
	c.Findings = append(c.Findings, lake.Finding{Object: c.File, Problem: problem})
}

func (c *Comparison) checkSignature(e Expected) {
	c.Signed = e.IsSigned()
	if c.Signed {
		c.Key, c.Valid = Fingerprint(e.key), e.isSignedBy(e.key)
	}
	switch {
	case e.Key != nil && !c.Signed:
		c.find(fmt.Sprintf("it is not signed; expected a signature by key %s", Fingerprint(e.Key)))
	case e.Key != nil && !e.Key.Equal(e.key):
		c.find(fmt.Sprintf("it is signed by key %s; expected %s", c.Key, Fingerprint(e.Key)))
	case c.Signed && !c.Valid:
		c.find("its signature is not of this content, which was changed after it was signed")
	default:
		c.Trusted = e.Key != nil
	}
}

// Errors returns the number of differences that are wrong.
func (c Comparison) Errors() int {
	return len(c.Findings) + len(c.Changed) + len(c.Missing) + len(c.AddedVisible)
}

// WriteSummary writes what was compared, and the changes that are not wrong.
func (c Comparison) WriteSummary(w io.Writer) {
	fmt.Fprintf(w, "Attested: %d of %s as %s has them\n", c.Same, wording.Count(c.Objects, "object"),
		wording.SafeLine(c.File))
	switch {
	case !c.Signed:
		fmt.Fprintln(w, "Signed: no; anyone who could change the lake could have written the file")
	case c.Trusted:
		fmt.Fprintf(w, "Signed: by key %s, the one of --public-key\n", c.Key)
	case c.Valid:
		fmt.Fprintf(w, "Signed: by key %s, which nobody has vouched for; --public-key names the one that you trust\n", c.Key)
	}
	if n := len(c.Deleted); n > 0 {
		fmt.Fprintf(w, "Deleted since: %s, an error only where no part holds the rows\n", wording.Count(n, "raw file"))
	}
	if n := len(c.AddedUnused); n > 0 {
		fmt.Fprintf(w, "Added since: %s that no table rests on\n", wording.Count(n, "object"))
		writeKeys(w, "ADDED  ", c.AddedUnused, "")
	}
}

// WriteErrors writes what is wrong, one line each; only the first ones if there are many.
func (c Comparison) WriteErrors(w io.Writer) {
	for _, f := range c.Findings {
		fmt.Fprintf(w, "WRONG  %s: %s\n", wording.SafeLine(f.Object), f.Problem)
	}
	const wrong = "WRONG  "
	writeKeys(w, wrong, c.Changed, ": it is not as it was attested")
	writeKeys(w, wrong, c.Missing, ": it was attested and is missing")
	writeKeys(w, wrong, c.AddedVisible, ": it was stored after the attestation, and readers see it")
	if len(c.AddedVisible) > 0 {
		fmt.Fprintln(w, "If the campaign continued after it was attested, attest it again; this attestation "+
			"describes the earlier state.")
	}
}

// shown bounds the keys of one kind in words; JSON has all.
const shown = 10

func writeKeys(w io.Writer, before string, keys []string, after string) {
	for _, key := range keys[:min(shown, len(keys))] {
		fmt.Fprintf(w, "%s%s%s\n", before, wording.SafeLine(key), after)
	}
	if more := len(keys) - shown; more > 0 {
		fmt.Fprintf(w, "%sand %s more%s\n", before, wording.Count(more, "object"), after)
	}
}
