package planning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"roundtable/activities/collaboration"
	"roundtable/activities/model"
	"roundtable/activities/model/wire"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/providers"
	"roundtable/envs/wording"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

// Warnings returns what a plan allows but probably does not intend.
func Warnings(ctx context.Context, plugins catalogue.Catalogue, p campaign.Plan,
	s store.Store) (list []string, err error) {
	for _, of := range []func() (string, error){
		func() (string, error) { return describeLeftOut(ctx, s, p.Campaign) },
		func() (string, error) { return describeEqual(plugins, p, s) },
		func() (string, error) { return describeSplits(p.Campaign), nil },
	} {
		warning, err := of()
		if err != nil {
			return nil, err
		}
		if warning != "" {
			list = append(list, warning)
		}
	}
	return list, nil
}

// describeEqual says in which conditions replicates need not differ; "" if in none.
func describeEqual(plugins catalogue.Catalogue, p campaign.Plan, s store.Store) (string, error) {
	var same []string
	sources := providers.Sources(s, p)
	for i, c := range p.Campaign.Conditions {
		if p.Campaign.ReplicatesOf(i) < 2 || !isRepeatable(c) {
			continue
		}
		equal, err := collaboration.SamePrompts(p, i, plugins, sources, providers.New(s).Build)
		if err != nil {
			return "", err
		}
		if equal {
			same = append(same, c.ID())
		}
	}
	if len(same) == 0 {
		return "", nil
	}
	which := "any condition"
	if n := len(p.Campaign.Conditions); len(same) < n {
		which = fmt.Sprintf("%d of %d conditions (%s, …)", len(same), n, same[0])
	}
	return fmt.Sprintf("the replicates of an instance need not differ in %s: the prompts draw nothing by "+
		"replicate, and at temperature 0 or with a fixed seed a model answers the same question alike, as far as "+
		"its service is deterministic. Equal replicates are one observation; raise generate.temperature, or "+
		"run more instances once each.", which), nil
}

// describeSplits says which debates a split of the answers leaves without a decision; "" if none.
func describeSplits(c plan.Campaign) string {
	var split []string
	for _, condition := range c.Conditions {
		var asked struct{ Kind, Format string }
		if json.Unmarshal(condition.Env.Params, &asked) != nil || condition.Protocol.Name != "debate" ||
			condition.Rule.Name != "majority" {
			continue
		}
		if asked.Kind != "yesno" && asked.Format != "strategyqa" { // of two answers one has a majority
			split = append(split, condition.ID())
		}
	}
	if len(split) == 0 {
		return ""
	}
	return fmt.Sprintf("rule majority needs more than half of all agents: where none of several answers has that, "+
		"a debate ends without a decision, which counts as wrong (%s, as %s). For the most frequent answer write "+
		"plurality.", wording.Count(len(split), "condition"), split[0])
}

// MissingKeys returns a warning for each model that cannot be called because its API key is not set.
func MissingKeys(p campaign.Plan, m campaign.Manifest, s store.Store) []string {
	var asked []plan.Choice
	for _, c := range p.Campaign.Conditions {
		asked = append(asked, c.AllModels()...)
	}
	if m.Labels != nil {
		asked = append(asked, m.Labels.Labeller)
	}
	models, seen := providers.New(s), map[string]bool{}
	var list []string
	for _, choice := range asked {
		provider, _, _ := strings.Cut(choice.Name, "/")
		if !providers.IsLive(provider) {
			continue
		}
		_, err := models.Named(choice.Name, choice.Decode(), plan.Condition{}, nil)
		if !errors.Is(err, wire.ErrNoKey) {
			continue
		}
		_, why, _ := strings.Cut(err.Error(), wire.ErrNoKey.Error()+": ")
		text := fmt.Sprintf("run needs a key for %s: %s", choice.Name, why)
		if !seen[text] {
			seen[text] = true
			list = append(list, text)
		}
	}
	return list
}

