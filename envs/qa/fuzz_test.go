package qa

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// A file of questions is read, and each of them can be asked, or the error names the file.
func FuzzFiles(f *testing.F) {
	formats := Formats()
	for at, format := range formats {
		paths, err := filepath.Glob("testdata/tiny/*")
		if err != nil {
			f.Fatal(err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			if _, err := loadQuestions(params(format, "x"), fstest.MapFS{"x": {Data: data}}); err == nil {
				f.Add(data, uint8(at))
			}
		}
	}
	f.Add([]byte("\ufeffquestion,answer,A\n\"a\nb\",A,x\n"), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, at uint8) {
		format := formats[int(at)%len(formats)]
		e, err := loadQuestions(params(format, "x"), fstest.MapFS{"x": {Data: data}})
		if err != nil {
			if !strings.Contains(err.Error(), "x") || len(err.Error()) > 20_000 {
				t.Errorf("%s: %d bytes: %.300v", format, len(err.Error()), err)
			}
			return
		}
		for i := range min(e.Instances(), 3) {
			in, err := e.Instance(1, i)
			if err != nil {
				t.Fatalf("%s: question %d: %v", format, i, err)
			}
			_, _ = in.Parse([]byte(`"(A)"`)) // whatever it says of it, it returns
			in.Observe(0)
		}
	})
}

// Likewise files of viewpoints and of challenges.
func FuzzPool(f *testing.F) {
	own, err := os.ReadFile("testdata/tiny/own.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{`{"question":"own-0","text":"The answer is 4."}`, `{"question":"x"}`, `{"Question":1}`, "[]", `{"question":"own-0","answer":"5","explanation":"x"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, file := range []string{"pool", "challenges", "shots"} {
			p := params("jsonl", "own")
			p.Pool.Each, p.Pool.Contexts = 1, 2
			switch file {
			case "pool":
				p.Pool.File = "more"
			case "challenges":
				p.Challenges.File = "more"
			case "shots":
				p.Shots.File, p.Shots.N = "more", 1
			}
			e, err := loadQuestions(p, fstest.MapFS{"own": {Data: own}, "more": {Data: data}})
			if err != nil {
				if !strings.Contains(err.Error(), file) {
					t.Errorf("the error does not name %s: %v", file, err)
				}
				continue
			}
			if e.Instances() > 0 {
				if _, err := e.Instance(1, 0); err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		}
	})
}
