package transcripts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
)

// maxListed collaborations are named when an id is ambiguous.
const maxListed = 20

// FindOne returns the collaboration that id names, as Find does; none or several are an error. Only the
// marker's campaign, collaboration, generation and perhaps status are set.
func FindOne(ctx context.Context, s store.Store, id string) (lake.Marker, error) {
	found, err := FindSome(ctx, s, id)
	if err != nil {
		return lake.Marker{}, err
	}
	if len(found) == 1 {
		return found[0], nil
	}
	var names []string
	for _, m := range found[:min(len(found), maxListed)] {
		names = append(names, m.Campaign+"/"+m.Collaboration)
	}
	if n := len(found) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("and %d more", n))
	}
	return lake.Marker{}, cli.UsageError(fmt.Errorf("%q is the beginning of %d collaborations; which one?\n  %s", id,
		len(found), strings.Join(names, "\n  ")))
}

// FindSome is like Find, but returns an error if there is none.
func FindSome(ctx context.Context, s store.Store, id string) ([]lake.Marker, error) {
	found, err := Find(ctx, s, id)
	if err == nil && len(found) == 0 {
		err = cli.UsageError(fmt.Errorf("no collaboration that has begun is %q, or begins so; ids are like "+
			"majority-3fa2b1c4-i0-r7, also as CAMPAIGN/ID (roundtable list collaborations)", id))
	}
	return found, err
}

// Find returns the collaborations with the id "[CAMPAIGN/]ID[.GENERATION]", or if there is none, those whose
// id begins with ID. Without a generation it takes the latest one that has ended, or else the one that has
// begun. Those that have not ended have the status record.Unfinished.
func Find(ctx context.Context, s store.Store, id string) (found []lake.Marker, err error) {
	campaigns, err := lake.Campaigns(ctx, s)
	if err != nil {
		return nil, err
	}
	if campaign, rest, ok := strings.Cut(id, "/"); ok {
		if !slices.Contains(campaigns, campaign) {
			return nil, cli.UsageError(cli.NoCampaign(ctx, s, campaign))
		}
		campaigns, id = []string{campaign}, rest
	}
	var exact, begins []lake.Marker
	for _, campaign := range campaigns {
		ended, unfinished, err := ledger.Open(ctx, s, campaign).Runs()
		if err != nil {
			return nil, err
		}
		add := func(run lake.Run, latest bool, status string) {
			m := lake.Marker{Campaign: campaign, Collaboration: run.Collaboration, Generation: run.Generation,
				Status: status}
			switch {
			case id == m.Collaboration && latest, id == fmt.Sprintf("%s.%d", m.Collaboration, m.Generation):
				exact = append(exact, m)
			case latest && strings.HasPrefix(m.Collaboration, id):
				begins = append(begins, m)
			}
		}
		has := map[string]bool{} // a generation that has ended
		for i, run := range ended {
			has[run.Collaboration] = true
			add(run, i+1 == len(ended) || ended[i+1].Collaboration != run.Collaboration, "")
		}
		for _, run := range unfinished {
			add(run, !has[run.Collaboration], record.Unfinished)
		}
	}
	if len(exact) > 0 {
		return exact, nil
	}
	return begins, nil
}
