// Package measurements says how messages are labelled and measured, from flags or the
// campaign's file, adds labels and measures to a campaign's rows, and commits measures to the
// table features. It opens what information distances rest on, and buys the vectors of
// embedders that are behind a service. It knows which texts tables compare, so it belongs to
// those who read a campaign; what measures on the way is providers'.
package measurements

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"github.com/spf13/cobra"

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
)

// Messages says how a campaign's messages are read: whose labels count, and
// how they are measured.
type Messages struct {
	Labeller string
	Method
	cache string // folder of what was read before; "" is the user's
}

// Kept is where runs are kept that were read before.
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

// Choose settles whose labels count and what embeds if no flag says so: the
// labeller of the campaign's file, if it has labelled something, and its embedder.
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

// Method is how messages are measured.
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

// Addition is what a campaign is given beside what its studies keep.
type Addition struct {
	Readers []campaign.Reader // see its rows while they are read
	// Add returns the campaign with it, once its rows are read.
	Add func(context.Context, store.Store, campaign.Campaign) (campaign.Campaign, error)
}

// Trajectories are a campaign round by round, as stopping rules see it: labelled, if it has
// labels, and measured.
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
			for i, r := range c.Runs {
				gathered[i] = campaign.Part[acts.Gathered](r.Parts)
			}
			t.Runs, t.Excluded = acts.Sorted(gathered)
			if t.Labels, err = acts.AddLabels(ctx, s, c.Name, m.Labeller, t.Runs); err != nil {
				return c, cli.UsageError(fmt.Errorf("%w (--labeller)", err))
			}
			campaign.Keep(&c.Parts, t)
			return measures.Add(ctx, s, c)
		}}, nil
}

// Measures are those of a campaign's messages.
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
			first.Do(func() { advice = by.Advise(ctx, s, name, err) })
			return advice
		}
		return nil
	}
	what := how.Embedder.Name() + " " + string(how.Rule)
	return Addition{[]campaign.Reader{campaign.Keeping[[]dialogue.RoundLanguage](what, read)}, func(_ context.Context, _ store.Store, c campaign.Campaign) (campaign.Campaign, error) {
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

// AddVectors returns the campaign with vectors of what discussions compare, by the embedder that is asked for.
func (m Method) AddVectors(ctx context.Context, s store.Store, c campaign.Campaign) (campaign.Campaign, error) {
	e, err := newEmbedder(s, m.Embedder, m.params)
	if err != nil {
		return c, cli.UsageError(err)
	}
	texts := discussion.Statements(c)
	all, err := e.Embed(ctx, texts)
	if err != nil {
		return c, e.Advise(ctx, s, c.Name, err)
	}
	vectors := &discussion.Vectors{By: e.Name(), Of: make(map[string][]float64, len(texts))}
	for i, text := range texts {
		vectors.Of[text] = all[i]
	}
	campaign.Keep(&c.Parts, vectors)
	return c, nil
}
