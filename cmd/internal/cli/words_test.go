package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake/store"
)

// The format is the one that was asked for, that of the file's name, or the first; what contradicts is refused.
func TestChooseFormat(t *testing.T) {
	known := []string{"text", "csv", "json"}
	for _, x := range []struct {
		asked, file string
		json        bool
		known       []string
		want        string // or the error, after a !
	}{
		{"", "", false, known, "text"}, {"", "", true, known, "json"}, {"", "", true, []string{"svg"}, "svg"}, {"csv", "", false, known, "csv"},
		{"json", "", true, known, "json"}, {"csv", "", true, known, "!both given"}, {"gif", "", false, known, "!unknown format"}, {"gif", "", true, known, "!both given"},
		{"", "a.CSV", false, known, "csv"}, {"text", "a.csv", false, known, "text"}, {"", "a.csv", true, known, "json"}, {"", "a", false, known, "!does not say a format"},
		{"", "a.gif", false, known, "!does not say a format"},
	} {
		got, err := ChooseFormat(x.asked, x.file, x.json, x.known)
		if says, wrong := strings.CutPrefix(x.want, "!"); wrong != (err != nil) || !wrong && got != x.want || wrong && !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %q, %v", x, got, err)
		}
	}
}

// What commands print in short, quoted, and whether to a terminal.
func TestShortWords(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1.0k", 999_949: "999.9k", 1_000_000: "1.0M", 1_234_567: "1.2M", 1_000_000_000: "1.0G", math.MaxInt32: "2.1G"} {
		if got := Abbreviate(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	for text, want := range map[string]string{"a-b_1/2.yaml": "a-b_1/2.yaml", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'"} {
		if got := QuoteShell(text); got != want {
			t.Errorf("%q is quoted %s, want %s", text, got, want)
		}
	}
	if got := OneLine(" a\n\tb  c "); got != "a b c" {
		t.Errorf("%q", got)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c := &Counter{Writer: file}
	if n, err := io.WriteString(c, "four"); n != 4 || err != nil || c.N != 4 {
		t.Errorf("%d of %d, %v", c.N, n, err)
	}
	for what, stream := range map[string]any{"a file": file, "a counted file": c, "a buffer": new(bytes.Buffer), "nothing": nil} {
		if IsTerminal(stream) {
			t.Errorf("%s is a terminal", what)
		}
	}
}

func TestVersions(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Deps: []*debug.Module{{Path: "go.temporal.io/sdk", Version: "v4"}, {Path: "other", Version: "v9"}, {Path: "go.temporal.io/server", Version: "v5"}}}
	for _, x := range []struct {
		info     *debug.BuildInfo
		settings []debug.BuildSetting
		want     []string
	}{
		{nil, nil, []string{"roundtable unknown\n", "SDK unknown, Temporal server unknown\n"}},
		{&debug.BuildInfo{}, nil, []string{"roundtable unknown\n"}},
		{info, nil, []string{"roundtable v1.2.3\n", "SDK v4, Temporal server v5\n"}},
		{info, []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "false"}}, []string{"roundtable v1.2.3 (commit abc)\n"}},
		{info, []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}, []string{"roundtable v1.2.3 (commit abc, modified)\n", "engine "}},
	} {
		if x.info != nil {
			x.info.Settings = x.settings
		}
		var b bytes.Buffer
		VersionOf(x.info).Write(&b)
		for _, want := range x.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%q is not in %q", want, &b)
			}
		}
	}
	if text := VersionText(); !strings.HasPrefix(text, "roundtable "+ShortVersion()) || strings.Count(text, "\n") != 3 {
		t.Errorf("%q", text)
	}
}

