package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// neverMissing is a module that the program cannot do without: a bill of
// materials that lacks it, or a program that seems to, was not read.
const neverMissing = "go.temporal.io/sdk"

// runSBOM compares a CycloneDX bill of materials with the modules that the linker
// recorded. Go's own library is one component more.
func runSBOM(program, name string, out io.Writer) error {
	modules, err := linkedModules(program)
	if err != nil {
		return err
	}
	bytes, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var bill struct {
		BOMFormat  string
		Components []struct{ Name, Version string }
	}
	if err := json.Unmarshal(bytes, &bill); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if bill.BOMFormat != "CycloneDX" {
		return fmt.Errorf("%s: expected the format CycloneDX, got %q", name, bill.BOMFormat)
	}
	components := map[string]string{}
	for _, component := range bill.Components {
		components[component.Name] = component.Version
	}
	fmt.Fprintf(out, "%d components, %d modules\n", len(components), len(modules))
	return compareModules(modules, components)
}

func compareModules(modules, components map[string]string) error {
	var failures []error
	if modules[neverMissing] == "" || components[neverMissing] == "" {
		failures = append(failures, fmt.Errorf("%s is missing", neverMissing))
	}
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		if components[module] != modules[module] {
			failures = append(failures, fmt.Errorf("%s %s is linked, the bill of materials has %q", module,
				modules[module], components[module]))
		}
	}
	for _, component := range slices.Sorted(maps.Keys(components)) {
		if modules[component] == "" && component != "std" {
			failures = append(failures, fmt.Errorf("the bill of materials has %s, which is not linked", component))
		}
	}
	return errors.Join(failures...)
}
