package campaign

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"roundtable/analysis/lake/record"
)

// ModelSnapshot is a model that answered under a name, as the service calls it.
type ModelSnapshot struct {
	Asked, Answered string
	Calls           int       // answers, those from the cache too
	First, Last     time.Time // when the first and the last of these calls began
}

func (r *Spending) noteSnapshot(c record.Call) {
	if c.Status != "answered" || c.ModelAnswered == "" {
		return
	}
	name, at := [2]string{c.ModelAsked, c.ModelAnswered}, time.UnixMicro(c.StartedAt).UTC()
	s := r.bySnapshot[name]
	if s == nil {
		s = &ModelSnapshot{Asked: name[0], Answered: name[1], First: at, Last: at}
		r.bySnapshot[name] = s
	}
	s.Calls++
	if at.Before(s.First) {
		s.First = at
	}
	if at.After(s.Last) {
		s.Last = at
	}
}

// sortGroups puts everything in order.
func (r *Spending) sortGroups() {
	for _, g := range r.byName {
		r.Groups = append(r.Groups, *g)
	}
	slices.SortFunc(r.Groups, func(a, b SpendingGroup) int {
		return cmp.Or(cmp.Compare(labelsLast(a), labelsLast(b)), cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Role, b.Role))
	})
	for _, s := range r.bySnapshot {
		r.Snapshots = append(r.Snapshots, *s)
	}
	slices.SortFunc(r.Snapshots, func(a, b ModelSnapshot) int {
		return cmp.Or(cmp.Compare(a.Asked, b.Asked), a.First.Compare(b.First), cmp.Compare(a.Answered, b.Answered))
	})
}

// labelsLast puts labels after what was labelled.
func labelsLast(g SpendingGroup) int {
	if g.Summed {
		return 1
	}
	return 0
}

// Changed returns a sentence for each model that was served at several addresses, and for each name
// under which several models answered.
func (r Spending) Changed() []string {
	var all []string
	for _, model := range slices.Sorted(maps.Keys(r.Addresses)) {
		if at := r.Addresses[model]; len(at) > 1 {
			all = append(all, fmt.Sprintf("%s was asked at %d addresses, the present one last: %s.", model, len(at),
				strings.Join(at, ", ")))
		}
	}
	for i := 0; i < len(r.Snapshots); {
		first := i
		var parts []string
		for ; i < len(r.Snapshots) && r.Snapshots[i].Asked == r.Snapshots[first].Asked; i++ {
			parts = append(parts, r.Snapshots[i].String())
		}
		if len(parts) > 1 {
			all = append(all, fmt.Sprintf("%s was answered by %d models: %s.", r.Snapshots[first].Asked, len(parts),
				strings.Join(parts, "; ")))
		}
	}
	return all
}

func (s ModelSnapshot) String() string {
	const minute = "2006-01-02 15:04"
	calls := "calls"
	if s.Calls == 1 {
		calls = "call"
	}
	return fmt.Sprintf("%s (%d %s, %s to %s UTC)", s.Answered, s.Calls, calls, s.First.Format(minute),
		s.Last.Format(minute))
}

// rankOf returns ⌈qn⌉ between 1 and n.
func rankOf(q float64, n int) int { return min(n, max(1, int(math.Ceil(q*float64(n))))) }
