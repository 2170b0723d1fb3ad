package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/integrity"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/transcript"
)

// TestUnplayableCell: a cell whose stored answers do not fit its protocol ends
// as failed, on record, and everything that reads the lake knows it.
func TestUnplayableCell(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	const text = "name: unplayable\nreplicates: 2\nenv: exchange\nprotocol: {name: roundtable, rounds: 1}\nrule: majority\nmodel: scripted/trader\n"
	dir := write(t, text)
	f, err := campaignfile.Parse([]byte(text), campaignfile.Host{Catalogue: catalogue.Builtin()})
	noError(t, err)
	id := f.Campaign.CollaborationID(f.Campaign.Cell(0))
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	foreign := answers.Turn{Entry: 999, Done: true, Act: transcript.Act{Status: transcript.Said}}
	if _, err := answers.NewAnswers(s).PutBatch(context.Background(), answers.RunKey{Campaign: "unplayable", Collaboration: id}, []answers.Turn{foreign}); err != nil {
		t.Fatal(err)
	}
	s.Close()

	ends(t, cli.ExitIncomplete, dir, nil, "run", "campaign.yaml")
	const why = "do not fit its protocol: entry 999 is not pending"
	says := func(d done, words ...string) {
		t.Helper()
		for _, word := range words {
			if !strings.Contains(d.out, word) {
				t.Errorf("does not say %q:\n%s", word, d.out)
			}
		}
	}
	says(ends(t, 0, dir, nil, "status", "unplayable"), "1 failed")
	says(ends(t, 0, dir, nil, "show", id), why)
	says(ends(t, 0, dir, nil, "verify", "unplayable"), "2 of 2 planned cells have ended", "Nothing is wrong.")
	ends(t, 0, dir, nil, "report", "-o", "report.html", "unplayable")
	if !strings.Contains(read(t, dir, "report.html"), why) {
		t.Error("the report does not say why a cell failed")
	}
	ends(t, 0, dir, nil, "run", "--retry-failed", "campaign.yaml")
	var v integrity.Verification
	if err := json.Unmarshal([]byte(ends(t, 0, dir, nil, "verify", "--json", "unplayable").out), &v); err != nil || v.Commits != 3 || v.Ended != 2 {
		t.Errorf("%+v %v", v, err)
	}
}
