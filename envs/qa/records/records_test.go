package records

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/parquet-go/parquet-go"
)

type choices struct {
	Text  []string `parquet:"text,list"`
	Label []string `parquet:"label,list"`
}

type picture struct {
	Bytes []byte `parquet:"bytes"`
	Path  string `parquet:"path"`
}

type line struct {
	Question string   `parquet:"question"`
	Choices  choices  `parquet:"choices"`
	Answer   int64    `parquet:"answer"`
	Share    float64  `parquet:"share"`
	Image    *picture `parquet:"image,optional"`
}

func parquetOf[T any](t testing.TB, rows ...T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func lines(t testing.TB) []byte {
	return parquetOf(t,
		line{Question: "Which?", Choices: choices{[]string{"x", "y"}, []string{"A", "B"}}, Answer: 1, Share: 0.5},
		line{Question: "Seen?", Image: &picture{[]byte{0xff, 0xd8}, "p.jpg"}})
}

func TestParquetWithAColumnTwice(t *testing.T) {
	type row struct {
		Answer string `parquet:"answer"`
		Other  string `parquet:"answes"`
	}
	data := bytes.ReplaceAll(parquetOf(t, row{"a", "b"}), []byte("answes"), []byte("answer"))
	if _, err := readParquet(data); err == nil || !strings.Contains(err.Error(), `the column "answer" twice`) {
		t.Errorf("%v", err)
	}
}

func TestReadParquet(t *testing.T) {
	table, err := readParquet(lines(t))
	if err != nil {
		t.Fatal(err)
	}
	want := `[question choices answer share image] map[answer:1 choices:map[label:[A B] text:[x y]] image:<nil> question:Which? share:0.5]`
	if got := fmt.Sprint(table.Columns, " ", table.Records[0].Fields); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if table.Place(table.Records[1]) != "row 2" || IsImage(table.Records[0].Fields["image"]) || !IsImage(table.Records[1].Fields["image"]) {
		t.Errorf("row 2 is %v", table.Records[1])
	}
	many := make([]line, 1000)
	many[999].Question = "last"
	if table, err = readParquet(parquetOf(t, many...)); err != nil || len(table.Records) != 1000 || table.Records[999].Fields["question"] != "last" || table.Records[3].Fields["question"] != "" {
		t.Errorf("%d rows, error %v", len(table.Records), err)
	}
}

func TestReadText(t *testing.T) {
	for _, x := range []struct{ name, data, want string }{
		{"a.jsonl", "\ufeff{\"b\":1.5,\"a\":[1,\"x\"]}\n\n{\"c\":{\"d\":null}}\n", "[a b c] [{1 map[a:[1 x] b:1.5]} {3 map[c:map[d:<nil>]]}]"},
		{"a.json", `[{"a":1},{"a":true}]`, "[a] [{1 map[a:1]} {1 map[a:true]}]"},
		{"a.csv", "q,r\n\"two\nlines\",b\nc\n", "[q r] [{2 map[q:two\nlines r:b]} {4 map[q:c]}]"},
	} {
		table, err := Read(x.name, []byte(x.data), Options{})
		if got := fmt.Sprint(table.Columns, " ", table.Records); got != x.want || err != nil {
			t.Errorf("%s: %s, error %v; want %s", x.name, got, err, x.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, x := range []struct{ name, data, want string }{
		{"a.jsonl", "{\"a\":1}\n[1\n{\"b\"}\n7", "line 2: this is not JSON: it ends too early\nline 3: this is not JSON: invalid character '}' after object key\nline 4: this is not an object"},
		{"a.jsonl", "{\"a\":1} {}", "line 1: this is not JSON: something follows its end"},
		{"a.jsonl", "{}\n{\"a\":\"\xff\"}", "line 2 is not UTF-8 but perhaps Latin-1 or Windows-1252 (byte 0xFF); save the file as UTF-8"},
		{"a.json", "[1]", "line 1: this is not an object"},
		{"a.csv", "", "it is empty"},
		{"a.csv", "a,a\n", `line 1 has the column "a" twice`},
		{"a.csv", "a\n1,2\n", "line 2 has 2 cells; the header has 1"},
		{"a.csv", "a\n\"1", `line 2`},
		{"a.parquet", "PAR1", "this is not a Parquet file that can be read"},
		{"a.xml", "", `its name ends in ".xml"; expected .csv, .json, .jsonl, .ndjson, .parquet or .tsv`},
	} {
		if _, err := Read(x.name, []byte(x.data), Options{}); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s %q: %v, want %q", x.name, x.data, err, x.want)
		}
	}
}

func TestFolder(t *testing.T) {
	file := &fstest.MapFile{}
	files := fstest.MapFS{
		"one/test-00001-of-00002.parquet": file, "one/test-00000-of-00002.parquet": file, "one/notes.txt": file,
		"two/data/train-00000-of-00001.parquet": file, "two/data/val.jsonl": file,
		"three/easy/test.csv": file, "three/hard/test.csv": file, "three/hard/train.csv": file,
		"four/README.md": {Data: []byte("---\nconfigs:\n- config_name: main\n  data_files:\n  - split: test\n    path: q/*.jsonl\n- config_name: more\n  data_files: extra.csv\n---\nText\n")},
		"four/q/b.jsonl": file, "four/q/a.jsonl": file, "four/extra.csv": file,
		"five/README.md": {Data: []byte("---\nconfigs:\n- config_name: main\n  data_files:\n  - split: test\n    path: ../one/*\n---\n")},
		"six/README.md":  {Data: []byte("---\nconfigs: [\n---\n")},
		"seven/none.txt": file,
	}
	for _, x := range []struct{ folder, config, split, want string }{
		{"one", "", "", "[one/test-00000-of-00002.parquet one/test-00001-of-00002.parquet]"},
		{"two", "", "", "split is missing; the folder has train, validation"},
		{"two", "", "validation", "[two/data/val.jsonl]"},
		{"two", "", "tain", `split is "tain"; the folder has train, validation; did you mean train?`},
		{"three", "", "test", "config is missing; the folder has easy, hard"},
		{"three", "hard", "test", "[three/hard/test.csv]"},
		{"four", "main", "", "[four/q/a.jsonl four/q/b.jsonl]"},
		{"four", "more", "train", "[four/extra.csv]"},
		{"five", "", "", `the path "../one/*" leaves the folder`},
		{"six", "", "", "its head is not YAML that can be read"},
		{"seven", "", "", "the folder seven holds no file that ends in .csv, .json, .jsonl, .ndjson, .parquet or .tsv"},
	} {
		names, err := Folder(files, x.folder, x.config, x.split)
		got := fmt.Sprint(names)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, x.want) {
			t.Errorf("%s %s %s: %s, want %s", x.folder, x.config, x.split, got, x.want)
		}
	}
}

// Whatever the bytes are, a table or an error comes back, and every record has a place.
func FuzzRead(f *testing.F) {
	for name, data := range map[string]string{
		"a.jsonl": "{\"a\":[1,{\"b\":null}]}\n", "a.csv": "a,b\n\"x\ny\",1\n", "a.json": "[{\"a\":1e400}]", "a.parquet": string(lines(f)),
	} {
		f.Add(name, []byte(data))
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		table, err := Read(name, data, Options{})
		if err != nil && err.Error() == "" {
			t.Error("the error says nothing")
		}
		for _, r := range table.Records {
			if r.At < 1 {
				t.Errorf("a record is at %d", r.At)
			}
			Plain(r.Fields)
		}
	})
}

// Whatever a README.md holds, the files named are within the folder.
func FuzzFolder(f *testing.F) {
	f.Add([]byte("---\nconfigs:\n- config_name: main\n  data_files:\n  - split: test\n    path: [q/*, x]\n---\n"), "main", "test")
	f.Add([]byte("---\nconfigs: 7\n---\n"), "", "")
	f.Fuzz(func(t *testing.T, readme []byte, config, split string) {
		files := fstest.MapFS{"d/README.md": {Data: readme}, "d/q/a.csv": {}, "other.csv": {}}
		names, err := Folder(files, "d", config, split)
		for _, name := range names {
			if !strings.HasPrefix(name, "d/") {
				t.Errorf("%q is outside", name)
			}
		}
		if err == nil && len(names) == 0 {
			t.Error("neither files nor an error")
		}
	})
}
