package transcripts

import (
	"context"
	"fmt"
	"strings"

	"roundtable/activities/collaboration"
	"roundtable/activities/ledger"
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
	Round         int32    `json:"round"` // the last that was started
	Rounds        int32    `json:"rounds_planned"`
	Turns         int32    `json:"turns"`
	Calls         int32    `json:"calls"`
	CostUSD       *float64 `json:"cost_usd"` // nil if some price is not known
	Broken        string   `json:"broken,omitempty"`
}

// List returns the collaborations of a campaign: first those that have not ended, then the latest
// generation of those that have.
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

// String returns a line of text for a terminal.
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

// FindRows returns the rows of the one collaboration that id means, see FindOne. broken
// is the reason why the rows of an unfinished collaboration are incomplete; nil if they are
// complete.
func FindRows(ctx context.Context, s store.Store, plugins catalogue.Catalogue, id string) (rows record.Rows,
	broken, err error) {
	c, err := FindOne(ctx, s, id)
	if err != nil {
		return rows, nil, err
	}
	run := lake.Run{Collaboration: c.Collaboration, Generation: c.Generation}
	if c.Status == record.Unfinished {
		rows, broken = readUnfinished(ctx, collaboration.NewReader(s, plugins), c.Campaign, run)
		return rows, broken, ctx.Err()
	}
	d, err := lake.ReadDataset(ctx, s, c.Campaign)
	if err == nil {
		d, err = d.Generations(ctx, s)
	}
	if err != nil {
		return rows, nil, err
	}
	for rows, err := range lake.Collaborations(ctx, s, d.Only(func(m lake.Member) bool { return m.Run == run })) {
		return rows, nil, err
	}
	return rows, nil, fmt.Errorf("the commit of %s has gone while it was read", run)
}

// readUnfinished returns the rows of a collaboration that has not ended. Next to an error
// are those that can be made.
func readUnfinished(ctx context.Context, reader *collaboration.Reader, campaign string,
	run lake.Run) (record.Rows, error) {
	of := record.Key{
		SchemaVersion: record.SchemaVersion, CampaignID: campaign, ConditionID: record.ConditionOf(run.Collaboration),
		CollaborationID: run.Collaboration, Generation: int32(run.Generation),
	}
	c, broken := reader.Unfinished(ctx, of)
	if c == nil { // the plan cannot be read: that it has begun is known
		return record.Rows{Collaborations: []record.Collaboration{{Key: of, Status: record.Unfinished}}}, broken
	}
	made, err := collaboration.RowsOfUnfinished(c)
	if err != nil {
		return made, err
	}
	return made, broken
}

// Unfinished are the rows of a campaign's collaborations that have started and not ended.
type Unfinished struct {
	Rows   []record.Rows // one element per collaboration, by id and generation
	Broken []error       // by index of Rows: why rows are incomplete; nil if they are complete
}

// ReadUnfinished reads the collaborations of a campaign that have started and not ended.
func ReadUnfinished(ctx context.Context, s store.Store, plugins catalogue.Catalogue,
	campaign string) (u Unfinished, err error) {
	_, unfinished, err := ledger.Open(ctx, s, campaign).Runs()
	if err != nil {
		return u, err
	}
	reader := collaboration.NewReader(s, plugins)
	u = Unfinished{make([]record.Rows, len(unfinished)), make([]error, len(unfinished))}
	return u, lake.Each(ctx, len(unfinished), func(ctx context.Context, i int) error {
		u.Rows[i], u.Broken[i] = readUnfinished(ctx, reader, campaign, unfinished[i])
		return ctx.Err()
	})
}

// Collaborations returns the rows of the table collaborations.
func (u Unfinished) Collaborations() (all []record.Collaboration) {
	for _, rows := range u.Rows {
		all = append(all, rows.Collaborations...)
	}
	return all
}
