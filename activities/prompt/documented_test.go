package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The manual lists every template that a folder can replace, of each protocol
// in its own row.
func TestTemplatesAreDocumented(t *testing.T) {
	manual, err := os.ReadFile("../../docs/reference/campaign.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(manual), "\n## Prompts\n")
	list, _, _ = strings.Cut(list, "\n## ")
	files, err := filepath.Glob("../../envs/*/prompts/*.tmpl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d templates of environments: %v", len(files), err)
	}
	for _, file := range files {
		if name := "`env/" + filepath.Base(file) + "`"; !strings.Contains(list, name) {
			t.Errorf("docs/reference/campaign.md does not list %s", name)
		}
	}
	if files, err = filepath.Glob("../../workflows/protocol/prompts/*/*.tmpl"); err != nil || len(files) == 0 {
		t.Fatalf("%d templates of protocols: %v", len(files), err)
	}
	there := map[string]bool{}
	for _, file := range files {
		protocol, name := filepath.Base(filepath.Dir(file)), "`protocol/"+filepath.Base(file)+"`"
		there[protocol+name] = true
		_, row, _ := strings.Cut(list, "\n| `"+protocol+"` |")
		if row, _, _ = strings.Cut(row, "\n"); !strings.Contains(row, name) {
			t.Errorf("docs/reference/campaign.md does not list %s of %s", name, protocol)
		}
	}
	for line := range strings.SplitSeq(list, "\n") {
		cells := strings.Split(line, "`")
		for i := 3; i < len(cells); i += 2 {
			if name := "`" + cells[i] + "`"; strings.HasPrefix(cells[i], "protocol/") && strings.HasPrefix(line, "| `") && !there[cells[1]+name] {
				t.Errorf("docs/reference/campaign.md lists %s of %s, which is not there", name, cells[1])
			}
		}
	}
}
