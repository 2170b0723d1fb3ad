package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"roundtable/activities/answers"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/pages"
	"strings"
	"testing"
)

func TestReport(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	m := commit(t, s, p, 0, 0, "succeeded")
	commit(t, s, p, 2, 0, "failed")
	commit(t, s, p, 2, 1, "failed")
	turn := answers.Turn{Entry: 3, Asks: []answers.Answer{{Raw: []byte("Well, <b>no\x1b[2J</b>"), Fault: "no JSON at all"}}}
	place := answers.RunKey{Campaign: "reading", Collaboration: m.Collaboration}
	if _, err := answers.NewAnswers(s).Put(t.Context(), place, turn); err != nil {
		t.Fatal(err)
	}
	batch := answers.Turn{Entry: 1, Done: true, Asks: []answers.Answer{{Raw: []byte("of a batch"), Fault: "not to be read"}}}
	if _, err := answers.NewAnswers(s).PutBatch(t.Context(), place, []answers.Turn{batch}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "r.html")
	out, err := runCommand(t, "report", "reading", "--lake", o.Lake, "-o", file)
	noError(t, err)
	contains(t, out, file+": 2 collaborations")
	page, err := os.ReadFile(file)
	noError(t, err)
	contains(t, string(page),
		"2 of 22 collaborations finished: 1 succeeded, 1 failed, 0 stopped.", "SIMULATED", "the model said␛[2J no", "the answer is not JSON", // the rows are hostile
		`["`+m.Collaboration+`",`, `id="`+m.Collaboration+`"`, "(paper 1, Table 1)", "<svg role=", "Cost of reading by model", "Ann", "generation 1",
		"no JSON at all</summary><pre tabindex=\"0\">Well, &lt;b&gt;no␛[2J&lt;/b&gt;</pre>", "not to be read</summary><pre tabindex=\"0\">of a batch</pre>", "Generations that were run again, listed too: 1.", "failed, run again",
	)
	if strings.ContainsAny(string(page), "\x1b\x07\u202e\u009b") {
		t.Error("a control character is in the page")
	}
	out, err = runCommand(t, "report", "reading", "--lake", o.Lake, "-o", file, "--json")
	noError(t, err)
	if d := document(t, out); d["file"] != file || d["folder"] != nil || d["collaborations"] != 2. {
		t.Errorf("as JSON it is %v", d)
	}
	_, err = runCommand(t, "report", "nobody", "--lake", o.Lake, "-o", file)
	fails(t, err, cli.ExitUsage, "nobody", "it has reading")
}

// A damaged lake gives no report, and leaves the one that was there.
func TestReportOfADamagedLake(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	m := commit(t, s, p, 0, 0, "succeeded")
	file := filepath.Join(t.TempDir(), "r.html")
	noError(t, os.WriteFile(file, []byte("as before"), 0o600))
	noError(t, s.Replace(t.Context(), m.Files["ballots"].Key, []byte("torn"), ""))
	_, err := runCommand(t, "report", "reading", "--lake", o.Lake, "-o", file)
	if err == nil {
		t.Fatal("a damaged lake gives a report")
	}
	contains(t, err.Error(), "roundtable verify reading", m.Files["ballots"].Key)
	if page, err := os.ReadFile(file); err != nil || string(page) != "as before" {
		t.Errorf("%v: the file is now %q", err, page)
	}
}

// The built program runs a campaign, draws it and reports it, as a file and as a
// folder. Every collaboration is listed and told.
func TestReportOfARun(t *testing.T) {
	t.Parallel()
	dir := example(t, "controls.yaml", "replicates: 50", "replicates: 1")
	output(t, dir, "run", "controls.yaml")
	output(t, dir, "analyze", "controls", "--figure", "utility-by-rule", "-o", "f.svg")
	if svg, err := os.ReadFile(filepath.Join(dir, "f.svg")); err != nil || !strings.Contains(string(svg), "SIMULATED") {
		t.Errorf("%v: the drawing is %.80q", err, svg)
	}
	r := reportOf(t, dir, "r.html")
	if r.Collaborations < 4 || r.Folder != nil {
		t.Fatalf("the report is %+v", r)
	}
	page := pageOf(t, dir, r)
	if told := strings.Count(page, `<details class="transcript"`); told != r.Collaborations {
		t.Errorf("%d collaborations are told, of %d", told, r.Collaborations)
	}
	f := reportOf(t, dir, "pages/")
	files, err := os.ReadDir(filepath.Join(dir, *f.Folder))
	if err != nil || len(files) != r.Collaborations+2 || f.Transcripts != r.Collaborations {
		t.Fatalf("%v: %d files, %+v", err, len(files), f)
	}
	list := pageOf(t, dir, f)
	for _, file := range files {
		if id, page := strings.CutSuffix(file.Name(), ".html"); page && !strings.Contains(list, `["`+id+`",`) {
			t.Errorf("%s is not listed", id)
		}
	}
}

func reportOf(t *testing.T, dir, file string) (r pages.Reported) {
	t.Helper()
	out, err := program(t, dir, "report", "controls", "-o", file, "--json").Output()
	if err == nil {
		err = json.Unmarshal(out, &r)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return r
}

func pageOf(t *testing.T, dir string, r pages.Reported) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(dir, r.File))
	noError(t, err)
	return string(page)
}
