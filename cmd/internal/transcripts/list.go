package transcripts

import (
	"context"
	"fmt"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
)

// Listed is a collaboration in a list, and how far it is.
type Listed struct {
	Campaign      string   `json:"campaign"`
	Collaboration string   `json:"collaboration"`
	Generation    int32    `json:"generation"`
	Status        string   `json:"status"`
	Round         int32    `json:"round"` // the last that was begun
	Rounds        int32    `json:"rounds_planned"`
	Turns         int32    `json:"turns"`
	Calls         int32    `json:"calls"`
	CostUSD       *float64 `json:"cost_usd"` // nil if some price is not known
	Broken        string   `json:"broken,omitempty"`
}

// List lists the collaborations of a campaign, those that have not ended first; of those
// that have, the latest generation.
func List(ctx context.Context, s store.Store, plugins catalogue.Catalogue, campaign string) (all []Listed, err error) {
	unfinished, err := ReadUnfinished(ctx, s, plugins, campaign) // before those that have ended: none is left out
	if err != nil {
		return nil, err
	}
	seen := map[lake.Run]bool{}
	d, err := lake.ReadDataset(ctx, s, campaign)
	if err != nil {
		return nil, err
	}
	for _, m := range d.Members {
		seen[m.Run] = true
	}
	for i, c := range unfinished.Collaborations() {
		if seen[lake.Run{Collaboration: c.CollaborationID, Generation: int(c.Generation)}] { // it has ended meanwhile
			continue
		}
		all = append(all, listedOf(c))
		if broken := unfinished.Broken[i]; broken != nil {
			all[len(all)-1].Broken = broken.Error()
		}
	}
	for c, err := range lake.Scan[record.Collaboration](ctx, s, d) {
		if err != nil {
			return nil, err
		}
		all = append(all, listedOf(c))
	}
	return all, nil
}

func listedOf(c record.Collaboration) Listed {
	return Listed{
		Campaign: c.CampaignID, Collaboration: c.CollaborationID, Generation: c.Generation, Status: c.Status,
		Round: c.RoundsRun, Rounds: c.RoundsPlanned, Turns: c.Turns, Calls: c.Calls, CostUSD: c.CostUSD,
	}
}

// String returns a line for people.
func (c Listed) String() string {
	name := c.Campaign + "/" + c.Collaboration
	if c.Generation > 0 {
		name += fmt.Sprint(".", c.Generation)
	}
	cost := "unknown cost"
	if c.CostUSD != nil {
		cost = fmt.Sprintf("$%.4f", *c.CostUSD)
	}
	parts := []string{fmt.Sprintf("round %d of %d", c.Round, c.Rounds), wording.Count(int64(c.Turns), "turn"),
		wording.Count(int64(c.Calls), "call"), cost}
	if c.Broken != "" {
		parts = append(parts, "cannot be read whole: "+c.Broken)
	}
	return fmt.Sprintf("%s: %s, %s", name, c.Status, strings.Join(parts, ", "))
}
