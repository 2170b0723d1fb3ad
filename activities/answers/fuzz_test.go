package answers_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/activities/answers"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

// What is stored of answers and intents, under each of their names, in an envelope of
// the right checksum: it is read, or an error says which object is wrong.
func FuzzObjects(f *testing.F) {
	for _, s := range storedObjects(f) {
		f.Add(s)
	}
	for _, s := range []string{`{}`, `null`, `{"Entry":-1}`, `{"entry":1,"ask":9999999999}`, `{"turns":null}`, `{"first":1,"turns":[{}]}`} {
		f.Add([]byte(s))
	}
	const folder = "answers/campaign=c/r-1-i0-r0.0/"
	f.Fuzz(func(t *testing.T, body []byte) {
		sealed, err := lake.Seal("", json.RawMessage(body))
		if err != nil {
			sealed = body
		}
		for _, name := range []string{"000001.0.json", "000001.0.intent-0.json", "000001.0.released-0.json", "000001.batch.json", "000001.turn.json"} {
			s := storetest.NewMemory(map[string]string{folder + name: string(sealed)})
			stored, err := answers.NewAnswers(s).Load(t.Context(), answers.RunKey{Campaign: "c", Collaboration: "r-1-i0-r0"})
			if err != nil && (!errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), folder)) {
				t.Errorf("the error is not one of damage, or does not name the object: %v", err)
			}
			stored.Calls(record.Key{})
			stored.Charge()
		}
		key := strings.Repeat("ab", 32)
		_, _, _ = answers.NewAnswers(storetest.NewMemory(map[string]string{"cache/ab/" + key + ".json": string(sealed)})).Cached(t.Context(), key) // no panic
	})
}

// storedObjects are the bodies of one object of each kind.
func storedObjects(f *testing.F) (bodies [][]byte) {
	f.Helper()
	dir := f.TempDir()
	s, err := store.NewLocal(dir)
	if err != nil {
		f.Fatal(err)
	}
	a, ctx := answers.NewAnswers(s), context.Background()
	p := answers.RunKey{Campaign: "c", Collaboration: "r-1-i0-r0"}
	_, errIntent := a.Intend(ctx, p, answers.Intent{Entry: 1})
	_, errPut := a.Put(ctx, p, done(turn(1, "x"), "x"))
	_, errBatch := a.PutBatch(ctx, p, []answers.Turn{done(turn(5, "y"), "y")})
	if err := errors.Join(errIntent, errPut, errBatch); err != nil {
		f.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(dir, "answers", "*", "*", "*.json"))
	if err != nil || len(paths) < 3 {
		f.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		var e struct{ Body json.RawMessage }
		if err := json.Unmarshal(data, &e); err != nil {
			f.Fatal(err)
		}
		bodies = append(bodies, e.Body)
	}
	return bodies
}
