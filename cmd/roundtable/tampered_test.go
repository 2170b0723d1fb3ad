package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/integrity"
	"roundtable/workflows/catalogue"
)

var bitFlips = flag.Int("flips", 60, "how many bits TestTampered turns round where -long is set")

// harmless are files of a lake whose damage verify passes over, since nothing that is
// read depends on them: locks, and the room that is set aside.
func harmless(name string) bool {
	return strings.HasSuffix(name, "lock") || strings.HasPrefix(filepath.Base(name), ".")
}

// attack changes files of a lake, and says how; the lake is put back after it.
type attack struct {
	what  string
	files map[string]string // by key: new content; "" deletes
}

// tampered is a lake of a campaign with paid answers, labels, gold labels and features, killed once,
// that is attacked in memory.
type tampered struct {
	store *storetest.Memory
	files map[string]string // as they were, by key
	names []string
}

func newTampered(t *testing.T) *tampered {
	service := newVendor(t)
	dir := t.TempDir()
	campaignFile(t, dir, service.URL, 2)
	file, err := os.ReadFile(filepath.Join(dir, "campaign.yaml"))
	noError(t, err)
	save(t, dir, "campaign.yaml", string(file)+"labels: {model: scripted/labeller}\n")
	killAfter(t, 20, service, "run", "campaign.yaml")(dir)
	output(t, dir, "run", "campaign.yaml")
	output(t, dir, "features", "killed")
	for _, items := range []string{"60", "96"} { // two draws
		output(t, dir, "label", "killed", "--gold", items, "-o", "blank.csv")
		coded := handCode(t, dir, "blank.csv", "coded.csv", func(string) string { return "Others" })
		output(t, dir, "label", "killed", "--gold-from", coded, "--coder", "ada")
	}
	lake := os.DirFS(filepath.Join(dir, "lake"))
	files := map[string]string{}
	err = fs.WalkDir(lake, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || harmless(path) {
			return err
		}
		data, err := fs.ReadFile(lake, path)
		files[path] = string(data)
		return err
	})
	noError(t, err)
	l := &tampered{store: storetest.NewMemory(maps.Clone(files)), files: files, names: slices.Sorted(maps.Keys(files))}
	if v := l.verify(t); !v.OK || len(v.CachedDamaged) > 0 {
		t.Fatalf("before anything is changed: %+v", v.Findings)
	}
	return l
}

func (l *tampered) verify(t *testing.T) integrity.Verification {
	v, err := integrity.Check(context.Background(), l.store, catalogue.Builtin(), "killed")
	noError(t, err)
	return v
}

// check carries an attack out and puts the lake back.
func (l *tampered) check(t *testing.T, a attack) {
	for key, data := range a.files {
		delete(l.store.Objects, key)
		if data != "" {
			l.store.Objects[key] = data
		}
	}
	if v := l.verify(t); v.OK && len(v.CachedDamaged) == 0 {
		t.Errorf("%s: verify finds nothing wrong", a.what)
	}
	for key := range a.files {
		l.store.Objects[key] = l.files[key]
	}
}

// matching returns the keys in a folder that hold a text.
func (l *tampered) matching(part, folder string) []string {
	return slices.DeleteFunc(slices.Clone(l.names), func(name string) bool {
		return !strings.Contains(name, part) || !strings.HasPrefix(name, folder)
	})
}