// EndpointNotes returns a note for each model that counts as free because this machine serves it, and for each
// whose price for batches or cached input does not apply to its endpoint.
func EndpointNotes(p campaign.Plan, m campaign.Manifest, s store.Store) []string {
	models := providers.NewFile(s, providers.FileFolder{}, true)
	var list []string
	for _, c := range p.Campaign.Conditions {
		for _, choice := range c.AllModels() {
			provider, _, _ := strings.Cut(choice.Name, "/")
			price, priced := m.Prices[choice.Name]
			if !providers.IsLive(provider) || !priced {
				continue
			}
			made, err := models.Named(choice.Name, choice.Decode(), plan.Condition{}, nil)
			if err != nil && !errors.Is(err, wire.ErrNoKey) {
				continue
			}
			batcher, ok := made.Model.(model.Batcher)
			marker, takesMarks := made.Model.(interface{ HasMarks() bool })
			text := ""
			switch {
			case err == nil && price == (campaign.Price{}) && providers.IsFree(made):
				text = fmt.Sprintf("%s is on this machine (%s) and counts as free; prices: gives it a price",
					choice.Name, made.Endpoint)
			case m.Limits.Tier == plan.Batch && price.Batch != nil && !(ok && batcher.HasBatches()):
				text = fmt.Sprintf("%s is asked at %s, whose batches are not used (those of OpenAI, Anthropic, "+
					"Google and servers of your own are), so it is asked in the standard tier", choice.Name,
					made.Endpoint)
			case takesMarks && !marker.HasMarks() && price.CachedInput != nil:
				text = fmt.Sprintf("%s is asked at %s without the marks by which Anthropic keeps what prompts begin "+
					"with, so all input is paid in full; cache_control: true of the model sends them", choice.Name,
					made.Endpoint)
			}
			if text != "" && !slices.Contains(list, text) {
				list = append(list, text)
			}
		}
	}
	return list
}

// oldPrice is how old a price is of which plan says so.
const oldPrice = 90 * 24 * time.Hour

// PriceNotes returns a note for each price that is old at time now, and for each model that has no price in
// the tier that the file names.
func PriceNotes(m campaign.Manifest, now time.Time) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(m.Prices)) {
		price := m.Prices[name]
		day, err := time.Parse(time.DateOnly, price.AsOf)
		if age := now.Sub(day); err == nil && age > oldPrice {
			list = append(list, fmt.Sprintf("the price of %s was looked up on %s, %d days ago; check it, and give "+
				"another one under prices", name, price.AsOf, int(age.Hours()/24)))
		}
		tier := m.Limits.Tier
		if (tier == plan.Flex || tier == plan.Batch) && !price.HasTier(tier) && price != (campaign.Price{}) {
			sold := ""
			if tier == plan.Batch {
				sold = " (OpenAI, Anthropic and Google sell batches)"
			}
			list = append(list, fmt.Sprintf("%s has no price in the tier %s%s, so it is asked in the standard "+
				"tier; prices: {%s: {input: …, output: …, %s: {input: …, output: …}}} gives it one", name, tier,
				sold, name, tier))
		}
	}
	return list
}

// Warn prints the Warnings of a plan on standard error.
func Warn(ctx context.Context, plugins catalogue.Catalogue, p campaign.Plan, s store.Store) error {
	list, err := Warnings(ctx, plugins, p, s)
	for _, w := range list {
		fmt.Fprintf(os.Stderr, "warning: %s\n", w)
	}
	return err
}

// isRepeatable says that all models of a condition are asked so that they answer
// the same question alike. Scripted agents draw again in each replicate.
func isRepeatable(c plan.Condition) bool {
	c.Stop = plan.Choice{} // who annotates messages for it is not an agent
	fixed := c.Generate.Temperature != nil && *c.Generate.Temperature == 0 || c.Generate.Seed != nil
	return fixed && !slices.ContainsFunc(c.AllModels(), func(m plan.Choice) bool {
		return strings.HasPrefix(m.Name, "scripted/") || strings.HasPrefix(m.Name, "replay/")
	})
}
