package integrity

import (
	"context"
	"fmt"
	"reflect"

	"roundtable/activities/asking"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// checkQuestion holds what markers say of outcomes, by which a question is answered, to
// the rows, and finds the answer again.
func (v *Verification) checkQuestion(ctx context.Context, s store.Store, p campaign.Plan, m campaign.Manifest) error {
	if m.Until == nil {
		return nil
	}
	markers, err := lake.Committed(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	said := make(map[lake.Run]lake.Marker, len(markers))
	for _, m := range markers {
		said[m.Run()] = m
	}
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	for row, err := range lake.Scan[record.Collaboration](ctx, s, d) {
		if err != nil {
			return err
		}
		marker := said[lake.Run{Collaboration: row.CollaborationID, Generation: int(row.Generation)}]
		if is := lake.MeasuredOf(row); marker.Measured != nil && !reflect.DeepEqual(*marker.Measured, is) {
			v.find(marker.Key(), fmt.Sprintf("it has another outcome of collaboration %s than its row",
				row.CollaborationID))
		}
	}
	state, err := asking.NewReader(s).Read(ctx, p.Campaign, *m.Until, nil)
	if err != nil {
		v.find(campaign.ManifestKey(v.Campaign), err.Error())
		return nil
	}
	v.Question = new(state.Summary())
	return nil
}