// TestTampered: whatever is changed, deleted, swapped or forged in a lake is noticed.
func TestTampered(t *testing.T) {
	t.Parallel()
	l := newTampered(t)
	rng := rand.New(rand.NewPCG(1, 2))
	n, others := 12, 1
	if *long {
		n, others = *bitFlips, 40
	}
	for range n {
		path := l.names[rng.IntN(len(l.names))]
		data := []byte(l.files[path])
		bit := rng.IntN(8 * len(data))
		data[bit/8] ^= 1 << (bit % 8)
		l.check(t, attack{fmt.Sprintf("bit %d of %s is another", bit, path), map[string]string{path: string(data)}})
	}
	answers, intents, log := l.matching(".0.json", "answers/"), l.matching(".intent", "answers/"), l.matching("", "budget/")
	last := slices.DeleteFunc(slices.Clone(answers), func(key string) bool { return !strings.Contains(l.files[key], `"turn":`) })
	for range others {
		l.check(t, l.forgery(t, last[rng.IntN(len(last))]))
		l.check(t, l.swap(last, rng))
		for _, files := range [][]string{answers, intents, log[:len(log)-1]} {
			path := files[rng.IntN(len(files))]
			l.check(t, attack{path + " is deleted", map[string]string{path: ""}})
		}
	}
	for _, path := range slices.Concat(l.matching("/gold/", "lake/_campaigns/"), l.matching("", "raw/_commits/gold/"), l.matching("", "lake/_campaigns/killed/codebooks/")) {
		l.check(t, attack{path + " is deleted", map[string]string{path: ""}})
	}
	for _, path := range l.one() {
		l.check(t, attack{path + " is deleted", map[string]string{path: ""}})
	}
	for _, path := range slices.Concat(l.matching("", "data/"), l.matching("/check-", "answers/"), l.matching("/labels-", "answers/")) {
		if strings.Contains(l.files[path], `"turn":`) && strings.Contains(path, "/labels-") {
			l.check(t, l.forgery(t, path))
		}
		l.check(t, attack{path + " is another", map[string]string{path: "x" + l.files[path]}})
	}
	for _, folder := range []string{"budget/", "raw/_commits/gold/", "raw/gold/", "lake/_campaigns/killed/gold/", "answers/", "lake/turns/", "lake/_campaigns/killed/labellers/", "lake/_campaigns/killed/plans/"} {
		gone := map[string]string{}
		for _, path := range l.matching("", folder) {
			gone[path] = ""
		}
		l.check(t, attack{"all of " + folder + " is deleted", gone})
	}
}

var digits = regexp.MustCompile(`[0-9a-f]{4,}|\d+`)

// one returns an object of each kind that must not be missing: its name but for numbers and hashes.
func (l *tampered) one() (names []string) {
	seen := map[string]bool{}
	for _, name := range l.names {
		kind := digits.ReplaceAllString(name, "")
		if of, _ := whichKind(name); !slices.Contains(of.passes, byLoss) && !seen[kind] {
			seen[kind], names = true, append(names, name)
		}
	}
	return names
}

// swap returns an attack that gives two collaborations each other's answer to the same entry.
func (l *tampered) swap(answers []string, rng *rand.Rand) attack {
	for {
		a, b := answers[rng.IntN(len(answers))], answers[rng.IntN(len(answers))]
		if a != b && filepath.Base(a) == filepath.Base(b) {
			return attack{fmt.Sprintf("%s and %s are swapped", a, b), map[string]string{a: l.files[b], b: l.files[a]}}
		}
	}
}

// forgery returns an attack that changes what was answered, with all checksums made anew.
func (l *tampered) forgery(t *testing.T, path string) attack {
	var object map[string]json.RawMessage
	noError(t, lake.Unseal(path, []byte(l.files[path]), &object))
	var answer map[string]json.RawMessage
	var raw []byte
	noError(t, json.Unmarshal(object["answer"], &answer))
	noError(t, json.Unmarshal(answer["raw"], &raw))
	raw = append(raw, ' ')
	sum := sha256.Sum256(raw)
	answer["raw"], answer["sha256"] = asJSON(t, raw), asJSON(t, hex.EncodeToString(sum[:]))
	object["answer"] = asJSON(t, answer)
	data, err := lake.Seal(path, object)
	noError(t, err)
	return attack{path + " is forged", map[string]string{path: string(data)}}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	noError(t, err)
	return data
}
