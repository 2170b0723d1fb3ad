package lake_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
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

// Rows are those that the library reads, of all types and in several groups of rows; columns
// that are not to be read are absent, and a column of another type is an error.
func TestRowsAreThoseOfTheLibrary(t *testing.T) {
	compareWithLibrary[record.Collaboration](t, "settings_json")
	compareWithLibrary[record.Round](t, "utilities")
	compareWithLibrary[record.Turn](t, "thinking")
	compareWithLibrary[record.Ballot](t, "value")
	compareWithLibrary[record.Call](t, "request_id")
	compareWithLibrary[record.Label](t, "cost_usd")
	compareWithLibrary[record.Feature](t, "grade")
	var b bytes.Buffer
	type round struct {
		Round string `parquet:"round"`
	}
	w := parquet.NewGenericWriter[round](&b)
	if _, err := w.Write([]round{{"1"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := lake.NewReader[record.Round](b.Bytes()); err == nil || !strings.Contains(err.Error(), "column round is of another type than int32") {
		t.Errorf("error %v", err)
	}
}

func compareWithLibrary[T record.Row](t *testing.T, unread string) {
	x := rand.New(rand.NewPCG(1, 2))
	rows := make([]T, 3000)
	for i := range rows {
		fillRandomly(x, reflect.ValueOf(&rows[i]).Elem())
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, parquet.MaxRowsPerRowGroup(700), parquet.PageBufferSize(4<<10), parquet.Compression(&parquet.Zstd))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := make([]T, len(rows))
	theirs := parquet.NewGenericReader[T](bytes.NewReader(b.Bytes()))
	if n, err := theirs.Read(want); n != len(rows) {
		t.Fatal(n, err)
	}
	got, err := lake.Decode[T](b.Bytes())
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%T: other rows than the library reads, %v", rows[0], err)
	}
	for i := range want {
		for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
			if name, _, _ := strings.Cut(f.Tag.Get("parquet"), ","); name == unread {
				reflect.ValueOf(&want[i]).Elem().FieldByIndex(f.Index).SetZero()
			}
		}
	}
	r, err := lake.NewReader[T](b.Bytes(), unread)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := range want {
		if got, err := r.Next(); err != nil || !reflect.DeepEqual(got, want[i]) {
			t.Fatalf("without %s, row %d is %+v, %v; want %+v", unread, i, got, err, want[i])
		}
	}
}

// fillRandomly fills fields; pointers are often nil, texts often those before, lists often empty.
func fillRandomly(x *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			fillRandomly(x, field)
		}
	case reflect.Pointer:
		if x.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillRandomly(x, v.Elem())
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), x.IntN(4), 4))
		for i := range v.Len() {
			fillRandomly(x, v.Index(i))
		}
	case reflect.String:
		v.SetString(strings.Repeat("é text", x.IntN(3)))
	case reflect.Bool:
		v.SetBool(x.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(int32(x.Uint32())))
	case reflect.Float64:
		v.SetFloat(x.NormFloat64())
	default:
		panic(v.Kind())
	}
}
