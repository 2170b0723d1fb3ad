// Command security judges what the tools of CI's step security report about a
// built program, and fails on what SECURITY.md does not allow:
//
//	govulncheck -mode binary -format json PROGRAM | security vulnerabilities vulnerabilities.txt
//	go-licenses report ./cmd/roundtable | security licences PROGRAM licences.txt
//	security sbom PROGRAM sbom.cdx.json
package main

import (
	"bufio"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	switch {
	case len(args) == 2 && args[0] == "vulnerabilities":
		return runVulnerabilities(args[1], in, out)
	case len(args) == 3 && args[0] == "licences":
		return runLicences(args[1], args[2], in, out)
	case len(args) == 3 && args[0] == "sbom":
		return runSBOM(args[1], args[2], out)
	}
	return errors.New("expected: security vulnerabilities LIST | licences PROGRAM LIST | sbom PROGRAM FILE")
}

// linkedModules returns the modules in a program with their versions, which the
// linker recorded.
func linkedModules(program string) (map[string]string, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	modules := map[string]string{}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		modules[module.Path] = module.Version
	}
	return modules, nil
}

// readExceptions returns the lines of a list, each split into n fields of which
// the last is the reason. # begins a comment line.
func readExceptions(name string, n int) ([][]string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var list [][]string
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		fields := strings.Fields(text)
		if len(fields) < n {
			return nil, fmt.Errorf("%s:%d: expected %d fields, the last a reason, got %q", name, number, n, text)
		}
		list = append(list, append(fields[:n-1:n-1], strings.Join(fields[n-1:], " ")))
	}
	return list, lines.Err()
}
