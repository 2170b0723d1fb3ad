package runs

import (
	"context"
	"fmt"

	"roundtable/activities/ledger"
	"roundtable/activities/programs"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/engine"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// SendEnd sends word of the end of a sealed campaign if nobody has: a process may have been
// killed between the last row and the word of it.
func (r Options) SendEnd(ctx context.Context, s store.Store, p campaign.Plan, m campaign.Manifest) error {
	if m.Notify == nil || !m.Notify.Wants(plan.NotifyEnd) {
		return nil
	}
	sealed, err := lake.ReadSuccess(ctx, s, m.Campaign)
	if err != nil {
		return err
	}
	books := ledger.Open(ctx, s, m.Campaign)
	status, _, err := campaigns.SummarizeEnded(ctx, s, p, books)
	if err != nil {
		return err
	}
	n := programs.Notice{
		ID: programs.EndNoticeID(m.Campaign, sealed), Event: plan.NotifyEnd, Campaign: m.Campaign,
		Succeeded: status.Succeeded, Failed: status.Failed, Stopped: status.Stopped,
	}
	unsent, err := programs.NewSender(s, r.LakeName()).Deliver(ctx, m, n, books.Spent, plan.NotifyEnd)
	if unsent != nil {
		fmt.Fprintf(engine.Notices(r.Options), "notice of campaign %s (%s) was not sent: %s\n", n.Campaign, n.Event,
			wording.SafeLines(unsent.Error()))
	}
	return err
}
