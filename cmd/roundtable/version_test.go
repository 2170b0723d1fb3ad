package main

import (
	"bytes"
	"runtime/debug"
	"testing"

	"roundtable/cmd/internal/cli"
	"roundtable/workflows/task"
)

func TestVersion(t *testing.T) {
	v := cli.VersionOf(&debug.BuildInfo{
		Main:     debug.Module{Version: "v1.2.3"},
		Deps:     []*debug.Module{{Path: "go.temporal.io/sdk", Version: "v9.9.9"}, {Path: "go.temporal.io/server", Version: "v8.8.8"}},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}},
	})
	var b bytes.Buffer
	v.Write(&b)
	contains(t, b.String(), "roundtable v1.2.3 (commit abc, modified)", "engine "+task.EngineVersion, "SDK v9.9.9", "server v8.8.8")
	if v := cli.VersionOf(nil); v.Program != "unknown" || v.Engine != task.EngineVersion {
		t.Errorf("without build information: %+v", v)
	}
	out, err := runCommand(t, "version", "--json")
	noError(t, err)
	if d := document(t, out); d["engine"] != task.EngineVersion || d["schema"] != 1.0 {
		t.Errorf("%v", d)
	}
}
