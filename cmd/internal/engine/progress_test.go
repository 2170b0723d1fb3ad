package engine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"roundtable/activities"
	"roundtable/cmd/internal/campaigns"
)

// What a workflow has last answered is in the file that others read while its worker is busy.
func TestProgressIsKept(t *testing.T) {
	e := &Engine{progress: filepath.Join(t.TempDir(), campaigns.ProgressFile), Activities: activities.New(activities.Config{})}
	for _, status := range []int{41, 42} {
		e.keepStatus(status)
		once, end := context.WithCancel(t.Context())
		end()
		e.writeProgress(once)
	}
	var p campaigns.Progress
	text, err := os.ReadFile(e.progress)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || string(p.Status) != "42" || p.At.IsZero() {
		t.Errorf("%s: %+v, %v", text, p, err)
	}
}
