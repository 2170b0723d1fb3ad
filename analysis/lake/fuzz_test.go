package lake_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

// What stands in an envelope of the right checksum may still be a stranger's: each
// document is read, or refused with its key.
func FuzzDocuments(f *testing.F) {
	marker, err := json.Marshal(lake.Marker{
		Campaign: "c", Condition: "r-1", Collaboration: "r-1-i0-r0", SchemaVersion: 1, Status: "succeeded",
		Files: map[string]lake.File{"collaborations": {Key: "raw/collaborations/campaign=c/condition=r-1/r-1-i0-r0.0.parquet", Rows: 1}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(marker)
	for _, s := range []string{
		`{"campaign":"c","number":1,"parts":[],"members":[]}`, `{"campaign":"c","number":1,"members":[{"condition":"r-1","collaboration":"r-1-i0-r0"}]}`, `{}`, `null`, `[]`, `{"campaign":"../c"}`,
		`{"calls":{"a":1},"usd":1}`, `{"campaign":"c","parts":[{"table":"turns","rows":-1,"condition":"/"}]}`,
	} {
		f.Add([]byte(s))
	}
	keys := []string{"raw/_commits/campaign=c/r-1-i0-r0.0.json", "lake/_manifests/campaign=c/batch-000001.json", "lake/_manifests/campaign=c/batch-000001.intent.json"}
	f.Fuzz(func(t *testing.T, body []byte) {
		sealed, err := lake.Seal("", json.RawMessage(body))
		if err != nil {
			sealed = body
		}
		for _, key := range keys {
			s := storetest.NewMemory(map[string]string{key: string(sealed)})
			_, marker := lake.ReadMarker(t.Context(), s, key)
			_, manifest := lake.ReadManifest(t.Context(), s, key)
			_, intent := lake.ReadIntent(t.Context(), s, key)
			for _, err := range []error{marker, manifest, intent} {
				if err != nil && (!errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), key)) {
					t.Errorf("the error is not one of damage, or does not name the object: %v", err)
				}
			}
			// Readers of the whole campaign meet the same object.
			_, _ = lake.ReadDataset(t.Context(), s, "c") // no panic, whatever it is
		}
		key := lake.SuccessKey("c")
		if _, err := lake.ReadSuccess(t.Context(), storetest.NewMemory(map[string]string{key: string(body)}), "c"); err != nil && !strings.Contains(err.Error(), key) {
			t.Errorf("the error does not name the object: %v", err)
		}
		key = lake.SettlementsKey("c") + "1.json"
		if _, err := lake.ReadSettled(t.Context(), storetest.NewMemory(map[string]string{key: string(sealed)}), "c"); err != nil && !strings.Contains(err.Error(), lake.SettlementsKey("c")) {
			t.Errorf("the error does not name the object: %v", err)
		}
	})
}

// Bytes of a Parquet file whose checksum is right, because a stranger made it: rows
// come out, or an error, and never more memory than the file could fill.
func FuzzParquet(f *testing.F) {
	for n := range 3 {
		var turns []record.Turn
		var ends []record.Collaboration
		for i := range n {
			text := strings.Repeat("word ", i*100)
			turns = append(turns, record.Turn{Key: record.Key{SchemaVersion: 1, CampaignID: "c", CollaborationID: fmt.Sprint(i)}, Entry: int32(i), Text: &text})
			ends = append(ends, record.Collaboration{Status: "succeeded", Utilities: []float64{1, 2}})
		}
		f.Add(encoded(f, turns))
		f.Add(encoded(f, ends))
	}
	f.Add(claiming(math.MaxInt32))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = lake.Decode[record.Turn](data) // rows or an error; a panic is neither
		_, _ = lake.Decode[record.Collaboration](data)
	})
}

// A footer that claims 2 billion columns is refused before room is made for them.
func TestClaimsOfAFooter(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := lake.Decode[record.Turn](claiming(1 << 24)); err == nil || !strings.Contains(err.Error(), "claims more than it holds") {
		t.Errorf("the error is %v", err)
	}
	runtime.ReadMemStats(&after)
	if more := after.TotalAlloc - before.TotalAlloc; more > 16<<20 {
		t.Errorf("%d MB are asked for", more>>20)
	}
}

// claiming returns a file whose schema claims n elements and has one byte.
func claiming(n uint64) []byte {
	footer := binary.AppendUvarint([]byte("\x15\x04\x19\xfc"), n) // version 2; a list of n structs
	footer = append(footer, 0x48)
	data := append([]byte("PAR1"), footer...)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(footer)))
	return append(data, "PAR1"...)
}

func encoded[T record.Row](f *testing.F, rows []T) []byte {
	f.Helper()
	var b bytes.Buffer
	w := lake.NewWriter[T](&b)
	_, err := w.Write(rows)
	if err := errors.Join(err, w.Close()); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}
