package prompt

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/workflows/transcript"
)

// What models call things in a ballot, in small letters without spaces, _ and -. What could as well
// be the answer to the question, or all there is to choose from, is none of these: "answer",
// "solution", "number", "candidates".
var (
	namesOfBallots = []string{
		"decision", "finaldecision", "vote", "myvote", "finalvote", "ballot", "myballot", "choice", "mychoice",
		"finalchoice",
		"selection", "selected", "pick",
	}
	namesByKind = map[transcript.BallotKind][]string{
		transcript.Choose:     {"candidate", "candidateid", "candidatenumber", "preferred", "winner", "best"},
		transcript.Rank:       {"ranking", "rankings", "ranked", "order", "preferences"},
		transcript.Approve:    {"approval", "approvals", "approved", "approve", "approvedcandidates"},
		transcript.Rate:       {"ratings", "rating", "scores", "score", "points", "grades"},
		transcript.Distribute: {"points", "allocation", "distribution", "scores", "votes"},
	}
	namesOfCandidates = []string{"candidate", "candidateid", "candidatenumber", "id", "option"}
	namesOfPlaces     = []string{"rank", "place", "position", "ranking", "order", "preference"}
	namesOfPoints     = []string{"points", "score", "rating", "value", "votes", "weight", "grade", "allocation"}
	namesOfVerdicts   = []string{
		"approve", "approved", "approval", "vote", "accept", "accepted", "acceptable", "decision", "verdict",
	}
	namesOfReasons = []string{
		"reason", "reasons", "reasoning", "reasonfordecision", "explanation", "rationale", "justification", "analysis",
		"thoughts",
	}
	yes = []string{"true", "yes", "approve", "approved", "accept", "accepted"}
	no  = []string{"false", "no", "reject", "rejected", "disapprove"}
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

// take returns the one member that has one of these names, and removes it; nil if none has or several have.
func take(members map[string]jsontext.Value, names []string) jsontext.Value {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return members[name] == nil })
	if len(names) != 1 {
		return nil
	}
	found := members[names[0]]
	delete(members, names[0])
	return found
}

// areReasons reports whether members only explain the others. Whatever else they say could turn
// those into their opposite.
func areReasons(members map[string]jsontext.Value) bool {
	for name, v := range members {
		if !slices.Contains(namesOfReasons, name) || v.Kind() != '"' && v.Kind() != 'n' {
			return false
		}
	}
	return true
}

// ballotIn returns what an object calls a ballot; nil if it has none, or says anything else.
func ballotIn(object jsontext.Value, kind transcript.BallotKind) jsontext.Value {
	members := membersOf(object)
	for _, name := range namesByKind[transcript.Approve] {
		if v, ok := members[name]; ok && kind == transcript.Approve && isNone(v) {
			return nil // approves none, or casts none
		}
	}
	v := take(members, slices.Concat(namesOfBallots, namesByKind[kind]))
	if c := members["confidence"]; c.Kind() == '0' || c.Kind() == '"' {
		delete(members, "confidence")
	}
	if !areReasons(members) {
		return nil
	}
	return v
}

// standsAlone reports whether an object is all that a text says, or ends it in a fence. Prose may
// hold an object as an example, or take it back.
func standsAlone(text string, cut bool) bool {
	at := beginsObject(text)
	if at < 0 {
		return false
	}
	_, size, _, err := parseObject(text[at:], cut)
	if err != nil {
		return false
	}
	before, after := strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+size:])
	isFenced := strings.HasSuffix(strings.TrimSuffix(before, "json"), "```") && after == "```"
	return isFenced || before == "" && after == ""
}

// plainDecision returns an object with its ballot as the decision, in the shape that is asked for, and
// what was different; the object itself if that cannot be read in one way only.
func plainDecision(object jsontext.Value, alone bool, spec transcript.BallotSpec) (jsontext.Value, []string) {
	var members map[string]jsontext.Value
	if json.Unmarshal(object, &members) != nil {
		return object, nil
	}
	decision, changes := members["decision"], []string(nil)
	if decision == nil && alone {
		if decision = ballotIn(object, spec.Kind); decision != nil {
			changes = []string{"names"}
		} else if decision = pointsAlone(members, spec.Kind); decision != nil {
			changes = []string{"points without an object"}
		}
	}
	if decision == nil {
		return object, nil
	}
	decision, shaped := plainBallot(decision, spec)
	if changes = append(changes, shaped...); len(changes) == 0 {
		return object, nil
	}
	members["decision"] = decision
	return encode(members), changes
}

// pointsAlone returns the points that an object gives with nothing but reasons; nil if it is something else.
func pointsAlone(members map[string]jsontext.Value, kind transcript.BallotKind) jsontext.Value {
	given, others := map[string]jsontext.Value{}, map[string]jsontext.Value{}
	for name, v := range members {
		if oneCandidate.MatchString(strings.TrimSpace(name)) {
			given[name] = v
		} else {
			others[fold(name)] = v
		}
	}
	// {"1": 2} could be a choice.
	if kind != transcript.Rate && kind != transcript.Distribute || len(given) < 2 || !areReasons(others) {
		return nil
	}
	return encode(given)
}