func TestTelemetryFlags(t *testing.T) {
	for _, x := range []struct {
		Telemetry
		level slog.Level
		wrong string
	}{
		{Telemetry{}, slog.LevelWarn, ""}, {Telemetry{LogFormat: "json"}, slog.LevelInfo, ""}, {Telemetry{LogFormat: "text", LogLevel: "debug"}, slog.LevelDebug, ""},
		{Telemetry{LogLevel: "error"}, slog.LevelError, ""}, {Telemetry{LogFormat: "xml"}, 0, "--log-format"}, {Telemetry{LogLevel: "loud"}, 0, "--log-level"},
		{Telemetry{LogLevel: "loud", Metrics: ":1"}, 0, "--log-level"}, {Telemetry{Metrics: ":9090"}, slog.LevelWarn, ""}, {Telemetry{Metrics: "127.0.0.1:http"}, slog.LevelWarn, ""},
		{Telemetry{Metrics: "9090"}, slog.LevelWarn, "expected HOST:PORT"}, {Telemetry{Metrics: ":nothing-of-that-name"}, slog.LevelWarn, "expected HOST:PORT"},
		{Telemetry{Metrics: ":70000"}, slog.LevelWarn, "expected HOST:PORT"},
	} {
		err := x.Check()
		if (err != nil) != (x.wrong != "") || err != nil && (!strings.Contains(err.Error(), x.wrong) || ExitCode(err) != ExitUsage) {
			t.Errorf("%+v: %v", x.Telemetry, err)
		}
		if level, err := x.Level(); err == nil && level != x.level {
			t.Errorf("%+v: level %v", x.Telemetry, level)
		}
	}
}

func TestFlagsAndArguments(t *testing.T) {
	text := "default"
	o := Once(&text)
	if o.String() != "default" || o.Type() != "string" || new(once).String() != "" {
		t.Errorf("%q, %q", o, o.Type())
	}
	if err := o.Set("one"); err != nil || text != "one" {
		t.Errorf("%q, %v", text, err)
	}
	if err := o.Set("two"); err == nil || text != "one" {
		t.Errorf("given twice it is %q, %v", text, err)
	}
	cmd := &cobra.Command{Use: "show COLLABORATION"}
	for n, want := range map[int][2]bool{0: {false, true}, 1: {true, false}, 2: {false, false}} {
		args := make([]string, n)
		if one, none := OneArg("collaboration")(cmd, args), NoArgs(cmd, args); (one == nil) != want[0] || (none == nil) != want[1] {
			t.Errorf("%d arguments: %v; %v", n, one, none)
		}
	}
}

// Engines of campaigns of one name in several lakes have folders of their own; that next to the state has the name.
func TestFoldersOfEngines(t *testing.T) {
	dir := t.TempDir()
	of := func(lake string) string {
		o := Options{Lake: lake, State: filepath.Join(dir, ".roundtable")}
		return o.CampaignFolder("c") + " " + o.LabelsFolder("c", "l")
	}
	near := "campaigns/c labels/c/l"
	for lake, want := range map[string]bool{filepath.Join(dir, "lake"): true, "file://" + filepath.Join(dir, "lake"): true, filepath.Join(dir, "other"): false, "s3://bucket/lake": false} {
		got := of(lake)
		if (got == near) != want || !want && strings.Count(got, "@") != 2 {
			t.Errorf("%s: %s", lake, got)
		}
	}
	if of("s3://a/lake") == of("s3://b/lake") {
		t.Error("lakes are not told apart")
	}
	for lake, want := range map[string]string{"s3://b/l/?endpoint=x": "s3://b/l", "lake/": "lake", "lake": "lake"} {
		if got := (&Options{Lake: lake}).LakeName(); got != want {
			t.Errorf("%s is called %q, want %q", lake, got, want)
		}
	}
}

