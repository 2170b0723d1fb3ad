package prompt

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/workflows/transcript"
)

// What models call things in a ballot, in small letters without spaces, _ and -. What could as well
// be the answer to the question is none of these: "answer", "result", "solution".
var (
	namesOfBallots = []string{"decision", "finaldecision", "vote", "myvote", "finalvote", "ballot", "myballot", "choice", "mychoice", "finalchoice", "selection", "selected", "pick"}
	namesByKind    = map[transcript.BallotKind][]string{
		transcript.Choose:     {"candidate", "preferred", "winner", "best"},
		transcript.Rank:       {"ranking", "rankings", "ranked", "order", "preferences"},
		transcript.Approve:    {"approval", "approvals", "approved", "approve", "approvedcandidates", "candidates"},
		transcript.Rate:       {"ratings", "rating", "scores", "score", "points", "grades"},
		transcript.Distribute: {"points", "allocation", "distribution", "scores", "votes"},
	}
	namesOfCandidates = []string{"candidate", "candidateid", "candidatenumber", "id", "number", "option", "solution", "proposal", "name"}
	namesOfPlaces     = []string{"rank", "place", "position", "ranking"}
	namesOfPoints     = []string{"points", "score", "rating", "value", "votes", "weight", "grade", "allocation"}
	namesOfApproval   = []string{"approve", "approved", "approval", "vote", "accept", "accepted"}
	yes               = []string{"true", "yes", "approve", "approved", "accept"}
	no                = []string{"false", "no", "reject", "rejected", "disapprove"}
)

// fold returns a name in small letters without spaces, _ and -.
func fold(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}

// membersOf returns the members of an object by their folded names; nil if it is none, or gives two
// of them in different spellings.
func membersOf(v jsontext.Value) map[string]jsontext.Value {
	var given map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &given) != nil {
		return nil
	}
	members := map[string]jsontext.Value{}
	for name, value := range given {
		members[fold(name)] = value
	}
	if len(members) < len(given) {
		return nil
	}
	return members
}

// only returns the one member that has one of these names; nil if none has or several have.
func only(members map[string]jsontext.Value, names []string) (found jsontext.Value) {
	for _, name := range names {
		if v, ok := members[name]; ok && found != nil {
			return nil
		} else if ok {
			found = v
		}
	}
	return found
}

// decisionIn returns the ballot of an object that calls it by another name, or that is the points
// themselves beside a reason; nil if it has none, or could have several.
func decisionIn(object jsontext.Value, spec transcript.BallotSpec) jsontext.Value {
	if v := only(membersOf(object), slices.Concat(namesOfBallots, namesByKind[spec.Kind])); v != nil {
		return v
	}
	var given map[string]jsontext.Value
	if spec.Kind != transcript.Rate && spec.Kind != transcript.Distribute || json.Unmarshal(object, &given) != nil {
		return nil
	}
	for _, name := range objectNames[transcript.FormatBallot] {
		delete(given, name)
	}
	delete(given, "reason")
	for name := range given {
		if !oneCandidate.MatchString(strings.TrimSpace(name)) {
			return nil
		}
	}
	if len(given) < 2 { // {"1": 2} could be a choice
		return nil
	}
	return encoded(given)
}

// needsDecision says that an object has no ballot, and what it has.
func needsDecision(object jsontext.Value) error {
	var given map[string]jsontext.Value
	_ = json.Unmarshal(object, &given)
	needs := `it needs "decision": a ballot, or null to cast none`
	var names []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != "reason_for_decision" && name != "explanation" {
			names = append(names, strconv.Quote(Clean([]byte(name), 40)))
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("%s", needs)
	}
	return fmt.Errorf("%s; it has %s in its place", needs, strings.Join(names[:min(len(names), 4)], ", "))
}

// plainBallot returns a ballot in the shape that is asked for, if it has another one that can be read
// in one way only: an object around it, a list of objects that name their members, yes and no by
// candidate, points as a list, percent or a share of the scale. Else it is returned as it is.
func plainBallot(v jsontext.Value, spec transcript.BallotSpec) jsontext.Value {
	if inner := only(membersOf(v), slices.Concat(namesOfBallots, namesByKind[spec.Kind])); inner != nil {
		v = inner
	}
	var items []jsontext.Value
	switch {
	case v.Kind() == '[' && json.Unmarshal(v, &items) == nil && len(items) > 0 && items[0].Kind() == '{':
		if plain := fromObjects(items, spec); plain != nil {
			return plain
		}
	case v.Kind() == '{' && spec.Kind == transcript.Choose:
		return orElse(only(membersOf(v), namesOfCandidates), v)
	case v.Kind() == '{' && spec.Kind == transcript.Approve:
		return orElse(approvedIn(v), v)
	case v.Kind() == '[' && (spec.Kind == transcript.Rate || spec.Kind == transcript.Distribute):
		return orElse(pointsInOrder(items, spec), v)
	case v.Kind() == '{':
		var given map[string]jsontext.Value
		if json.Unmarshal(v, &given) == nil {
			for name, value := range given {
				given[name] = plainPoints(value, spec)
			}
			return encoded(given)
		}
	}
	return v
}

