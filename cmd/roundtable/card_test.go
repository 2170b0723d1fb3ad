package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/campaigns"
	"roundtable/workflows/plan"
)

// killedAt is a store whose process is killed before it replaces an object.
type killedAt struct {
	store.Store
	object string
}

func (k killedAt) Replace(ctx context.Context, key string, data []byte, etag string) error {
	if strings.HasSuffix(key, k.object) {
		return errors.New("killed")
	}
	return k.Store.Replace(ctx, key, data, etag)
}

// What the owner says of a data set is in its card after the next run, wherever the one before was killed.
func TestCardAfterAKill(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	objects := map[string]string{}
	folder := os.DirFS("../../analysis/lake/testdata/schema-1")
	must(fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(folder, path)
		objects[path] = string(data)
		return err
	}))
	ctx, s := t.Context(), storetest.NewMemory(objects)
	m := campaign.Manifest{Campaign: "golden", Revision: "0123456789ab"}
	must(campaign.WriteManifest(ctx, s, m))
	must(commits.WriteCard(ctx, s, "golden"))
	for i, object := range []string{"README.md", "croissant.json", "SHA256SUMS", "manifest.json"} {
		m.Card = &plan.Card{License: "CC-BY-" + string(rune('1'+i))}
		if err := campaigns.RecordFile(ctx, killedAt{s, object}, m); err == nil {
			t.Errorf("%s: it was not killed", object)
		}
		must(campaigns.RecordFile(ctx, s, m))
		if card := s.Objects["lake/_campaigns/golden/croissant.json"]; !strings.Contains(card, m.Card.License) {
			t.Errorf("killed before %s was written, and the next run leaves a card without %s", object, m.Card.License)
		}
		if changed, err := commits.CheckCard(ctx, s, "golden"); err != nil || len(changed) > 0 {
			t.Errorf("%s: the card is not whole: %v, %v", object, changed, err)
		}
	}
}