// plainBallot returns a ballot in the shape that is asked for, and what was different, if it has
// another one that can be read in one way only; else it is returned as it is.
func plainBallot(v jsontext.Value, spec transcript.BallotSpec) (ballot jsontext.Value, changes []string) {
	if inner := ballotIn(v, spec.Kind); inner != nil {
		v, changes = inner, []string{"object around it"}
	}
	var items []jsontext.Value
	isList := v.Kind() == '[' && json.Unmarshal(v, &items) == nil && len(items) > 0
	isPoints := spec.Kind == transcript.Rate || spec.Kind == transcript.Distribute
	var plain jsontext.Value
	change := ""
	switch {
	case isList && items[0].Kind() == '{':
		plain, change = fromObjects(items, spec), "list of objects"
	case isList && isPoints:
		plain, change = pointsInOrder(items, spec), "points in a list"
	case isPoints:
		plain, change = withoutUnits(v, spec), "units"
	case spec.Kind == transcript.Approve:
		plain, change = approvedIn(v, spec), "yes and no by candidate"
	}
	if plain == nil {
		return v, changes
	}
	return plain, append(changes, change)
}

// fromObjects reads a list of objects, each of one candidate; nil if it cannot.
func fromObjects(items []jsontext.Value, spec transcript.BallotSpec) jsontext.Value {
	names := map[transcript.BallotKind][]string{
		transcript.Rank: namesOfPlaces, transcript.Approve: namesOfVerdicts,
		transcript.Rate: namesOfPoints, transcript.Distribute: namesOfPoints,
	}[spec.Kind]
	said := map[string]jsontext.Value{} // by candidate
	var listed []string
	for _, item := range items {
		members := membersOf(item)
		n, err := wholeNumber(take(members, namesOfCandidates))
		candidate := strconv.Itoa(n)
		if _, twice := said[candidate]; err != nil || twice {
			return nil
		}
		isBare := len(members) == 0
		said[candidate] = take(members, names)
		if !areReasons(members) || said[candidate] == nil && !isBare {
			return nil // also if reasons stand in the place of the rest: they could say anything
		}
		listed = append(listed, candidate)
	}
	places := map[string]string{}
	for _, candidate := range listed {
		switch v := said[candidate]; {
		case v != nil && spec.Kind == transcript.Rank:
			places[textOf(v)] = candidate
		case v != nil:
			said[candidate] = plainPoints(v, spec)
		case spec.Kind != transcript.Rank:
			return nil
		}
	}
	switch {
	case spec.Kind == transcript.Approve:
		return approvedIn(encode(said), spec)
	case spec.Kind != transcript.Rank:
		return encode(said)
	case len(places) == 0: // ranked in the order of the list
		return encode(listed)
	}
	ranked := make([]string, len(listed))
	for i := range ranked {
		candidate, ok := places[strconv.Itoa(i+1)]
		if !ok { // a place is missing, or given twice, or in words
			return nil
		}
		ranked[i] = candidate
	}
	return encode(ranked)
}

// approvedIn reads {"1": true, "2": "no"} of all candidates; nil if it is something else.
func approvedIn(v jsontext.Value, spec transcript.BallotSpec) jsontext.Value {
	var given map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &given) != nil || len(given) != spec.N {
		return nil
	}
	verdicts := make([]string, spec.N)
	for name, verdict := range given {
		n, err := wholeNumber(encode(name))
		if err != nil || n < 1 || n > spec.N || verdicts[n-1] != "" {
			return nil
		}
		verdicts[n-1] = fold(textOf(verdict))
	}
	approved := []int{}
	for c, verdict := range verdicts {
		switch {
		case slices.Contains(yes, verdict):
			approved = append(approved, c+1)
		case !slices.Contains(no, verdict):
			return nil
		}
	}
	return encode(approved)
}

// pointsInOrder reads a list with the points of every candidate; nil if it could be a ranking, or
// name the candidate of each point.
func pointsInOrder(items []jsontext.Value, spec transcript.BallotSpec) jsontext.Value {
	if len(items) != spec.N {
		return nil
	}
	given, candidates, couldName := map[string]jsontext.Value{}, map[int]bool{}, 0
	for c, item := range items {
		item = plainPoints(item, spec)
		n, err := wholeNumber(item)
		if err != nil {
			return nil
		}
		if n >= 1 && n <= spec.N {
			candidates[n] = true
			couldName++
		}
		given[strconv.Itoa(c+1)] = item
	}
	if len(candidates) == spec.N || couldName == spec.N && spec.Kind == transcript.Distribute {
		return nil
	}
	return encode(given)
}

// withoutUnits returns points by candidate without their units; nil if they have none.
func withoutUnits(v jsontext.Value, spec transcript.BallotSpec) jsontext.Value {
	var given map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &given) != nil {
		return nil
	}
	hasUnits := false
	for name, value := range given {
		given[name] = plainPoints(value, spec)
		hasUnits = hasUnits || string(given[name]) != string(value)
	}
	if !hasUnits {
		return nil
	}
	return encode(given)
}

// plainPoints returns points without their unit: "60%" where all come to 100, "4/5" where 5 is the
// most, "3 points".
func plainPoints(v jsontext.Value, spec transcript.BallotSpec) jsontext.Value {
	if v.Kind() != '"' {
		return v
	}
	words := strings.ToLower(strings.TrimSpace(textOf(v)))
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

// encode returns the JSON of values that were just read.
func encode(v any) jsontext.Value {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil
	}
	return data
}
