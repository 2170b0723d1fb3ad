package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/record"
	"roundtable/cmd/internal/cli"
	"roundtable/infra"
	"roundtable/workflows/task"
)

func newVersion(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of the program, its engine and its tables",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			v := versionOf(info)
			if o.JSON {
				return cli.WriteJSON(cmd.OutOrStdout(), v)
			}
			v.print(cmd.OutOrStdout())
			return nil
		},
	}
}

// programVersion returns what --version prints.
func programVersion() string {
	var b strings.Builder
	info, _ := debug.ReadBuildInfo()
	versionOf(info).print(&b)
	return b.String()
}

// versions are those that matter to a result.
type versions struct {
	Program        string `json:"program"`
	Commit         string `json:"commit,omitempty"`
	Modified       bool   `json:"modified,omitempty"` // built from files that were not committed
	Engine         string `json:"engine"`             // of workflows: another one restarts collaborations from their answers
	Schema         int    `json:"schema"`             // of the tables
	Go             string `json:"go"`
	Platform       string `json:"platform"`
	TemporalSDK    string `json:"temporal_sdk"`
	TemporalServer string `json:"temporal_server"`
}

func versionOf(info *debug.BuildInfo) versions {
	v := versions{
		Program: "unknown", Engine: task.EngineVersion, Schema: record.SchemaVersion,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		TemporalSDK: "unknown", TemporalServer: "v" + infra.Version,
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
		if d.Path == "go.temporal.io/sdk" {
			v.TemporalSDK = d.Version
		}
	}
	return v
}

func (v versions) print(w io.Writer) {
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
