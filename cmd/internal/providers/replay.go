package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"roundtable/activities/answers"
	"roundtable/activities/model"
	"roundtable/activities/model/scripted"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

func (p Models) newReplay(name, rest string, decode envs.Decode, c plan.Condition) (model.Provider, error) {
	var params struct {
		File string `json:"file"`
	}
	if err := decode(&params); err != nil {
		return model.Provider{}, err
	}
	provider := model.Provider{Name: name, Instant: true}
	var source scripted.Recorded
	if params.File != "" {
		path, err := p.from.Path(params.File)
		if err != nil {
			return provider, err
		}
		f, err := store.OpenFile(path)
		if err != nil {
			return provider, fmt.Errorf("the file of answers %s cannot be read: %w", params.File, errors.Unwrap(err))
		}
		defer f.Close()
		if source, err = scripted.ReadRecording(f); err != nil {
			return provider, fmt.Errorf("%s: %w", params.File, err)
		}
	} else {
		twin, err := p.recordedOf(rest, c)
		if err != nil {
			return provider, err
		}
		source, provider.Simulated = twin, twin.simulated
	}
	provider.Model = scripted.NewReplay(source)
	return provider, nil
}

// recordedCampaign answers with what a condition of a recorded campaign got.
type recordedCampaign struct {
	answers   *answers.Answers
	campaign  string
	condition string // the recorded one
	simulated bool
	latest    sync.Map // generation by cell
}

// recorded finds the condition of a recorded campaign that differs only in its model.
func (p Models) recordedOf(name string, c plan.Condition) (*recordedCampaign, error) {
	stored, _, err := campaign.ReadRecorded(context.Background(), p.store, name)
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, campaign.ErrImported) {
		names, _ := lake.Campaigns(context.Background(), p.store)
		return nil, fmt.Errorf("replay/%s: the lake has no campaign %q to replay; it has %s. Run that campaign "+
			"first, or name a file of answers (file: answers.jsonl)%s",
			name, name, cmp.Or(strings.Join(names, ", "), "none"), wording.DidYouMean(name, names))
	}
	if err != nil {
		return nil, fmt.Errorf("replay/%s: the recorded campaign cannot be replayed: %w", name, err)
	}
	want := c
	want.Model, want.Models, want.Generate = plan.Choice{}, nil, plan.Generate{}
	for _, r := range stored.Campaign.Conditions {
		twin := r
		twin.Model, twin.Models, twin.Generate = plan.Choice{}, nil, plan.Generate{}
		if twin.ID() == want.ID() {
			return &recordedCampaign{
				answers: answers.NewAnswers(p.store), campaign: name, condition: r.ID(),
				simulated: strings.HasPrefix(r.Model.Name, "scripted/"),
			}, nil
		}
	}
	return nil, fmt.Errorf("the recorded campaign %q has no condition that differs from this one in its model alone", name)
}

// Answer looks the same cell of the recorded condition up.
func (r *recordedCampaign) Answer(ctx context.Context, collaboration string, entry, ask int) (model.Response, error) {
	_, cell, _ := strings.Cut(collaboration, "-i")
	stored, err := r.load(ctx, answers.RunKey{Campaign: r.campaign, Collaboration: r.condition + "-i" + cell})
	if err != nil {
		return model.Response{}, err
	}
	t, ok := stored.Turn(entry)
	if !ok || ask >= len(t.Asks) {
		return model.Response{}, scripted.ErrMissing
	}
	a := t.Asks[ask]
	return model.Response{Text: a.Raw, Model: a.ModelAnswered, Logprob: a.Logprob}, nil
}

// load reads the answers of a cell's latest generation that has some: a cell that
// failed and was run again is what came of it then.
func (r *recordedCampaign) load(ctx context.Context, run answers.RunKey) (answers.Stored, error) {
	cell := run.Collaboration
	if known, ok := r.latest.Load(cell); ok {
		run.Generation = known.(int)
		return r.answers.Load(ctx, run)
	}
	stored, err := r.answers.Load(ctx, run)
	for err == nil && len(stored.Turns) > 0 {
		run.Generation++
		var next answers.Stored
		if next, err = r.answers.Load(ctx, run); err != nil || len(next.Turns) == 0 {
			run.Generation--
			break
		}
		stored = next
	}
	if err == nil {
		r.latest.Store(cell, run.Generation)
	}
	return stored, err
}
