package records

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode/utf16"

	"github.com/parquet-go/parquet-go"
)

func utf16Of(text string, order binary.AppendByteOrder, mark bool) []byte {
	var b []byte
	if mark {
		b = order.AppendUint16(b, 0xfeff)
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}

func gzipped(t testing.TB, data string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What a file is is found or named: delimiters, encodings, compression, and files that are not data.
func TestForms(t *testing.T) {
	const row = `{"question":"é?","answer":1}`
	for _, x := range []struct{ name, data, want string }{
		{"a.csv", "q;r\nx, y;1\n", "[q r] [{2 map[q:x, y r:1]}]"},
		{"a.tsv", "q\tr\nx;y\t1\n", "[q r] [{2 map[q:x;y r:1]}]"},
		{"a.csv", "q|r\nx|1\n", "[q r] [{2 map[q:x r:1]}]"},
		{"a.csv", " question ,answer \nx,1\n,\n", "[question answer] [{2 map[answer:1 question:x]}]"},
		{"a.csv", "\ufeffq,\nx,1\n", "[q column 2] [{2 map[column 2:1 q:x]}]"},
		{"a.csv", "q,q \nx,1\n", `line 1 has the column "q" twice`},
		{"a.csv", "q,r\nsay \"this\",1\n", `a cell with a quotation mark is written`},
		{"a.jsonl", "\ufeff" + row, "[answer question] [{1 map[answer:1 question:é?]}]"},
		{"a.jsonl.gz", string(gzipped(t, row)), "[answer question] [{1 map[answer:1 question:é?]}]"},
		{"a.csv.gz", string(gzipped(t, "q,r\nx,1\n")), "[q r] [{2 map[q:x r:1]}]"},
		{"a.csv.gz", string(gzipped(t, "q,r\nx,1\n"))[:20], "this is not a gzip file that can be read"},
		{"a.json", "{\n \"question\": \"?\"\n}", "[question] [{1 map[question:?]}]"},
		{"a.json", "{\"data\":\n[{\"q\":1}],\"more\":[{}],\"v\":2}", "this is one object; say where its list of rows is: rows: data or more"},
		{"a.jsonl", `{"answer":1,"Answer":2,"answer":3}`, `line 1: this is not JSON: the key "answer" is there twice`},
		{"a.jsonl", `{"n":12345678901234567890123}`, "[n] [{1 map[n:12345678901234567890123]}]"},
		{"a.jsonl", `{"a":NaN}`, "this is not JSON"},
		{"a.json", strings.Repeat("[", 5000), "more than 500 deep"},
		{"a.csv", "q,r\nO\xf9,1\n", "line 2 is not UTF-8 but perhaps Latin-1"},
		{"a.csv", string(utf16Of("q,r\nx,1\n", binary.LittleEndian, true)), "[q r] [{2 map[q:x r:1]}]"},
		{"a.csv", string(utf16Of("q,r\nx,1\n", binary.BigEndian, true)), "[q r] [{2 map[q:x r:1]}]"},
		{"a.jsonl", string(utf16Of(row, binary.LittleEndian, false)), "this is UTF-16"},
		{"a.jsonl", string(utf16Of(row, binary.BigEndian, false)), "this is UTF-16"},
		{"a.parquet", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "this is a Git LFS pointer"},
		{"a.jsonl", "version https://git-lfs.github.com/spec/v1\n", "this is a Git LFS pointer"},
		{"a.csv", "/annex/objects/SHA256E-s1--0.csv\n", "this is a git-annex pointer"},
		{"a.csv", "PK\x03\x04…", "ZIP archive or an Excel file"},
		{"a.json", "\n<!DOCTYPE html><html>", "this is a web page"},
		{"a.csv", "PAR1", "this is a Parquet file, read as csv"},
		{"a.jsonl", "", "it is empty"},
		{"a.parquet", string(parquetOf[logical](t)), " []"},
		{"a.csv", "q,r\rx,1\ry,2\r", "[q r] [{2 map[q:x r:1]} {3 map[q:y r:2]}]"},
		{"a.csv", "sep=;\r\nq;r\r\nx;1\r\n", "[q r] [{3 map[q:x r:1]}]"},
		{"a.csv", "q\u200b,\u00a0r\u2060\nx,1\n", "[q r] [{2 map[q:x r:1]}]"},
		{"a.csv", "q,r\nx\x00y,1\n", "line 2 has a NUL byte"},
		{"a.csv", "q,r\n" + strings.Repeat("x", maxLine+1), "line 2 has 16 MB; a row has at most 16 MB"},
		{"a.jsonl", row + "\n{\"q\":\"" + strings.Repeat("x", maxLine) + "\"}", "line 2 has 16 MB"},
		{"a.jsonl", `{"a":[1,NaN]}`, "write null"},
		{"a.jsonl", "{\n\"a\":1}\n{\n\"a\":2}", "expected one object a line, or one list of objects"},
	} {
		table, err := Read(x.name, []byte(x.data), Options{})
		got := fmt.Sprint(table.Columns, " ", table.Records)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, x.want) {
			t.Errorf("%s %.40q: %s, want %s", x.name, x.data, got, x.want)
		}
	}
}

// Rows within a JSON text have the fields above them, and their own lines.
func TestRows(t *testing.T) {
	data := "{\"data\": [\n {\"title\": \"T\", \"paragraphs\": [\n  {\"context\": \"c\",\n   \"qas\": [\n    {\"q\": 1},\n    {\"q\": 2, \"context\": \"own\"}]}]}]}"
	table, err := Read("a.json", []byte(data), Options{Rows: "data.paragraphs.qas"})
	if got, want := fmt.Sprint(table.Records), "[{5 map[context:c q:1 title:T]} {6 map[context:own q:2 title:T]}]"; err != nil || got != want {
		t.Errorf("%s, error %v; want %s", got, err, want)
	}
	if _, err = Read("a.json", []byte(data), Options{Rows: "data.paragraf.qas"}); err == nil || !strings.Contains(err.Error(), `there is no key "paragraf"; there are paragraphs, title; did you mean paragraphs?`) {
		t.Error(err)
	}
	table, err = Read("a.csv", []byte("x?,a,B\ny?,b,A\n"), Options{Header: []string{"question", "A", "answer"}})
	if got, want := fmt.Sprint(table.Records), "[{1 map[A:a answer:B question:x?]} {2 map[A:b answer:A question:y?]}]"; err != nil || got != want {
		t.Errorf("%s, error %v; want %s", got, err, want)
	}
}

type logical struct {
	Day      int32             `parquet:"day,date"`
	At       time.Time         `parquet:"at,timestamp(millisecond)"`
	Local    int64             `parquet:"local,timestamp(microsecond:local)"`
	Clock    int32             `parquet:"clock,time(millisecond)"`
	Map      map[string]string `parquet:"map"`
	Small    float32           `parquet:"small"`
	None     float64           `parquet:"none"`
	Huge     uint64            `parquet:"huge"`
	Wide     uint32            `parquet:"wide"`
	Price    int64             `parquet:"price,decimal(2:18)"`
	Share    int32             `parquet:"share,decimal(3:9)"`
	Kind     string            `parquet:"kind,enum"`
	JSON     string            `parquet:"json,json"`
	ID       [16]byte          `parquet:"id,uuid"`
	Maybe    *int64            `parquet:"maybe,optional"`
	Repeated []string          `parquet:"repeated,list"`
}

// Parquet's logical types are what people mean by them.
func TestLogicalTypes(t *testing.T) {
	row := logical{
		Day: 7252, At: time.Date(1989, 11, 9, 18, 53, 0, 500e6, time.UTC), Local: 1_000_000, Clock: 3_661_000, Map: map[string]string{"A": "x", "B": "y"},
		Small: 0.1, None: math.NaN(), Huge: math.MaxUint64, Wide: math.MaxUint32, Price: 1250, Share: -5, Kind: "B", JSON: `["x", {"a": 1}]`,
		ID: [16]byte{0x12, 0x34, 15: 0xff},
	}
	table, err := Read("a.parquet", parquetOf(t, row, logical{Day: -1, Repeated: []string{"r"}, Maybe: new(int64)}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range map[string]any{
		"day": "1989-11-09", "at": "1989-11-09 18:53:00.5Z", "clock": "01:01:01", "map": map[string]any{"A": "x", "B": "y"},
		"small": 0.1, "none": nil, "huge": "18446744073709551615", "wide": int64(math.MaxUint32), "price": 12.5, "share": -0.005, "kind": "B",
		"json": []any{"x", map[string]any{"a": int64(1)}}, "id": "12340000-0000-0000-0000-0000000000ff", "maybe": nil,
	} {
		if got := table.Records[0].Fields[column]; fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
			t.Errorf("%s is %#v, want %#v", column, got, want)
		}
	}
	if got := fmt.Sprint(table.Records[1].Fields["day"], table.Records[1].Fields["maybe"], table.Records[1].Fields["repeated"], table.Records[0].Fields["repeated"]); got != "1969-12-310 [r] []" {
		t.Errorf("the second row has %s", got)
	}
	for bits, want := range map[uint16]string{0x3c00: "1", 0xc000: "-2", 0x3555: "0.333251953125", 0x0001: "5.960464477539063e-08", 0x7c00: "+Inf", 0x7e00: "NaN"} {
		if got := fmt.Sprint(halfOf(bits)); got != want {
			t.Errorf("half %#x is %s, want %s", bits, got, want)
		}
	}
	for bytes, want := range map[string]any{"\x04\xe2": 12.5, "\xff\xfb": -0.05, "\x00": int64(0)} {
		if got := decimalOf(parquet.FixedLenByteArrayValue([]byte(bytes)), 2); got != want {
			t.Errorf("the decimal %q is %v, want %v", bytes, got, want)
		}
	}
}

// A config may name a folder, whose files are found as if it were the whole, or files in it.
func TestHubDataDir(t *testing.T) {
	for files, want := range map[string]string{"": "d/law/test.csv", "\n  data_files: more-*.csv": "d/law/more-1.csv"} {
		folder := fstest.MapFS{"d/README.md": {Data: []byte("---\nconfigs:\n- config_name: law\n  data_dir: law" + files + "\n---\n")}, "d/test.csv": {}, "d/law/test.csv": {}, "d/law/more-1.csv": {}}
		if names, err := Folder(folder, "d", "law", ""); err != nil || strings.Join(names, " ") != want {
			t.Errorf("%s: %v, %v, want %s", files, names, err, want)
		}
	}
}

// The hub's own rules for configs, splits and parts.
func TestHubFolders(t *testing.T) {
	for _, x := range []struct{ files, config, split, want string }{
		{"data/test_r1-00000-of-00001.parquet data/test_r2-00000-of-00001.parquet data/train_r1-00000-of-00001.parquet", "", "test_r1", "data/test_r1-00000-of-00001.parquet"},
		{"data/test_r1-00000-of-00001.parquet data/test_r2-00000-of-00001.parquet", "", "test", `split is "test"; the folder has test_r1, test_r2`},
		{"test_r1.jsonl test_r2.jsonl dev_r1.jsonl", "", "test_r2", "test_r2.jsonl"},
		{"test_r1.jsonl test_r2.jsonl dev_r1.jsonl", "", "test", "test_r1.jsonl test_r2.jsonl"},
		{"default/test/0000.parquet default/test/0001.parquet default/train/0000.parquet", "", "test", "default/test/0000.parquet default/test/0001.parquet"},
		{"all/test/0000.parquet law/test/0000.parquet", "", "test", "config is missing; the folder has all, law"},
		{"all/test/0000.parquet law/test/0000.parquet", "law", "", "law/test/0000.parquet"},
		{"test/a.jsonl test/deep/b.jsonl train/a.jsonl", "", "test", `test/a.jsonl`},
		{"evaluation.csv training.csv", "", "test", "evaluation.csv"},
		{"a-dev.tsv.gz a-train.tsv.gz", "", "validation", "a-dev.tsv.gz"},
		{"train.csv dataset_infos.json .cache/x.csv __pycache__/y.csv notes.txt", "", "", "train.csv"},
		{"a.csv b.csv", "", "", "a.csv b.csv"},
		{"test.csv test.parquet", "", "test", "there are files of the forms csv and parquet, perhaps the same rows twice"},
		{"data/test-00000-of-00003.parquet data/test-00002-of-00003.parquet", "", "test", "2 of 3 parts are there (00000, 00002); download the others"},
		{"train/data-00000-of-00001.arrow", "", "", "write the data set as Parquet"},
		{"latest.csv contest.csv", "", "", "contest.csv latest.csv"},
		{"README.md x/y/q.jsonl z.jsonl", "", "", "x/y/q.jsonl z.jsonl"},
		{"README.md x/y/q.jsonl", "", "gone", `no file d/gone-* is there`},
	} {
		files := fstest.MapFS{}
		for name := range strings.FieldsSeq(x.files) {
			files["d/"+name] = &fstest.MapFile{}
		}
		if strings.Contains(x.files, "README") {
			files["d/README.md"] = &fstest.MapFile{Data: []byte("---\nconfigs:\n- config_name: default\n  data_files:\n    all: \"**/*.jsonl\"\n    gone: gone-*\n---\n")}
		}
		if strings.Contains(x.files, "README") && x.split == "" {
			x.split = "all"
		}
		names, err := Folder(files, "d", x.config, x.split)
		got := strings.ReplaceAll(strings.Join(names, " "), "d/", "")
		if err != nil {
			got = err.Error()
		}
		if got != x.want && (err == nil || !strings.Contains(got, x.want)) {
			t.Errorf("%s, config %q, split %q: %s, want %s", x.files, x.config, x.split, got, x.want)
		}
	}
}
