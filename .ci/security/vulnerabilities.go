package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// message is one value of govulncheck's JSON stream.
type message struct {
	OSV *struct {
		ID      string
		Summary string
	}
	Finding *finding
}

type finding struct {
	OSV          string
	FixedVersion string `json:"fixed_version"`
	Trace        []struct{ Module, Version, Package, Function string }
}

// isLinked tells a function that the linker kept from a module or package that
// merely has a vulnerability somewhere.
func (f *finding) isLinked() bool { return len(f.Trace) > 0 && f.Trace[0].Function != "" }

// isGo reports whether Go itself is at fault. Who builds the program chooses the
// toolchain, and CI cannot get another: such findings are printed only.
func (f *finding) isGo() bool {
	return f.Trace[0].Module == "stdlib" || f.Trace[0].Module == "toolchain"
}

func runVulnerabilities(list string, in io.Reader, out io.Writer) error {
	accepted, err := readExceptions(list, 2)
	if err != nil {
		return err
	}
	findings, summaries, err := readFindings(in)
	if err != nil {
		return err
	}
	reasons := map[string]string{}
	for _, entry := range accepted {
		reasons[entry[0]] = entry[1]
	}
	var failures []error
	for _, key := range slices.Sorted(maps.Keys(findings)) {
		found := findings[key]
		text := fmt.Sprintf("%s in %s %s (fixed in %s): %s", found.OSV, found.Trace[0].Module, found.Trace[0].Version,
			orNone(found.FixedVersion), summaries[found.OSV])
		switch reason := reasons[found.OSV]; {
		case found.isGo():
			fmt.Fprintln(out, "build with a newer Go:", text)
		case reason != "":
			fmt.Fprintf(out, "accepted: %s\n  because %s\n", text, reason)
		default:
			failures = append(failures, errors.New(text))
		}
	}
	for _, entry := range accepted {
		if !slices.ContainsFunc(slices.Collect(maps.Values(findings)),
			func(f finding) bool { return f.OSV == entry[0] }) {
			failures = append(failures, fmt.Errorf("%s names %s, which is no longer found: remove the line",
				list, entry[0]))
		}
	}
	fmt.Fprintf(out, "%d known vulnerabilities, %d to fix\n", len(findings), len(failures))
	return errors.Join(failures...)
}

// readFindings returns one linked finding for each vulnerability and module, and
// the summaries of vulnerabilities.
func readFindings(in io.Reader) (map[string]finding, map[string]string, error) {
	findings, summaries := map[string]finding{}, map[string]string{}
	scanned := false
	for stream := json.NewDecoder(in); ; {
		var next message
		if err := stream.Decode(&next); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("govulncheck's answer: %w", err)
		}
		scanned = true
		if next.OSV != nil {
			summaries[next.OSV.ID] = next.OSV.Summary
		}
		if next.Finding != nil && next.Finding.isLinked() {
			findings[next.Finding.OSV+" "+next.Finding.Trace[0].Module] = *next.Finding
		}
	}
	if !scanned {
		return nil, nil, errors.New("govulncheck's answer is empty")
	}
	return findings, summaries, nil
}

func orNone(version string) string {
	if version == "" {
		return "no version"
	}
	return version
}
