package recount

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"roundtable/analysis/lake/record"
	"roundtable/envs/wording"
	"roundtable/workflows/transcript"
)

// RetallyOptions decide what a ballot does not say itself.
type RetallyOptions struct {
	ApproveFrom *int // ratings or points from here on approve; nil: ratings from halfway on, any points
	// Draw returns the random numbers of one vote: the same on every machine.
	Draw func(c record.Collaboration, entry int) *rand.Rand

	ApproveFirst int // how many of a ranking's first candidates are approved; 0: rankings are not converted to approvals
}

// conversion makes ballots of one form into ballots of another.
type conversion struct {
	Name string // how, in words; "as cast" if nothing is changed
	// ballot also reports whether something that the ballot leaves open was drawn.
	ballot func(b transcript.Ballot, draw *rand.Rand) (_ transcript.Ballot, drawn bool)
}

// Untold is the error for ballots that do not tell what a rule counts.
type Untold struct{ says string }

func (u Untold) Error() string { return u.says }

func errUntold(format string, args ...any) error { return Untold{fmt.Sprintf(format, args...)} }

// asCast changes nothing.
func asCast() (conversion, error) {
	return conversion{"as cast", func(b transcript.Ballot, _ *rand.Rand) (transcript.Ballot, bool) { return b, false }}, nil
}

// convert returns how ballots of the form from are counted by a rule whose ballots have
// the form to; the error says what they do not tell.
func convert(from, to transcript.BallotSpec, o RetallyOptions) (conversion, error) {
	switch {
	case from == to, from.Kind == to.Kind && (from.Kind == transcript.Choose || from.Kind == transcript.Approve):
		return asCast()
	case to.Kind == transcript.Rate || to.Kind == transcript.Distribute:
		return conversion{}, errUntold("%s do not say %s", describe(from), describe(to))
	case to.Kind == transcript.Choose:
		return toChoice(from)
	case to.Kind == transcript.Rank:
		return toRanking(from, to)
	case to.Kind == transcript.Approve:
		return toApproval(from, o)
	}
	return conversion{}, errUntold("%s do not say %s", describe(from), describe(to))
}

// describe names a form of ballots.
func describe(s transcript.BallotSpec) string {
	switch s.Kind {
	case transcript.Choose:
		return "choices of one candidate"
	case transcript.Rank:
		return "rankings"
	case transcript.Rate:
		return fmt.Sprintf("ratings from %d to %d", s.Min, s.Max)
	case transcript.Distribute:
		return fmt.Sprintf("%d points for the candidates", s.Points)
	case transcript.Approve:
		return "approvals"
	}
	return "ballots of no form"
}

// toChoice takes the candidate that a ballot puts first.
func toChoice(from transcript.BallotSpec) (conversion, error) {
	if from.Kind == transcript.Approve {
		return conversion{}, errUntold("%s do not say who comes first", describe(from))
	}
	name := map[transcript.BallotKind]string{
		transcript.Rank: "the first of each ranking", transcript.Rate: "the best rated, drawn if several are",
		transcript.Distribute: "who has most points, drawn if several have",
	}[from.Kind]
	return conversion{name, func(b transcript.Ballot, draw *rand.Rand) (transcript.Ballot, bool) {
		order, drawn := orderCandidates(b, from, draw)
		if len(order) == 0 {
			return transcript.Ballot{Abstain: true}, false
		}
		return transcript.Ballot{Choice: order[0], Weight: b.Weight}, drawn[0]
	}}, nil
}

// toRanking orders the candidates by what a ballot gives them.
func toRanking(from, to transcript.BallotSpec) (conversion, error) {
	var name string
	switch from.Kind {
	case transcript.Rank:
		if name = "who is left out comes last, in drawn order"; !from.Partial || to.Partial {
			return asCast()
		}
	case transcript.Rate:
		name = "by rating, equal ones in drawn order"
	case transcript.Distribute:
		name = "by points, equal ones in drawn order"
	case transcript.Choose:
		if name = "the choice alone, first"; !to.Partial {
			return conversion{}, errUntold("%s do not rank the others; a rule with `partial: true` counts them",
				describe(from))
		}
	default:
		return conversion{}, errUntold("%s do not say %s", describe(from), describe(to))
	}
	return conversion{name, func(b transcript.Ballot, draw *rand.Rand) (transcript.Ballot, bool) {
		order, drawn := orderCandidates(b, from, draw)
		if len(order) == 0 {
			return transcript.Ballot{Abstain: true}, false
		}
		if !to.Partial && len(order) < to.N {
			var rest []int
			for c := range to.N {
				if !slices.Contains(order, c) {
					rest = append(rest, c)
				}
			}
			draw.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
			order, drawn = append(order, rest...), append(drawn, len(rest) > 1)
		}
		return transcript.Ballot{Order: order}, slices.Contains(drawn, true)
	}}, nil
}

// toApproval approves who is good enough.
func toApproval(from transcript.BallotSpec, o RetallyOptions) (conversion, error) {
	var name string
	approves := func(transcript.Ballot, int) bool { return false }
	switch from.Kind {
	case transcript.Rate:
		least := (from.Min + from.Max + 1) / 2
		if o.ApproveFrom != nil {
			least = *o.ApproveFrom
		}
		name = fmt.Sprintf("ratings from %d on approve", least)
		approves = func(b transcript.Ballot, c int) bool { return b.Points[c] >= least && b.Points[c] >= from.Min }
	case transcript.Distribute:
		least := 1
		if o.ApproveFrom != nil {
			least = *o.ApproveFrom
		}
		name = wording.Count(least, "point") + " or more approve"
		approves = func(b transcript.Ballot, c int) bool { return b.Points[c] >= least }
	case transcript.Choose:
		name = "the choice alone is approved"
		approves = func(b transcript.Ballot, c int) bool { return b.Choice == c }
	case transcript.Rank:
		if o.ApproveFirst < 1 {
			return conversion{}, errUntold("%s do not say which candidates are approved; --approve-first N takes the "+
				"first N of each", describe(from))
		}
		name = fmt.Sprintf("the first %d of each ranking are approved", o.ApproveFirst)
		approves = func(b transcript.Ballot, c int) bool {
			return slices.Contains(b.Order[:min(o.ApproveFirst, len(b.Order))], c)
		}
	}
	return conversion{name, func(b transcript.Ballot, _ *rand.Rand) (transcript.Ballot, bool) {
		if b.Abstain {
			return b, false
		}
		out := transcript.Ballot{Order: []int{}}
		for c := range from.N {
			if approves(b, c) {
				out.Order = append(out.Order, c)
			}
		}
		return out, false
	}}, nil
}

// orderCandidates returns the candidates that a ballot gives something, the best first, and of
// each whether its place was drawn among equals.
func orderCandidates(b transcript.Ballot, from transcript.BallotSpec, draw *rand.Rand) (order []int, drawn []bool) {
	switch {
	case b.Abstain:
		return nil, nil
	case from.Kind == transcript.Choose:
		return []int{b.Choice}, []bool{false}
	case from.Kind == transcript.Rank:
		return slices.Clone(b.Order), make([]bool, len(b.Order))
	}
	for _, c := range draw.Perm(from.N) {
		if b.Points[c] > 0 || from.Kind == transcript.Rate && b.Points[c] >= from.Min {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(b.Points[y], b.Points[x]) })
	for i, c := range order {
		same := i > 0 && b.Points[order[i-1]] == b.Points[c] || i+1 < len(order) && b.Points[order[i+1]] == b.Points[c]
		drawn = append(drawn, same)
	}
	return order, drawn
}
