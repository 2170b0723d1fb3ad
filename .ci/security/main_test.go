package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write puts text into a file of its own and returns the file's name.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// expect fails unless err says text; with an empty text no error is expected.
func expect(t *testing.T, err error, text string) {
	t.Helper()
	if text == "" && err != nil {
		t.Error(err)
	}
	if text != "" && (err == nil || !strings.Contains(err.Error(), text)) {
		t.Errorf("expected an error that says %q, got %v", text, err)
	}
}

func TestVulnerabilities(t *testing.T) {
	const (
		begun  = `{"config": {}}` + "\n"
		linked = `{"osv": {"id": "GO-1", "summary": "bad"}} {"finding": {"osv": "GO-1", "trace": [{"module": "m", "version": "v1", "package": "m/p", "function": "F"}]}}`
		unused = `{"finding": {"osv": "GO-1", "trace": [{"module": "m", "version": "v1", "package": "m/p"}]}}`
		inGo   = `{"finding": {"osv": "GO-2", "fixed_version": "v1.99.9", "trace": [{"module": "stdlib", "version": "v1.99", "package": "net", "function": "F"}]}}`
	)
	for _, c := range []struct{ name, answer, list, fails string }{
		{"none", begun, "", ""},
		{"linked", begun + linked, "", "GO-1 in m v1 (fixed in no version): bad"},
		{"accepted", begun + linked, "GO-1 only clients of X are affected", ""},
		{"accepted without a reason", begun + linked, "GO-1", "expected 2 fields"},
		{"not linked", begun + unused, "", ""},
		{"Go itself", begun + inGo, "", ""},
		{"Go itself and a module", begun + inGo + linked, "", "GO-1"},
		{"no longer found", begun, "GO-1 only clients of X are affected", "no longer found"},
		{"no answer", "", "", "empty"},
		{"cut answer", begun + linked[:20], "", "govulncheck's answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect(t, run([]string{"vulnerabilities", write(t, c.list)}, strings.NewReader(c.answer), t.Output()), c.fails)
		})
	}
}

func TestLicences(t *testing.T) {
	modules := map[string]string{"a.example/m": "v1", "b.example/m": "v1"}
	for _, c := range []struct{ name, a, b, list, fails string }{
		{"permissive", "MIT", "Apache-2.0", "", ""},
		{"GPL", "MIT", "GPL-3.0", "", "b.example/m/sub has the licence GPL-3.0"},
		{"AGPL", "AGPL-3.0", "MIT", "", "AGPL-3.0"},
		{"MPL without a reason", "MIT", "MPL-2.0", "", "MPL-2.0"},
		{"MPL with a reason", "MIT", "MPL-2.0", "b.example/m MPL-2.0 linked unchanged", ""},
		{"another licence than the list's", "MIT", "AGPL-3.0", "b.example/m MPL-2.0 linked unchanged", "AGPL-3.0"},
		{"another module than the list's", "MIT", "MPL-2.0", "b.example/m2 MPL-2.0 linked unchanged", "MPL-2.0"},
		{"no longer linked", "MIT", "MIT", "b.example/m MPL-2.0 linked unchanged", "no longer linked"},
		{"not reported", "MIT", "", "", "nothing of b.example/m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := [][]string{{"a.example/m", "", c.a}}
			if c.b != "" {
				rows = append(rows, []string{"b.example/m/sub", "", c.b})
			}
			exceptions, err := readExceptions(write(t, c.list), 3)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, checkLicences(modules, rows, exceptions, "list", t.Output()), c.fails)
		})
	}
}

func TestBillOfMaterials(t *testing.T) {
	for _, c := range []struct {
		name                string
		modules, components map[string]string
		fails               string
	}{
		{"equal", map[string]string{neverMissing: "v1"}, map[string]string{neverMissing: "v1", "std": "go1"}, ""},
		{"nothing read", nil, nil, "missing"},
		{"another version", map[string]string{neverMissing: "v1"}, map[string]string{neverMissing: "v2"}, "v2"},
		{"one left out", map[string]string{neverMissing: "v1", "m": "v1"}, map[string]string{neverMissing: "v1"}, "m v1 is linked"},
		{"one too many", map[string]string{neverMissing: "v1"}, map[string]string{neverMissing: "v1", "m": "v1"}, "not linked"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, compareModules(c.modules, c.components), c.fails) })
	}
}
