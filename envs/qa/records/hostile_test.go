package records

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/envs/hostiletest"
)

var long = flag.Bool("long", false, "run the long tests as well")

// Data that a stranger could have made of valid data take neither memory nor time. Parquet
// files have a test of their own in pagecheck.
func TestHostile(t *testing.T) {
	n := 20
	if *long {
		n = 1000
	}
	for name, text := range map[string]string{
		"a.jsonl": "{\"question\":\"Which?\",\"options\":[\"x\",\"y\"],\"answer\":1}\n{\"question\":\"2 + 2\",\"more\":{\"b\":[null,1.5]}}\n",
		"a.json":  `[{"question":"Which?","options":{"text":["x"],"label":["A"]},"answer":"A"},{"a":1e3}]`,
		"a.csv":   "question,answer,c\n\"x\ny\",1,\"2,3\"\nz,4,\n",
		"a.yaml":  "- question: Which?\n  options: [x, y]\n  answer: 1\n- {question: z, a: &a [1], b: *a}\n",
	} {
		t.Run(name, func(t *testing.T) {
			hostiletest.ReadFiles(t, n, []string{text}, func(data []byte) {
				table, _ := Read(name, data, Options{})
				for _, r := range table.Records {
					Plain(r.Fields)
				}
			})
		})
	}
	hostiletest.ReadBounded(t, []byte("question"+strings.Repeat(",", 1_000_000)+"\nx\n"), func(data []byte) { _, _ = Read("a.csv", data, Options{}) })
	for name, text := range map[string]string{"a.csv.gz": "question,answer\nx,1\ny,2\n", "a.jsonl.gz": "{\"question\":\"Which?\"}\n"} {
		hostiletest.ReadFiles(t, n, []string{string(gzipped(t, text))}, func(data []byte) { _, _ = Read(name, data, Options{}) })
		hostiletest.ReadFiles(t, n/4, []string{text}, func(data []byte) { _, _ = Read(name, gzipped(t, string(data)), Options{}) })
	}
	bomb := gzipped(t, strings.Repeat("question,answer\n", 100<<20/16))
	hostiletest.ReadBounded(t, bomb, func(data []byte) {
		if _, err := Read("a.csv.gz", data, Options{}); err == nil || !strings.Contains(err.Error(), "MB") {
			t.Errorf("a bomb is refused with %v", err)
		}
	})
	hostiletest.ReadFiles(t, n, []string{string(lines(t))}, func(data []byte) { _, _ = Read("a.parquet", data, Options{}) })
	dir := t.TempDir()
	readme := filepath.Join(dir, "README.md")
	if err := errors.Join(os.WriteFile(readme, []byte("---\nconfigs: []\n---\n"), 0o600), os.Truncate(readme, 1<<40)); err != nil {
		t.Fatal(err)
	}
	hostiletest.ReadBounded(t, []byte("README.md of a terabyte"), func([]byte) { _, _ = Folder(os.DirFS(dir), ".", "", "") })
}