// A lake that is not there is not made by reading; the campaigns of one that is are named.
func TestLakesThatLackSomething(t *testing.T) {
	dir := t.TempDir()
	o := &Options{Lake: filepath.Join(dir, "a", "lake"), State: filepath.Join(dir, "state")}
	if _, err := o.OpenLake(); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "there is no lake at") {
		t.Errorf("%v", err)
	}
	s, made, err := o.CreateLake()
	if err != nil || len(made) != 2 || made[0] != filepath.Join(dir, "a") {
		t.Fatalf("made are %q, %v", made, err)
	}
	said := os.Stderr
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stderr = w
	made.Announce("L", "S")
	newFolders(nil).Announce("again", "S")
	os.Stderr = said
	w.Close()
	if text, err := io.ReadAll(r); err != nil || string(text) != "New lake for answers and tables: L; state of the engine: S\n" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := o.CheckLake(t.Context(), "c"); err == nil || !strings.Contains(err.Error(), "has no campaign yet") {
		t.Errorf("%v", err)
	}
	if _, again, err := o.CreateLake(); err != nil || len(again) != 0 {
		t.Errorf("made again are %q, %v", again, err)
	}
	if err := NoCampaign(t.Context(), s, "c"); err == nil || !strings.Contains(err.Error(), `the lake has no campaign "c"; it has none yet`) {
		t.Errorf("%v", err)
	}
	if _, err := o.ReadLake(t.Context(), "c"); ExitCode(err) != ExitUsage {
		t.Errorf("%v", err)
	}
	if _, err := (&Options{Lake: filepath.Join(dir, "b")}).CheckLake(t.Context(), "c"); ExitCode(err) != ExitUsage {
		t.Errorf("%v", err)
	}
	_, lock, err := o.LockCampaign(t.Context(), s, "c", "here")
	if err != nil {
		t.Fatal(err)
	}
	if o.CampaignHolder("c") == "" || o.CampaignHolder("d") != "" {
		t.Errorf("c is held by %q, d by %q", o.CampaignHolder("c"), o.CampaignHolder("d"))
	}
	if err := lock.Close(); err != nil || o.CampaignHolder("c") != "" {
		t.Errorf("%q holds it: %v", o.CampaignHolder("c"), err)
	}
	for what, says := range map[string]string{"kampaign": "did you mean", "campaign.yaml": "named by the name: in its file"} {
		if err := o.UnknownCampaign(what, []string{"campaign"}); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "it has campaign") {
			t.Errorf("%v", err)
		}
	}
	o.Data = filepath.Join(dir, "none")
	if _, err := o.OpenLake(); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("%v", err)
	}
	if dir, local := (&Options{Lake: "s3://b"}).LocalLake(); local || (&Options{Lake: "s3://b"}).CampaignHolder("c") != "" {
		t.Errorf("%s is local", dir)
	}
}

func TestExitCodes(t *testing.T) {
	why := errors.New("why")
	for want, err := range map[int]error{0: nil, 1: why, 2: fmt.Errorf("x: %w", UsageError(why)), 3: IncompleteError(why), 130: InterruptedError(why), 7: WithCode(7, why)} {
		if got := ExitCode(err); got != want || err != nil && !errors.Is(err, why) {
			t.Errorf("%v has code %d, want %d", err, got, want)
		}
	}
	if ExitCode(FailedError(why)) != ExitFailed {
		t.Error("what failed has another code")
	}
	if err := ExplainDamage(why, "c", "nothing is read"); !errors.Is(err, why) || err.Error() != "why" {
		t.Errorf("%v", err)
	}
	if err := ExplainDamage(store.ErrCorrupt, "c", "nothing is read"); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), "roundtable verify c") {
		t.Errorf("%v", err)
	}
}

func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	there := filepath.Join(dir, "there")
	if err := WriteFile(there, []byte("old")); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		path  string
		force bool
		says  string
	}{{"", false, ""}, {there, true, ""}, {there, false, "--force replaces it"}, {dir, true, "is not a file"}, {filepath.Join(dir, "new"), false, ""}, {filepath.Join(dir, "no", "new"), true, "there is no folder"}} {
		if err := CheckOutput(x.path, x.force); (err != nil) != (x.says != "") || err != nil && !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s, %t: %v", x.path, x.force, err)
		}
	}
	if err := WriteFile(filepath.Join(dir, "no", "new"), nil); ExitCode(err) != ExitUsage || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if err := WriteFile(dir, nil); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("%v", err)
	}
	fail := func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return context.Canceled }
	if err := WriteOutput(there, nil, fail); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(there); string(text) != "old" {
		t.Errorf("a failure leaves %q", text)
	}
	var b bytes.Buffer
	say := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	if err := errors.Join(WriteOutput(there, &b, say), WriteOutput("", &b, say)); err != nil || b.String() != "new" {
		t.Errorf("%q, %v", &b, err)
	}
	if text, _ := os.ReadFile(there); string(text) != "new" {
		t.Errorf("%q", text)
	}
	b.Reset()
	if err := WriteJSON(&b, map[string]string{"a": "<&>"}); err != nil || b.String() != "{\n  \"a\": \"<&>\"\n}\n" {
		t.Errorf("%q, %v", &b, err)
	}
}
