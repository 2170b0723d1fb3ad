// Package laketest makes lakes for tests: campaigns of scripted agents, played
// to their end without Temporal.
package laketest

import (
	"context"
	"io/fs"
	"strings"

	"roundtable/activities"
	"roundtable/activities/model"
	"roundtable/activities/model/scripted"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/envs"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
)

// Play plays every cell of a campaign, given as YAML with scripted models, and
// commits it as the given generation. Models take their policy's parameters.
// Now and then traders propose nothing and answer with something that cannot be read.
func Play(ctx context.Context, store store.Store, campaign string, generation int) error {
	p, err := Record(ctx, store, campaign)
	if err != nil {
		return err
	}
	a := activities.New(activities.Config{Store: store, Plugins: catalogue.Builtin(), Models: Policy})
	batch := task.Batch{Campaign: p.Campaign.Name, Revision: p.Campaign.Revision()}
	for n := range p.Campaign.Size() {
		batch.Cells = append(batch.Cells,
			task.Outstanding{Cell: p.Campaign.Cell(n), Generation: generation, Instant: true})
	}
	for len(batch.Cells) > 0 { // a slow machine plays them in several batches
		played, err := a.PlayThrough(ctx, batch)
		if err != nil {
			return err
		}
		for i, left := range played.Left { // one that takes no other cell's time may say what is wrong
			if !left.Instant {
				if _, err := a.PlayRound(ctx, task.Round{Ref: batch.Ref(left)}); err != nil {
					return err
				}
				played.Left[i].Instant = true
			}
		}
		batch.Cells = played.Left
	}
	return nil
}

// Record writes the plan and the manifest of a campaign, given as YAML.
func Record(ctx context.Context, store store.Store, name string) (campaign.Plan, error) {
	file, err := campaignfile.Parse([]byte(name), campaignfile.Host{Catalogue: catalogue.Builtin()})
	if err != nil {
		return campaign.Plan{}, err
	}
	p := campaign.Plan{Campaign: file.Campaign, Edition: prompt.Edition, Agents: file.Agents, Rounds: file.Rounds,
		Packs: map[string]map[string]string{}}
	for _, c := range file.Campaign.Conditions {
		pack, err := packOf(c)
		if err != nil {
			return p, err
		}
		p.Packs[campaign.HashPack(pack)] = pack
		p.Pack = append(p.Pack, campaign.HashPack(pack))
	}
	if err := campaign.WritePlan(ctx, store, p); err != nil {
		return p, err
	}
	return p, campaign.WriteManifest(ctx, store,
		campaign.Manifest{Campaign: p.Campaign.Name, Revision: p.Campaign.Revision()})
}

func packOf(c plan.Condition) (prompt.Pack, error) {
	env, err := c.BuildEnv(catalogue.Builtin(), catalogue.Needs{})
	if err != nil {
		return prompt.Pack{}, err
	}
	rule, err := c.BuildRule(catalogue.Builtin())
	if err != nil {
		return prompt.Pack{}, err
	}
	files, err := fs.Sub(protocol.Prompts, "prompts/"+c.Protocol.Name)
	if err != nil {
		return prompt.Pack{}, err
	}
	return prompt.NewPack(env.Prompts(), files, nil, nil, rule.Words())
}

// Policy plays the model scripted/POLICY. Traders are careless.
func Policy(m plan.Choice, _ plan.Condition, env envs.Environment) (model.Provider, error) {
	name := strings.TrimPrefix(m.Name, "scripted/")
	policy, err := env.Policy(name, m.Decode())
	if err != nil {
		return model.Provider{}, err
	}
	params := scripted.Params{}
	if name == "trader" {
		params = scripted.Params{Malformed: 0.1, Skip: 0.1}
	}
	agent, err := scripted.New(params, policy)
	return model.Provider{Model: agent, Name: m.Name, Simulated: true, Instant: true}, err
}
