package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/task"
)

// VersionText returns what --version prints.
func VersionText() string {
	var b strings.Builder
	info, _ := debug.ReadBuildInfo()
	VersionOf(info).Write(&b)
	return b.String()
}

// ShortVersion returns the version of the program alone.
func ShortVersion() string {
	info, _ := debug.ReadBuildInfo()
	return VersionOf(info).Program
}

// Version holds the versions that can matter to a result.
type Version struct {
	Program  string `json:"program"`
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"` // built from files that were not committed
	// of workflows: another one restarts collaborations from their answers
	Engine         string `json:"engine"`
	Schema         int    `json:"schema"` // of the tables
	Go             string `json:"go"`
	Platform       string `json:"platform"`
	TemporalSDK    string `json:"temporal_sdk"`
	TemporalServer string `json:"temporal_server"`
}

// VersionOf returns the versions in a build's info; "unknown" for those that it lacks.
func VersionOf(info *debug.BuildInfo) Version {
	v := Version{
		Program: "unknown", Engine: task.EngineVersion, Schema: record.SchemaVersion,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		TemporalSDK: "unknown", TemporalServer: "unknown",
	}
	if info == nil {
		return v
	}
	if info.Main.Version != "" {
		v.Program = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	for _, d := range info.Deps {
		switch d.Path {
		case "go.temporal.io/sdk":
			v.TemporalSDK = d.Version
		case "go.temporal.io/server":
			v.TemporalServer = d.Version
		}
	}
	return v
}

// Write writes the versions in words.
func (v Version) Write(w io.Writer) {
	commit := ""
	if v.Commit != "" {
		commit = " (commit " + v.Commit
		if v.Modified {
			commit += ", modified"
		}
		commit += ")"
	}
	fmt.Fprintf(w, "roundtable %s%s\n", v.Program, commit)
	fmt.Fprintf(w, "engine %s, schema of the tables %d\n", v.Engine, v.Schema)
	fmt.Fprintf(w, "%s %s, Temporal SDK %s, Temporal server %s\n", v.Go, v.Platform, v.TemporalSDK, v.TemporalServer)
}
