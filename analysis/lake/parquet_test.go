package lake_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
)

// A file whose writer did not know all columns yet reads with the others absent.
func TestFilesOfAnEarlierSchema(t *testing.T) {
	type round struct {
		record.Key
		Round       int32   `parquet:"round"`
		DecisionKey *string `parquet:"decision_key"`
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[round](&b)
	key := "d"
	want := record.Round{Key: record.Key{SchemaVersion: 1, CampaignID: "c", ConditionID: "k", CollaborationID: "x"}, Round: 3, DecisionKey: &key}
	for range 2000 { // more than are decoded at once
		if _, err := w.Write([]round{{want.Key, want.Round, want.DecisionKey}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := lake.NewReader[record.Round](b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := 0
	for ; ; n++ {
		got, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil || got.Key != want.Key || got.Round != 3 || *got.DecisionKey != "d" || got.DecisionJSON != nil || got.Score != nil || len(got.Utilities) > 0 {
			t.Fatalf("%+v %v", got, err)
		}
	}
	if n != 2000 {
		t.Fatal(n, "rows")
	}
}

// One flipped bit in the footer names another compression, whose decoder may take
// all memory before it sees that the bytes are none of its own.
func TestACompressionThatIsNotOursIsRefused(t *testing.T) {
	row := record.Round{Key: record.Key{SchemaVersion: 1, CampaignID: "c", ConditionID: "k", CollaborationID: "x"}}
	for codec, wanted := range map[compress.Codec]string{
		&parquet.Zstd: "", &parquet.Uncompressed: "",
		&parquet.Lz4Raw: "compressed with LZ4_RAW", &parquet.Snappy: "compressed with SNAPPY",
	} {
		var b bytes.Buffer
		w := parquet.NewGenericWriter[record.Round](&b, parquet.Compression(codec))
		if _, err := w.Write([]record.Round{row}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		rows, err := lake.Decode[record.Round](b.Bytes())
		switch {
		case wanted == "" && (err != nil || len(rows) != 1):
			t.Errorf("%s: %v %v", codec, rows, err)
		case wanted != "" && (err == nil || !strings.Contains(err.Error(), wanted)):
			t.Errorf("%s: %v", codec, err)
		}
	}
}
