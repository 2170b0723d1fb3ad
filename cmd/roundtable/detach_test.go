package main

import (
	"path/filepath"
	"strings"
	"testing"

	"roundtable/cmd/internal/screentest"
)

// A launched run outlives the command that launched it, and its record says where to look; what
// is wrong with the file is said by the command.
func TestDetach(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	save(t, dir, "left.yaml", "name: left\nreplicates: 3\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nrule: majority\nmodel: scripted/trader\n")
	out, err := program(t, dir, "run", "left.yaml", "--detach", "--json", "--lake", "a lake").Output()
	noError(t, err)
	record := document(t, string(out))
	if record["campaign"] != "left" || record["pid"].(float64) <= 0 || record["log"] != filepath.Join(".roundtable", "left.log") || record["status_command"] != "roundtable status left --lake='a lake'" {
		t.Fatalf("the record is %s", out)
	}
	screentest.Until(t, "the end", func() bool {
		return strings.Contains(command(t, dir, nil, "verify", "left", "--json", "--lake", "a lake").out, `"sealed": true`)
	})
	contains(t, output(t, dir, "analyze", "left", "--lake", "a lake"), "left: 3 of 3 collaborations finished (3 succeeded")
	save(t, dir, "wrong.yaml", "name: wrong\n")
	said, err := program(t, dir, "run", "wrong.yaml", "--detach").CombinedOutput()
	if err == nil || !strings.Contains(string(said), "wrong.yaml: env: is missing") {
		t.Errorf("%v: %s", err, said)
	}
}
