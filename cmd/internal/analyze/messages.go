package analyze

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"roundtable/activities/commits"
	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/discussion"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/envs/wording"
	"roundtable/workflows/task"
)

// Messages says which labeller's labels of a campaign's messages count, and how messages are measured.
type Messages struct {
	Labeller string
	Method
	cache string // folder of what was read before; "" is the user's
}

// Kept returns the cache of runs that were read before; an empty one if this user has no cache folder.
func (m Messages) Kept() campaign.Kept {
	if m.cache != "" {
		return campaign.Kept{Cache: store.Cache{Folder: filepath.Join(m.cache, "roundtable", "runs")}}
	}
	user, err := store.UserCache("runs")
	if err != nil { // this user has no such folder: everything is read each time
		return campaign.Kept{}
	}
	return campaign.Kept{Cache: user}
}

// Choose sets the labeller and the embedder that no flag names to those of the campaign's file; the labeller
// only if it has labelled something.
func (m *Messages) Choose(ctx context.Context, s store.Store, campaign string) error {
	if err := m.chooseEmbedder(ctx, s, campaign); err != nil || m.Labeller != "" {
		return err
	}
	filed, err := campaigns.LabellingOfFile(ctx, s, campaign)
	if err != nil || filed == nil {
		return err
	}
	all, err := lake.Labellers(ctx, s, campaign)
	if slices.Contains(all, filed.ID()) {
		m.Labeller = filed.ID()
	}
	return err
}

// Method says how messages are measured: embedder and language rule.
type Method struct{ Embedder, params, readability string }

// Flags defines the flags of the labeller and of the method.
func (m *Messages) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.Labeller, "labeller", "",
		"whose labels are used, if several have labelled (default: those of the campaign's file)")
	cmd.Flags().StringVar(&m.cache, "cache", "",
		"folder that keeps what was read of a large campaign (default: the user's cache folder)")
	m.Method.Flags(cmd)
}

// Flags defines the flags of the method.
func (m *Method) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.Embedder, "embedder", "", "embedding for information distances: "+providers.TFIDF+
		", openai/MODEL, or the folder of a sentence transformer (default: the campaign file's embedder, else "+
		providers.TFIDF+")")
	cmd.Flags().StringVar(&m.params, "embedder-params", "{}",
		"of openai/MODEL, as in a campaign: {\"base_url\": \"http://localhost:8080/v1\"}")
	cmd.Flags().StringVar(&m.readability, "readability", string(language.Portable),
		"how grades count syllables and sentences: portable or textstat")
}

