package measurements

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/workflows/task"
)

// Features is how messages are measured into the table, and paid for.
type Features struct {
	Method
	PriceFlags
}

// Report is the JSON of features.
type Report struct {
	Campaign       string          `json:"campaign"`
	Embedder       string          `json:"embedder"`
	Rule           string          `json:"rule"`
	Method         string          `json:"method"`         // of both, in the keys of the lake
	Collaborations int             `json:"collaborations"` // in the table, by this method
	Messages       int             `json:"messages"`
	Measured       int             `json:"measured"` // collaborations, now
	Asked          *embeddingUsage `json:"asked"`    // of a service; null if there is none
}

// Write writes the report in words or as JSON.
func (r Report) Write(w io.Writer, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(w, r)
	}
	_, err := fmt.Fprintf(w, "%s: the table features has %s of %s (%d measured now)\ninformation distances by %s, grades by the rule %s\n",
		r.Campaign, wording.Count(r.Messages, "message"), wording.Count(r.Collaborations, "collaboration"), r.Measured,
		r.Embedder, r.Rule)
	return err
}

// commitsAtOnce are written together: a store may be far away.
const commitsAtOnce = 16

// Measure measures what has ended and is not measured yet.
func (m Features) Measure(ctx context.Context, s store.Store, name string) (Report, error) {
	r := Report{Campaign: name}
	if err := cli.LoadEnvFileOf(ctx, s, name); err != nil {
		return r, err
	}
	if err := m.chooseEmbedder(ctx, s, name); err != nil {
		return r, err
	}
	how, by, err := m.readFlags(s)
	if err != nil {
		return r, cli.UsageError(err)
	}
	r.Embedder, r.Rule, r.Method = how.Embedder.Name(), string(how.Rule), how.ID()
	d, err := lake.ReadDataset(ctx, s, name)
	if err != nil {
		return r, cli.ExplainDamage(err, name, "its messages cannot be measured")
	}
	if by.remoteEmbedder != nil {
		bought, err := m.Buy(ctx, s, d, by.remoteEmbedder)
		if err != nil {
			return r, cli.ExplainDamage(err, name, "its messages cannot be measured")
		}
		r.Asked = &bought
	}
	done, err := lake.AnnotatedRuns(ctx, s, record.Features, name, r.Method)
	if err != nil {
		return r, err
	}
	open := d.Only(func(m lake.Member) bool { return !done[m.Run] })
	err = commitFeatures(ctx, s, open, how)
	switch {
	case ctx.Err() != nil:
		return r, cli.InterruptedError(errors.New("interrupted\nresume with: the same command"))
	case err != nil:
		return r, cli.ExplainDamage(err, name, "its messages cannot be measured")
	}
	if err := commits.RefreshCard(ctx, s, name); err != nil {
		return r, err
	}
	r.Measured = len(open.Members)
	markers, err := lake.AnnotationMarkers(ctx, s, record.Features, name, r.Method)
	for _, m := range markers {
		r.Collaborations, r.Messages = r.Collaborations+1, r.Messages+m.Rows(record.Features)
	}
	// a service has embedded what else there is, as of discussions without messages
	if err == nil && r.Messages == 0 && r.Asked == nil {
		err = cli.UsageError(fmt.Errorf("campaign %s has no messages that could be measured, in %d collaborations that have ended", name, len(d.Members)))
	}
	return r, err
}

func commitFeatures(ctx context.Context, s store.Store, open lake.Dataset, how language.Method) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(commitsAtOnce)
	for talk, err := range how.Talks(ctx, s, open) {
		if err != nil {
			return errors.Join(err, g.Wait())
		}
		g.Go(func() error {
			_, err := commits.CommitAnnotations(ctx, s, lake.Marker{
				Campaign: open.Campaign, Condition: talk.Condition, Collaboration: talk.Collaboration,
				Generation: talk.Generation,
				By:         how.ID(), Status: task.Succeeded,
			}, talk.Messages)
			return err
		})
	}
	return g.Wait()
}
