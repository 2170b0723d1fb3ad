package money

import (
	"reflect"
	"strings"
	"time"

	"roundtable/analysis/lake/campaign"
)

// Find returns the price of a model, given by a key of the table (provider/model), or by its name
// alone if all providers charge the same. A dated snapshot that has no price of its own has that of
// its base name (gpt-5-mini-2025-08-07 of gpt-5-mini). Nothing else is taken for the same model.
func (t Table) Find(name string) (Entry, bool) {
	if e, ok := t.entryNamed(name); ok {
		return e, true
	}
	if base, ok := withoutDate(name); ok {
		return t.entryNamed(base)
	}
	return Entry{}, false
}

func (t Table) entryNamed(name string) (Entry, bool) {
	if e, ok := t.entries[name]; ok {
		return e, true
	}
	provider, rest, ok := strings.Cut(name, "/")
	if provider = familyOf(provider); ok && t.providers[provider] {
		if e, ok := t.entries[provider+"/"+rest]; ok {
			return e, true
		}
		e, ok := t.entries[rest] // LiteLLM leaves out the names of some providers
		return e, ok && familyOf(e.Provider) == provider
	}
	keys := t.bare[name]
	for _, key := range keys {
		if !isSamePrice(t.entries[key].Price, t.entries[keys[0]].Price) {
			return Entry{}, false
		}
	}
	if len(keys) == 0 {
		return Entry{}, false
	}
	return t.entries[keys[0]], true
}

// isSamePrice reports whether two models cost the same, in calls as they are made: not in batches.
func isSamePrice(p, q campaign.Price) bool {
	p.MaxOutput, p.AsOf, p.Batch = q.MaxOutput, q.AsOf, q.Batch
	return reflect.DeepEqual(p, q)
}

// familyOf returns the name under which prices of a provider with several names stand.
func familyOf(provider string) string {
	switch {
	case strings.HasPrefix(provider, "bedrock"):
		return "bedrock"
	case strings.HasPrefix(provider, "vertex"):
		return "vertex_ai"
	}
	switch provider {
	case "google":
		return "gemini"
	case "together", "togetherai":
		return "together_ai"
	case "text-completion-openai":
		return "openai"
	case "azure_text":
		return "azure"
	}
	return provider
}

// withoutDate cuts the day off the name of a snapshot: -2025-08-07, -20250807 or @20250807.
func withoutDate(name string) (string, bool) {
	for _, layout := range []string{"-2006-01-02", "-20060102", "@20060102"} {
		at := len(name) - len(layout)
		if at <= 0 {
			continue
		}
		if day, err := time.Parse(layout, name[at:]); err == nil && day.Year() >= 2020 && day.Year() < 2100 {
			return name[:at], true
		}
	}
	return "", false
}