// fromObjects reads a list of objects, each of one candidate; nil if it cannot.
func fromObjects(items []jsontext.Value, spec transcript.BallotSpec) jsontext.Value {
	type row struct {
		candidate jsontext.Value
		place     int
	}
	var rows []row
	given := map[string]jsontext.Value{} // points by candidate
	places := 0
	for _, item := range items {
		members := membersOf(item)
		candidate := only(members, namesOfCandidates)
		if candidate == nil {
			return nil
		}
		r := row{candidate: candidate}
		switch place, points := only(members, namesOfPlaces), only(members, namesOfPoints); spec.Kind {
		case transcript.Rank:
			if place != nil {
				n, err := wholeNumber(place)
				if err != nil {
					return nil
				}
				r.place = n
				places++
			} else if points != nil {
				return nil
			}
		case transcript.Approve:
			if said := only(members, namesOfApproval); said != nil {
				approved, known := yesOrNo(said)
				if !known {
					return nil
				}
				if !approved {
					continue
				}
			} else if place != nil || points != nil {
				return nil
			}
		case transcript.Rate, transcript.Distribute:
			n, err := wholeNumber(candidate)
			name := strconv.Itoa(n)
			if _, twice := given[name]; err != nil || points == nil || twice {
				return nil
			}
			given[name] = plainPoints(points, spec)
		default:
			return nil
		}
		rows = append(rows, r)
	}
	if spec.Kind == transcript.Rate || spec.Kind == transcript.Distribute {
		return encoded(given)
	}
	if places > 0 {
		slices.SortStableFunc(rows, func(a, b row) int { return a.place - b.place })
		for i, r := range rows {
			if r.place != i+1 { // also if a place is missing, or given twice
				return nil
			}
		}
	}
	order := []jsontext.Value{}
	for _, r := range rows {
		order = append(order, r.candidate)
	}
	return encoded(order)
}

// approvedIn reads {"1": true, "2": "no"}; nil if it is something else.
func approvedIn(v jsontext.Value) jsontext.Value {
	var given map[string]jsontext.Value
	if json.Unmarshal(v, &given) != nil || len(given) == 0 {
		return nil
	}
	order := []string{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		approved, known := yesOrNo(given[name])
		if !known || !oneCandidate.MatchString(strings.TrimSpace(name)) {
			return nil
		}
		if approved {
			order = append(order, name)
		}
	}
	return encoded(order)
}

func yesOrNo(v jsontext.Value) (is, known bool) {
	word := fold(text(v))
	return slices.Contains(yes, word), slices.Contains(yes, word) || slices.Contains(no, word)
}

// pointsInOrder reads a list with the points of every candidate; nil if it could be a ranking.
func pointsInOrder(items []jsontext.Value, spec transcript.BallotSpec) jsontext.Value {
	if len(items) != spec.N {
		return nil
	}
	given, ranking := map[string]jsontext.Value{}, map[int]bool{}
	for c, item := range items {
		item = plainPoints(item, spec)
		n, err := wholeNumber(item)
		if err != nil {
			return nil
		}
		if ranking[n] = true; n < 1 || n > spec.N {
			delete(ranking, n)
		}
		given[strconv.Itoa(c+1)] = item
	}
	if len(ranking) == spec.N {
		return nil
	}
	return encoded(given)
}

// plainPoints returns points without their unit: "60%" where all come to 100, "4/5" where 5 is the
// most, "3 points".
func plainPoints(v jsontext.Value, spec transcript.BallotSpec) jsontext.Value {
	if v.Kind() != '"' {
		return v
	}
	words := strings.ToLower(strings.TrimSpace(text(v)))
	most := spec.Max
	if spec.Kind == transcript.Distribute {
		most = spec.Points
	}
	of := strconv.Itoa(most)
	for _, unit := range []string{"points", "point", "pts", "/ " + of, "/" + of, "out of " + of, "%"} {
		if number, is := strings.CutSuffix(words, unit); is && (unit != "%" || most == 100) {
			if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil {
				return jsontext.Value(strconv.Itoa(n))
			}
		}
	}
	return v
}

func orElse(plain, v jsontext.Value) jsontext.Value {
	if plain == nil {
		return v
	}
	return plain
}

func encoded(v any) jsontext.Value {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil // values that were just read
	}
	return data
}
