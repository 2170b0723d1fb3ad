// Command module gives the module another path, which go.mod alone says: in imports, templates,
// the linter's rules, modules of the checks and of the example, and the documentation. Run it in the
// root of a checkout without changes: make module MODULE=example.org/roundtable
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fail(errors.New("expected one path, as in make module MODULE=example.org/roundtable"))
	}
	n, err := rename(os.Args[1])
	if err != nil {
		fail(err)
	}
	fmt.Printf("%s: %d files changed\n", os.Args[1], n)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "module:", err)
	os.Exit(1)
}

// valid is a path that the go command finds elsewhere: a host with a dot first.
var valid = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9._~-]+)+$`)

// packages begin as these do; examples is also a folder that the documentation names.
const packages = `(?:(?:activities|analysis|cmd|envs|infra|workflows)\b|examples")`

func rename(to string) (changed int, err error) {
	if !valid.MatchString(to) {
		return 0, fmt.Errorf("%q is not the path of a module; expected a host and a path, as example.org/roundtable", to)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return 0, err
	}
	before, ok := strings.CutPrefix(strings.SplitN(string(mod), "\n", 2)[0], "module ")
	if !ok {
		return 0, errors.New("go.mod does not begin with its module")
	}
	names, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		return 0, fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		info, err := os.Lstat(name)
		if err != nil {
			return changed, err
		}
		if !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return changed, err
		}
		renamed, err := renameIn(name, data, before, to)
		if err != nil {
			return changed, fmt.Errorf("%s: %w", name, err)
		}
		if bytes.Equal(data, renamed) {
			continue
		}
		if err := os.WriteFile(name, renamed, info.Mode().Perm()); err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}

// renameIn returns a file with the other path. What is called the same as the module and is none of its
// packages stays: the program, its folder, the name in prose.
func renameIn(name string, data []byte, before, to string) ([]byte, error) {
	if bytes.IndexByte(data, 0) >= 0 || !bytes.Contains(data, []byte(before)) {
		return data, nil
	}
	old := regexp.QuoteMeta(before)
	for _, pattern := range []string{
		`()\b` + old + `(/` + packages + `)`,                   // a package
		`(\b(?:module|require|replace) )` + old + `( |/|\n|=)`, // go.mod, and where it is quoted
		`(\{pkg: )` + old + `(/,)`,                             // all packages, in the linter's rules
	} {
		data = replaceApart(data, regexp.MustCompile(pattern), to)
	}
	if filepath.Ext(name) == ".go" {
		return format.Source(data) // imports have another order
	}
	return data, nil
}

// replaceApart replaces what a pattern finds that is not part of a longer path.
func replaceApart(data []byte, pattern *regexp.Regexp, to string) []byte {
	var out []byte
	at := 0
	for _, m := range pattern.FindAllSubmatchIndex(data, -1) {
		if m[0] > 0 && strings.IndexByte("./-_~", data[m[0]-1]) >= 0 {
			continue
		}
		out = append(out, data[at:m[3]]...)
		out = append(out, to...)
		at = m[4]
	}
	return append(out, data[at:]...)
}