// chooseEmbedder takes the embedder of the campaign's file if no flag names one.
func (m *Method) chooseEmbedder(ctx context.Context, s store.Store, name string) error {
	if m.Embedder != "" {
		return nil
	}
	manifest, err := recorded.ReadManifest(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	m.Embedder = cmp.Or(manifest.Embedder, providers.TFIDF)
	return err
}

// Addition is data that is added to a campaign beside what its studies read, such as labels or measures.
type Addition struct {
	Readers []campaign.Reader // see its rows while they are read
	// Add returns the campaign with it, once its rows are read.
	Add func(context.Context, store.Store, campaign.Campaign) (campaign.Campaign, error)
}

// Trajectories returns an addition: each collaboration round by round, as stopping rules see it, with labels
// if there are any, and measured.
func (m Messages) Trajectories(ctx context.Context, s store.Store, name string) (Addition, error) {
	measures, err := m.Measures(ctx, s, name)
	if err != nil {
		return measures, err
	}
	gather := campaign.Keeping[acts.Gathered]("", func(r *campaign.Run, rows record.Rows) error {
		campaign.Keep(&r.Parts, acts.Gather(rows))
		return nil
	})
	return Addition{append(measures.Readers, gather),
		func(ctx context.Context, s store.Store, c campaign.Campaign) (campaign.Campaign, error) {
			var t campaign.Trajectories
			gathered := make([]acts.Gathered, len(c.Runs))
			for i := range c.Runs { // taken: they would be held twice, by the run and by the campaign
				gathered[i] = campaign.Take[acts.Gathered](&c.Runs[i].Parts)
			}
			t.Runs, t.Excluded = acts.Sorted(gathered)
			if t.Labels, err = acts.AddLabels(ctx, s, c.Name, m.Labeller, t.Runs); err != nil {
				return c, cli.UsageError(fmt.Errorf("%w (--labeller)", err))
			}
			campaign.Keep(&c.Parts, t)
			return measures.Add(ctx, s, c)
		}}, nil
}

// Measures returns an addition: the measures of a campaign's messages.
func (m Method) Measures(ctx context.Context, s store.Store, name string) (Addition, error) {
	how, by, err := m.readFlags(s)
	if err != nil {
		return Addition{}, cli.UsageError(err)
	}
	measure := dialogue.MeasureLanguage(ctx, how)
	var first sync.Once
	var advice error
	read := func(r *campaign.Run, rows record.Rows) error {
		err := measure(r, rows)
		if err != nil {
			first.Do(func() { advice = by.advise(ctx, s, name, err) })
			return advice
		}
		return nil
	}
	what := how.Embedder.Name() + " " + string(how.Rule)
	return Addition{[]campaign.Reader{campaign.Keeping[[]dialogue.RoundLanguage](what, read)},
		func(_ context.Context, _ store.Store, c campaign.Campaign) (campaign.Campaign, error) {
			return dialogue.WithLanguage(c, dialogue.Language{Embedder: how.Embedder.Name(), Rule: how.Rule}), nil
		}}, nil
}

// readFlags reads the flags. Nothing is sent.
func (m Method) readFlags(s store.Store) (language.Method, embedder, error) {
	rule := language.Rule(m.readability)
	if rule != language.Portable && rule != language.Textstat {
		return language.Method{}, embedder{},
			fmt.Errorf("--readability is %q; expected portable or textstat", m.readability)
	}
	by, err := newEmbedder(s, m.Embedder, m.params)
	return language.Method{Rule: rule, Embedder: by.Embedder}, by, err
}

// addVectors returns c with the embeddings of the texts that discussion.Diversities compares.
func (m Method) addVectors(ctx context.Context, s store.Store, c campaign.Campaign) (campaign.Campaign, error) {
	e, err := newEmbedder(s, m.Embedder, m.params)
	if err != nil {
		return c, cli.UsageError(err)
	}
	texts := discussion.Statements(c)
	all, err := e.Embed(ctx, texts)
	if err != nil {
		return c, e.advise(ctx, s, c.Name, err)
	}
	vectors := &discussion.Vectors{By: e.Name(), Of: make(map[string][]float64, len(texts))}
	for i, text := range texts {
		vectors.Of[text] = all[i]
	}
	campaign.Keep(&c.Parts, vectors)
	return c, nil
}

// Features are the flags of the command features: how messages are measured, and what embeddings cost.
type Features struct {
	Method
	PriceFlags
}

// FeaturesReport is the JSON output of features.
type FeaturesReport struct {
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
func (r FeaturesReport) Write(w io.Writer, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(w, r)
	}
	_, err := fmt.Fprintf(w, "%s: the table features has %s of %s (%d measured now)\ninformation distances by %s, "+
		"grades by the rule %s\n",
		r.Campaign, wording.Count(r.Messages, "message"), wording.Count(r.Collaborations, "collaboration"), r.Measured,
		r.Embedder, r.Rule)
	return err
}

// commitsAtOnce are written together: a store may be far away.
const commitsAtOnce = 16

// Measure measures the messages of the collaborations that have ended and are not in the table features yet.
func (m Features) Measure(ctx context.Context, s store.Store, name string) (FeaturesReport, error) {
	r := FeaturesReport{Campaign: name}
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
		bought, err := m.buy(ctx, s, d, by.remoteEmbedder)
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
		err = cli.UsageError(fmt.Errorf("campaign %s has no messages that could be measured, in %d collaborations "+
			"that have ended", name, len(d.Members)))
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
