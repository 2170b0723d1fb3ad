package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// permissive are the licences that ask for no more than a notice.
var permissive = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unlicense", "Zlib"}

func runLicences(program, list string, in io.Reader, out io.Writer) error {
	modules, err := linkedModules(program)
	if err != nil {
		return err
	}
	exceptions, err := readExceptions(list, 3)
	if err != nil {
		return err
	}
	rows, err := csv.NewReader(in).ReadAll() // package, URL, licence
	if err != nil {
		return fmt.Errorf("the report of go-licenses: %w", err)
	}
	return checkLicences(modules, rows, exceptions, list, out)
}

func checkLicences(modules map[string]string, rows, exceptions [][]string, list string, out io.Writer) error {
	var failures []error
	used, counts := map[int]bool{}, map[string]int{}
	for _, row := range rows {
		counts[row[2]]++
		if slices.Contains(permissive, row[2]) {
			continue
		}
		at := slices.IndexFunc(exceptions, func(e []string) bool { return isWithin(row[0], e[0]) && e[1] == row[2] })
		if at < 0 {
			failures = append(failures, fmt.Errorf("%s has the licence %s, which is not among the permissive ones",
				row[0], row[2]))
			continue
		}
		used[at] = true
	}
	for at, entry := range exceptions {
		if !used[at] {
			failures = append(failures, fmt.Errorf("%s names %s with %s, which is no longer linked: remove the line",
				list, entry[0], entry[1]))
		}
	}
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		if !slices.ContainsFunc(rows, func(row []string) bool { return isWithin(row[0], module) }) {
			failures = append(failures, fmt.Errorf("go-licenses says nothing of %s, which is linked", module))
		}
	}
	for _, licence := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(out, "%4d %s\n", counts[licence], licence)
	}
	return errors.Join(failures...)
}

// isWithin reports whether a package is in a module or folder.
func isWithin(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}
