package scripted

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"roundtable/activities/model"
	"roundtable/envs"
	"roundtable/workflows/transcript"
)

func messageJSON(m envs.Message, agents []envs.Agent) ([]byte, error) {
	names := make([]string, 0, len(m.To)) // none means everybody
	for _, i := range m.To {
		if i < 0 || i >= len(agents) {
			return nil, fmt.Errorf("the policy writes to agent %d of %d", i, len(agents))
		}
		names = append(names, agents[i].Name)
	}
	return json.Marshal(struct {
		Target  []string `json:"target"`
		Message string   `json:"message"`
	}{names, m.Text})
}

// decisionJSON returns {"reason_for_decision": …, name: value}.
func decisionJSON(name, reason string, value any) ([]byte, error) {
	v, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("the policy's %s is not JSON: %w", name, err)
	}
	r, err := json.Marshal(reason)
	return fmt.Appendf(nil, `{"reason_for_decision":%s,%q:%s}`, r, name, v), err
}

// judgement is what an agent thinks of the candidates, in billionths: whole
// numbers count the same on every machine and take rounding noise for a tie.
type judgement struct {
	values  []int64
	reserve int64
	order   []int // best first; ties by a draw that belongs to the candidate
}

const unit = 1_000_000_000

func toBillionths(v float64) int64 {
	if !(v > 0) { // NaN too
		return 0
	}
	return int64(math.Round(min(v, 1) * unit))
}

func (a agent) judgeCandidates(d draws, s model.Scene) judgement {
	sit := s.Situation
	sit.Rand = d.newStream("reserve")
	if sit.Role != "" { // it sees no agent's background, so it has no taste of its own
		return judgeByCount(d, s)
	}
	j := judgement{reserve: toBillionths(a.policy.Reserve(sit))}
	for _, p := range s.Candidates {
		sit.Rand = d.newStream("value", p)
		j.values = append(j.values, toBillionths(a.policy.Value(sit, p)))
	}
	return j.withOrder(d, s.Candidates)
}

// withOrder sorts candidates from best to worst; ties by a draw that belongs to the candidate.
func (j judgement) withOrder(d draws, candidates []envs.Proposal) judgement {
	lots := make([]uint64, len(candidates))
	for c, p := range candidates {
		j.order = append(j.order, c)
		lots[c] = d.newStream("tie", p).Uint64()
	}
	slices.SortStableFunc(j.order, func(x, y int) int {
		return cmp.Or(cmp.Compare(j.values[y], j.values[x]), cmp.Compare(lots[x], lots[y]))
	})
	return j
}

// judgeByCount returns what a judge thinks of the candidates: the share of the agents who offer them.
func judgeByCount(d draws, s model.Scene) judgement {
	var j judgement
	for _, p := range s.Candidates {
		same := 0
		for _, o := range s.Situation.Offers {
			if o.Proposal == p {
				same++
			}
		}
		j.values = append(j.values, toBillionths(float64(same)/float64(max(1, len(s.Situation.Offers)))))
	}
	return j.withOrder(d, s.Candidates)
}

// decisionFor returns the ballot as JSON would say it, candidates numbered from 1.
func (j judgement) decisionFor(spec transcript.BallotSpec) (any, error) {
	switch spec.Kind {
	case transcript.Choose:
		if best := j.order[0]; j.values[best] >= j.reserve {
			return best + 1, nil
		}
		return nil, nil
	case transcript.Rate:
		return byNumber(j.spreadRatings(spec.Min, spec.Max)), nil
	case transcript.Distribute:
		return byNumber(j.dividePoints(spec.Points)), nil
	case transcript.Rank:
		return candidateIDs(j.order), nil
	case transcript.Approve:
		liked := slices.DeleteFunc(slices.Clone(j.order), func(c int) bool { return j.values[c] < j.reserve })
		slices.Sort(liked)
		return candidateIDs(liked), nil
	}
	return nil, fmt.Errorf("a scripted model cannot cast a ballot of the kind %q", spec.Kind)
}

// spreadRatings spreads values over low … high, halves up.
func (j judgement) spreadRatings(low, high int) []int {
	out := make([]int, len(j.values))
	for c, v := range j.values {
		out[c] = low + int((v*int64(high-low)+unit/2)/unit)
	}
	return out
}

// dividePoints divides whole points in proportion to the values, the rest by largest
// remainder, then by order; evenly if nothing is worth anything.
func (j judgement) dividePoints(points int) []int {
	weights, total := j.values, int64(0)
	for _, v := range weights {
		total += v
	}
	if total == 0 {
		weights = slices.Repeat([]int64{1}, len(weights))
		total = int64(len(weights))
	}
	out := make([]int, len(weights))
	left := points
	for c, w := range weights {
		out[c] = int(w * int64(points) / total)
		left -= out[c]
	}
	byRemainder := slices.Clone(j.order)
	slices.SortStableFunc(byRemainder, func(x, y int) int {
		return cmp.Compare(weights[y]*int64(points)%total, weights[x]*int64(points)%total)
	})
	for _, c := range byRemainder[:left] {
		out[c]++
	}
	return out
}

func candidateIDs(order []int) []int {
	out := make([]int, len(order))
	for i, c := range order {
		out[i] = c + 1
	}
	return out
}

// byNumber returns {"1": …, "2": …}; encoding/json writes keys in order.
func byNumber(by []int) map[string]int {
	out := make(map[string]int, len(by))
	for c, v := range by {
		out[strconv.Itoa(c+1)] = v
	}
	return out
}
