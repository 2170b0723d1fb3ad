package integrity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"roundtable/activities/answers"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// checkImported holds a campaign to its manifest's word that it was imported: else the word would spare
// any campaign the comparison with its plan and answers.
func (v *Verification) checkImported(ctx context.Context, s store.Store, m campaign.Manifest) error {
	v.Imported, v.Revision = true, m.Revision
	key := campaign.ManifestKey(v.Campaign)
	if m.Imported == nil {
		v.find(key, "it says that the campaign was imported, and not of which files")
		return nil
	}
	v.Planned = m.Imported.Transcripts
	plans, err := lake.List(ctx, s, lake.AboutKey(v.Campaign, "plans/"))
	if err != nil {
		return err
	}
	for _, o := range plans {
		v.find(o.Key, "it is a plan of a campaign that is said to be imported")
	}
	runs, err := answers.NewAnswers(s).Runs(ctx, v.Campaign)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if !strings.HasPrefix(run.Collaboration, ledger.LabelsPrefix) {
			v.find(folderOf(run), "it has answers to agents of a campaign that is said to be imported")
		}
	}
	markers, err := lake.Committed(ctx, s, v.Campaign)
	if err != nil && !errors.Is(err, store.ErrCorrupt) { // those are found already
		return err
	}
	v.Ended = len(markers)
	if v.Ended > v.Planned {
		v.find(key, fmt.Sprintf("it tells of %d transcripts, and there are %d", v.Planned, v.Ended))
	}
	if len(v.Findings) == 0 { // what is damaged cannot be read
		if err := v.checkImportedRows(ctx, s); err != nil {
			return err
		}
	}
	return v.seal(ctx, s, false)
}

// checkImportedRows finds rows that no import makes.
func (v *Verification) checkImportedRows(ctx context.Context, s store.Store) error {
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	for _, m := range d.Members {
		if m.Rows["calls"]+m.Rows["ballots"] > 0 {
			v.find(m.Collaboration, "it has calls or ballots, in a campaign that is said to be imported")
		}
	}
	for row, err := range lake.Scan[record.Collaboration](ctx, s, d) {
		if err != nil {
			return err
		}
		if row.Protocol != record.Imported || row.EngineVersion != record.Imported {
			v.find(row.CollaborationID, "a collaboration that was run, in a campaign that is said to be imported")
		}
	}
	return nil
}
