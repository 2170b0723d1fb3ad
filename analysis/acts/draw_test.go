package acts

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden file again")

// TestDOT: Graphviz drew the recorded text, and it was looked at.
func TestDOT(t *testing.T) {
	g := Transitions([]ActsByRound{
		talk(t, [][][]string{{{"Inform"}, {"Request", "Inform"}}, {{"Propose"}, {"Evaluate"}}, {{"Accept"}, {"Request", "Propose"}}}),
		talk(t, [][][]string{{{"Inform"}, {"Request"}}, {{"Request"}, {"Propose"}}, {{"Evaluate"}, {"Accept"}}}),
	}, Anyone)
	got, path := DOT("Hostile \"title\" \\ </svg><script>", g.Top()), filepath.Join("testdata", "graph.dot")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != got {
		t.Errorf("%s is not as recorded (%v); -update rewrites it", path, err)
	}
}
