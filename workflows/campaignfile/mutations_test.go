package campaignfile_test

import (
	"errors"
	"flag"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"roundtable/envs/hostiletest"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
)

func number(n int) string { return strconv.Itoa(n) }

// broken are the good file's lines, each broken in many ways. None of them is a
// good file: the key is unknown, or its value is nothing that the key takes.
func broken() []string {
	var files []string
	text := strings.Split(strings.TrimSuffix(good, "\n"), "\n")
	for i, line := range text {
		with := func(changed ...string) {
			files = append(files, strings.Join(slices.Concat(text[:i], changed, text[i+1:]), "\n")+"\n")
		}
		key, _, _ := strings.Cut(line, ":")
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		with(key + "x" + strings.TrimPrefix(line, key)) // unknown key, or a missing one
		with(line, line)                                // twice
		with(line, indent+"1: 2")                       // not a text
		with(line, indent+"- x")                        // a list in a mapping
		with(line, "\t"+strings.TrimSpace(line))        // a tab
		with(indent + "? {a: b}\n" + indent + ": c")    // a mapping as key
		with(line + " ]")
		with(strings.Replace(line, ":", "", 1))
		if strings.HasSuffix(line, ":") { // its value is in the lines below
			continue
		}
		for _, v := range []string{"", "~", ".nan", "-.inf", "{a: 1}", "[[1]]", "!!binary '*'", "!!float x", "*nowhere", "-1e400", "2001-01-01T00:00:00Z"} {
			with(key + ": " + v)
		}
	}
	return files
}

// Broken files never panic, and their errors have lines wherever there is one.
func TestBrokenFiles(t *testing.T) {
	files := broken()
	if len(files) < 200 {
		t.Fatalf("%d broken files", len(files))
	}
	parse(t, good)
	for _, text := range files {
		_, err := campaignfile.Parse([]byte(text), host)
		var found campaignfile.Errors
		if !errors.As(err, &found) || len(found) == 0 {
			t.Errorf("error %v for\n%s", err, text)
			continue
		}
		for _, f := range found {
			noLine := strings.HasSuffix(f.Text, "is missing") || strings.Contains(f.Text, "is missing; ")
			if f.Text == "" || f.Line > strings.Count(text, "\n")+1 || (f.Line < 1) != noLine {
				t.Errorf("the error %q has line %d in\n%s", f, f.Line, text)
			}
			if strings.Contains(f.Text, "json:") || strings.Contains(f.Text, "Go ") || strings.Contains(f.Text, "reflect") {
				t.Errorf("%q is not text for people", f)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(minimal))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("grid: {env: [{name: exchange}], env.name: [recsys], env.name.x: [1]}"))
	for i, text := range broken() {
		if i%10 == 0 {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		started := time.Now()
		file, err := campaignfile.Parse(data, host)
		if took := time.Since(started); took > time.Minute {
			t.Fatalf("took %v", took)
		}
		if _, ok := errors.AsType[campaignfile.Errors](err); ok {
			return
		}
		if err != nil {
			t.Fatalf("%T is not Faults", err)
		}
		if len(file.Campaign.Conditions) == 0 || file.Campaign.Size() == 0 || len(file.Agents) != len(file.Campaign.Conditions) {
			t.Fatalf("accepted without cells: %v", file)
		}
		for _, c := range file.Campaign.Conditions {
			if _, err := c.Session(catalogue.Builtin(), 2, 1); err != nil {
				t.Fatalf("accepted, but cannot be built: %v", err)
			}
		}
	})
}

var long = flag.Bool("long", false, "run the long tests as well")

// Files that a stranger could have made of valid ones take neither memory nor time.
func TestHostile(t *testing.T) {
	n := 30
	if *long {
		n = 1000
	}
	hostiletest.ReadFiles(t, n, []string{good, minimal}, func(data []byte) { _, _ = campaignfile.Parse(data, host) })
}
