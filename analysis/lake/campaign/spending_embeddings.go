package campaign

import (
	"maps"
	"slices"

	"roundtable/analysis/lake/record"
)

// Embedded adds a group for each embedder, by its id, of the calls that bought vectors. They count
// against the same budget. They belong to no collaboration, since a text is embedded once for all.
func (r *Spending) Embedded(calls map[string][]record.Call) { r.addShared(EmbeddingsBy, calls) }

// Judged adds a group for each judge, by its id, of the calls that scored decisions. They belong to
// no collaboration, since equal decisions are judged once for all.
func (r *Spending) Judged(calls map[string][]record.Call) { r.addShared(ScoresBy, calls) }

func (r *Spending) addShared(name string, calls map[string][]record.Call) {
	for _, by := range slices.Sorted(maps.Keys(calls)) {
		g := SpendingGroup{Name: name + by, Shared: true}
		for _, c := range calls[by] {
			g.countCall(c, r.settled)
			r.Total.countCall(c, r.settled)
		}
		r.Groups = append(r.Groups, g)
	}
}

// Checked adds a group for the calls of checks, which ask whether models answer.
func (r *Spending) Checked(calls []record.Call) {
	if len(calls) > 0 {
		r.addShared(checks, map[string][]record.Call{"": calls})
	}
}

// AddUnfinished adds a group for calls of collaborations that have begun and not ended.
func (r *Spending) AddUnfinished(calls []record.Call) {
	if len(calls) == 0 {
		return
	}
	g := SpendingGroup{Name: unfinished}
	for _, c := range calls {
		g.addCall(c, r.settled)
		r.Total.addCall(c, r.settled)
	}
	r.Groups = append(r.Groups, g)
}

// Names of groups of calls that belong to no collaboration; an id follows the first two.
const (
	EmbeddingsBy = "embeddings by "
	ScoresBy     = "scores by "
	checks       = "checks of models"
	unfinished   = "not finished yet"
)
