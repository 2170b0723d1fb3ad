package prompt

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"roundtable/envs"
	"roundtable/envs/jsonschema"
	"roundtable/workflows/transcript"
)

// What models call proposals, ballots and what is in them, in small letters without spaces, _ and -.
// What could as well be the answer to the question, or all there is to choose from, is no name of a
// ballot: "answer", "solution", "number", "candidates".
var (
	namesOfProposals = []string{
		"proposal", "myproposal", "newproposal", "finalproposal", "counterproposal", "offer", "myoffer", "allocation",
		"finalallocation", "distribution", "division", "assignment", "assignments", "menu", "dishes",
		"position", "rating", "decision",
	}
	namesOfNumbers = []string{"value", "amount", "quantity", "number", "rating"}
	namesOfThings  = []string{"agent", "name", "assignee", "assignedto", "person", "dish", "item"}
	namesOfOwners  = slices.Concat(namesOfThings, []string{"agentname", "id", "agentid", "recipient", "player", "task",
		"taskname", "good", "goodname", "resource", "product"})
	namesOfShares = []string{"goods", "items", "allocation", "amounts", "share", "bundle", "gets", "receives"}
	namesOfSums   = []string{"total", "totals", "sum", "sums"}
	nobody        = []string{"none", "nobody", "noone", "unassigned"}

	namesOfBallots = []string{
		"decision", "finaldecision", "vote", "myvote", "finalvote", "ballot", "myballot", "choice", "mychoice",
		"finalchoice", "selection", "selected", "pick",
	}
	namesByKind = map[transcript.BallotKind][]string{
		transcript.Choose:     {"candidate", "candidateid", "candidatenumber", "preferred", "winner", "best"},
		transcript.Rank:       {"ranking", "rankings", "ranked", "order", "preferences"},
		transcript.Approve:    {"approval", "approvals", "approved", "approve", "approvedcandidates"},
		transcript.Rate:       {"ratings", "rating", "scores", "score", "points", "grades"},
		transcript.Distribute: {"points", "allocation", "distribution", "scores", "votes"},
	}
	namesOfCandidates = []string{"candidate", "candidateid", "candidatenumber", "id", "option"}
	namesOfPoints     = []string{"points", "score", "rating", "value", "votes", "weight", "grade", "allocation"}
	// partsByKind are what a list of candidates says of each.
	partsByKind = map[transcript.BallotKind][]string{
		transcript.Rank: {"rank", "place", "position", "ranking", "order", "preference"},
		transcript.Approve: {"approve", "approved", "approval", "vote", "accept", "accepted", "acceptable", "decision",
			"verdict"},
		transcript.Rate:       namesOfPoints,
		transcript.Distribute: namesOfPoints,
	}

	namesOfReasons = []string{
		"reason", "reasons", "reasoning", "reasonfordecision", "explanation", "rationale", "justification", "analysis",
		"thoughts",
	}
	yes = []string{"true", "yes", "approve", "approved", "accept", "accepted"}
	no  = []string{"false", "no", "reject", "rejected", "disapprove"}
)

// shaper brings what answers say in other words or another shape into the form of a schema, where it
// has one meaning only. It fills nothing in and leaves nothing out.
type shaper struct {
	member  string // of the object that is asked for
	schema  jsonschema.Schema
	accepts func(jsontext.Value) error // as it is
	ballot  transcript.BallotKind      // "" of a proposal
	changes []string

	answers  []string // what the member is called
	abstains []string // of these, what none can be said of
	beside   []string // what may stand next to it
	owners   []string // in a list, which says of whom a value is
	things   []string // what may be around a name,
	values   []string // a value of an owner
	numbers  []string // or a number
	totals   bool     // what is divided has to be, in all
}

// newProposalShaper has nil for an environment that does not describe its proposals. Contributions are
// what agents give: a proposal only where each agent has a number, not where each is told what it gets.
func newProposalShaper(inst envs.Instance) *shaper {
	described, ok := inst.(envs.Described)
	if !ok {
		return nil
	}
	f := &shaper{
		member: "proposal", schema: described.ProposalForm().Schema, answers: namesOfProposals,
		accepts: func(v jsontext.Value) error { _, err := inst.Parse(v); return err },
		owners:  namesOfOwners, things: namesOfThings, numbers: namesOfNumbers,
	}
	if all := f.schema.Properties; len(all) > 0 {
		f.totals = all[0].Schema.Type == "object"
		if len(all) > 1 && all[0].Schema.Type == "number" {
			f.answers = append(slices.Clone(f.answers), "contributions")
			f.numbers = append(slices.Clone(f.numbers), "contribution")
		}
	}
	f.values = slices.Concat(namesOfThings, namesOfShares, f.numbers)
	return f
}

func newBallotShaper(step transcript.Step) *shaper {
	spec := step.Payload.Ballot
	f := &shaper{
		member: "decision", schema: ballotField(step).schema, ballot: spec.Kind,
		accepts: func(v jsontext.Value) error { _, err := ballotOf(v, spec); return err },
		answers: slices.Concat(namesOfBallots, namesByKind[spec.Kind]), beside: []string{"confidence"},
		owners: namesOfCandidates, values: partsByKind[spec.Kind], numbers: namesOfPoints,
	}
	f.abstains = f.answers
	if spec.Kind == transcript.Approve { // to approve none is no abstention
		f.abstains = namesOfBallots
	}
	return f
}

// shape returns an object with its member in the form that is asked for, and what was different; the
// object itself if it is read as it is, or cannot be read in one way only. One that does not stand
// alone has to name its member as asked: prose may hold an object as an example, or take it back.
func (f *shaper) shape(object jsontext.Value, alone bool) (jsontext.Value, []string) {
	var members map[string]jsontext.Value
	if json.Unmarshal(object, &members) != nil {
		return object, nil
	}
	given, isNamed := members[f.member], true
	if given == nil && alone {
		if given = f.unwrap(object); given != nil {
			f.noteChange("names")
		} else if given, isNamed = withoutReasons(object), false; f.ballot != "" && len(membersOf(given)) < 2 {
			return object, nil // {"1": 2} could be a choice
		}
	}
	if given == nil || string(given) == "{}" && !isNamed { // nobody proposes by saying nothing
		return object, nil
	}
	if !isNone(given) && f.accepts(given) != nil {
		var own []string // is what is asked for
		for _, name := range namesIn(f.schema) {
			own = append(own, fold(name))
		}
		if inner := f.unwrap(given); inner != nil && isNamed && onlyMember(given, own) == nil {
			f.noteChange("object around it")
			given = inner
		}
	}
	if !isNone(given) && f.accepts(given) != nil {
		plain, ok := f.conform(given, f.schema, "")
		switch {
		case !isNamed && (!ok || f.accepts(plain) != nil):
			return object, nil // the error is that it is not there
		case ok:
			given = plain
		}
	}
	if !isNamed {
		f.noteChange(f.member + " without an object")
	}
	if len(f.changes) == 0 {
		return object, nil
	}
	members[f.member] = given
	slices.Sort(f.changes)
	return encode(members), f.changes
}

// unwrap returns the one member of an object that has a name of what is asked for; nil if it has
// none, or says anything else.
func (f *shaper) unwrap(v jsontext.Value) jsontext.Value {
	members := membersOf(v)
	for _, name := range f.beside {
		if v := members[name]; v.Kind() == '0' || v.Kind() == '"' {
			delete(members, name)
		}
	}
	inner := onlyMember(encode(members), f.answers)
	if inner != nil && isNone(inner) && onlyMember(encode(members), f.abstains) == nil {
		return nil
	}
	return inner
}

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

// withoutReasons returns an object without what only explains the rest.
func withoutReasons(object jsontext.Value) jsontext.Value {
	var members map[string]jsontext.Value
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	for name, v := range members {
		if areReasons(map[string]jsontext.Value{fold(name): v}) {
			delete(members, name)
		}
	}
	return encode(members)
}

// onlyMember returns the one member of an object beside reasons, if it has one of these names; nil if not.
func onlyMember(v jsontext.Value, names []string) jsontext.Value {
	members := membersOf(withoutReasons(v))
	for name, inner := range members {
		if len(members) == 1 && slices.Contains(names, name) {
			return inner
		}
	}
	return nil
}

func (f *shaper) noteChange(change string) {
	if !slices.Contains(f.changes, change) {
		f.changes = append(f.changes, change)
	}
}

// conform returns a value in the form of a schema; name is what it is of. It is not ok if it can
// be read in no way, or in several.
func (f *shaper) conform(v jsontext.Value, s jsonschema.Schema, name string) (jsontext.Value, bool) {
	types, isNullable := s.Type.([]string)
	if isNullable || len(s.AnyOf) == 2 {
		if v.Kind() == 'n' || v.Kind() == '"' && slices.Contains(nobody, fold(textOf(v))) {
			return jsontext.Value("null"), true
		}
	}
	if isNullable {
		s.Type = types[0]
	} else if len(s.AnyOf) == 2 {
		s = s.AnyOf[0]
	}
	switch {
	case s.Enum != nil:
		if inner := onlyMember(v, f.things); inner != nil {
			v = inner
			f.noteChange("object around it")
		}
		i := f.findName(namesIn(s), textOf(v))
		return encode(s.Enum[max(i, 0)]), i >= 0 && (v.Kind() == '"' || v.Kind() == '0')
	case s.Type == "object":
		return f.conformObject(v, s, name)
	case s.Type == "array":
		return f.conformArray(v, s)
	case s.Type == "number" || s.Type == "integer":
		return f.conformNumber(v, s, name)
	}
	return v, v.Kind() == '"'
}

func namesIn(s jsonschema.Schema) (names []string) {
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	for _, one := range s.Enum {
		names = append(names, fmt.Sprint(one))
	}
	return names
}

// findName returns which of the names one is, in any case and with or without spaces; -1 if none or several.
func (f *shaper) findName(names []string, given string) int {
	if n, err := wholeNumber(encode(given)); err == nil && f.ballot != "" { // "Solution 2"
		given = strconv.Itoa(n)
	}
	if i := slices.Index(names, given); i >= 0 {
		return i
	}
	found := -1
	for i, name := range names {
		switch {
		case loosenName(name) != loosenName(given):
		case found >= 0:
			return -1
		default:
			found = i
		}
	}
	if found >= 0 {
		f.noteChange("names")
	}
	return found
}

// loosenName returns a name in small letters without spaces and _; a minus before it may take it away.
func loosenName(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "").Replace(name))
}

func (f *shaper) conformObject(v jsontext.Value, s jsonschema.Schema, name string) (jsontext.Value, bool) {
	names := namesIn(s)
	var given map[string]jsontext.Value
	switch {
	case v.Kind() == '[':
		if given, _ = f.readList(v, names); given == nil {
			if given = f.pointsInOrder(v, s); given == nil {
				return nil, false
			}
		}
	case v.Kind() == '"' && len(names) > 1 && name != "":
		if given = readAmounts(textOf(v), names); given == nil {
			return nil, false
		}
	case v.Kind() != '{' && len(names) == 1:
		f.noteChange("value without an object")
		given = map[string]jsontext.Value{names[0]: v}
	case v.Kind() != '{' || json.Unmarshal(v, &given) != nil:
		return nil, false
	}
	out := map[string]jsontext.Value{}
	var sums jsontext.Value
	for member, value := range given {
		i := f.findName(names, member)
		switch {
		case i >= 0 && out[names[i]] == nil:
			plain, ok := f.conform(value, s.Properties[i].Schema, names[i])
			if !ok {
				return nil, false
			}
			out[names[i]] = plain
		case i >= 0:
			return nil, false // in two spellings
		case slices.Contains(namesOfSums, fold(member)) && sums == nil:
			sums = value
		case !areReasons(map[string]jsontext.Value{fold(member): value}):
			inner := onlyMember(v, namesOfShares)
			if name != "" && (inner.Kind() == '{' || inner.Kind() == '[') {
				f.noteChange("object around it")
				return f.conformObject(inner, s, name)
			}
			return nil, false
		}
	}
	if sums != nil {
		f.noteChange("sums")
		if !f.addsUp(out, sums, s) {
			return nil, false
		}
	}
	return encode(out), len(out) > 0
}

// readList reads a list of pairs, or of objects that each name one of the names in one member, whose
// key says no more than that: a giver is not who receives. It also says in which order they come.
// Nothing is given for a name that stands alone; it is nil if it cannot be read.
func (f *shaper) readList(v jsontext.Value, names []string) (given map[string]jsontext.Value, order []int) {
	var items []jsontext.Value
	if json.Unmarshal(v, &items) != nil {
		return nil, nil
	}
	given = map[string]jsontext.Value{}
	for _, item := range items {
		var pair []jsontext.Value
		var members map[string]jsontext.Value
		named, change := -1, "list of objects"
		var rest jsontext.Value
		switch {
		case json.Unmarshal(item, &pair) == nil && len(pair) == 2 && pair[0].Kind() == '"' && f.ballot == "":
			named, rest, change = f.findName(names, textOf(pair[0])), pair[1], "list of pairs"
		case json.Unmarshal(item, &members) == nil:
			named, rest = f.readOwned(members, names)
		}
		if named < 0 || slices.Contains(order, named) || rest == nil && f.ballot != transcript.Rank {
			return nil, nil
		}
		given[names[named]] = rest
		order = append(order, named)
		f.noteChange(change)
	}
	return given, order
}

// readOwned returns which of the names an object is of, and what it says of it; -1 if it cannot be told.
func (f *shaper) readOwned(members map[string]jsontext.Value, names []string) (named int, rest jsontext.Value) {
	key, named := "", -1
	for member, value := range members {
		isOwner := slices.Contains(f.owners, fold(member))
		if i := f.findName(names, textOf(value)); i >= 0 && (isOwner || value.Kind() == '"' && f.ballot == "") {
			if named >= 0 || !isOwner {
				return -1, nil
			}
			key, named = member, i
		}
	}
	isAlone := len(members) == 1
	delete(members, key)
	rest = withoutReasons(encode(members))
	switch inner := onlyMember(rest, f.values); {
	case isAlone:
		return named, nil
	case inner != nil:
		return named, inner
	case f.ballot != "" || string(rest) == "{}": // reasons alone could say anything
		return -1, nil
	}
	return named, rest
}

// addsUp reports whether sums are those of what was read, in all or by name.
func (f *shaper) addsUp(parts map[string]jsontext.Value, sums jsontext.Value, s jsonschema.Schema) bool {
	of := map[string]float64{}
	for _, part := range parts {
		var amount float64
		var amounts map[string]float64
		switch {
		case json.Unmarshal(part, &amount) == nil:
			of[""] += amount
		case json.Unmarshal(part, &amounts) == nil:
			for name, amount := range amounts {
				of[name] += amount
			}
		default:
			return false
		}
	}
	want := map[string]float64{}
	if len(of) == 1 {
		if plain, ok := f.conformNumber(sums, jsonschema.AnyNumber(), ""); ok {
			for name := range of {
				want[name], _ = strconv.ParseFloat(string(plain), 64)
			}
		}
	} else {
		plain, ok := f.conform(sums, s.Properties[0].Schema, s.Properties[0].Name)
		if !ok || json.Unmarshal(plain, &want) != nil {
			return false
		}
	}
	for name, sum := range of {
		if math.Abs(sum-want[name]) > 1e-9*max(1, math.Abs(sum)) {
			return false
		}
	}
	return len(of) > 0
}

func (f *shaper) conformArray(v jsontext.Value, s jsonschema.Schema) (jsontext.Value, bool) {
	var items []jsontext.Value
	isChoice := s.Items.Enum != nil
	switch {
	case v.Kind() == '[':
		if items = f.candidatesIn(v, namesIn(*s.Items)); items == nil && json.Unmarshal(v, &items) != nil {
			return nil, false
		}
	case v.Kind() == '{' && isChoice:
		var given map[string]jsontext.Value
		if json.Unmarshal(v, &given) == nil {
			items = f.readChoices(given, namesIn(*s.Items))
		}
	case v.Kind() == '{':
		items = f.readAxes(v, *s.MinItems)
	case !isChoice && *s.MinItems == 1:
		items = []jsontext.Value{v}
	case v.Kind() == '"' && isChoice:
		f.noteChange("list in words")
		for name := range strings.SplitSeq(textOf(v), ",") {
			items = append(items, encode(strings.TrimSpace(name)))
		}
	}
	if items == nil || len(items) < *s.MinItems {
		return nil, false
	}
	for i, item := range items {
		plain, ok := f.conform(item, *s.Items, "")
		if !ok {
			return nil, false
		}
		items[i] = plain
	}
	return encode(items), true
}

// candidatesIn returns the candidates of a list of objects that says their places, or who of them is
// approved; nil if it does not.
func (f *shaper) candidatesIn(v jsontext.Value, names []string) (items []jsontext.Value) {
	if f.ballot == "" {
		return nil
	}
	given, order := f.readList(v, names)
	switch {
	case given == nil:
		return nil
	case f.ballot == transcript.Approve:
		return f.readChoices(given, names)
	}
	places := map[string]int{}
	for _, i := range order {
		if place := given[names[i]]; place != nil {
			places[textOf(place)] = i
		}
	}
	for n, i := range order {
		if len(places) > 0 {
			var ok bool
			if i, ok = places[strconv.Itoa(n+1)]; !ok { // missing, given twice, or in words
				return nil
			}
		}
		items = append(items, encode(names[i]))
	}
	return items
}

// readChoices reads {"A": true, "B": "no"} of all names; nil if it is something else.
func (f *shaper) readChoices(given map[string]jsontext.Value, names []string) (items []jsontext.Value) {
	if len(given) != len(names) {
		return nil
	}
	f.noteChange("yes and no by name")
	verdicts := make([]string, len(names))
	for name, verdict := range given {
		i := f.findName(names, name)
		if i < 0 || verdicts[i] != "" {
			return nil
		}
		verdicts[i] = fold(textOf(verdict))
	}
	items = []jsontext.Value{}
	for i, verdict := range verdicts {
		switch {
		case slices.Contains(yes, verdict):
			items = append(items, encode(names[i]))
		case !slices.Contains(no, verdict):
			return nil
		}
	}
	return items
}

// pointsInOrder reads a list with the points of every candidate; nil if it could be a ranking, or
// name the candidate of each point.
func (f *shaper) pointsInOrder(v jsontext.Value, s jsonschema.Schema) map[string]jsontext.Value {
	var items []jsontext.Value
	n := len(s.Properties)
	if f.ballot == "" || json.Unmarshal(v, &items) != nil || len(items) != n {
		return nil
	}
	f.noteChange("points in a list")
	given, candidates, couldName := map[string]jsontext.Value{}, map[int]bool{}, 0
	for c, item := range items {
		plain, _ := f.conform(item, s.Properties[c].Schema, "")
		points, err := wholeNumber(plain)
		if err != nil {
			return nil
		}
		if points >= 1 && points <= n {
			candidates[points] = true
			couldName++
		}
		given[s.Properties[c].Name] = plain
	}
	if len(candidates) == n || couldName == n && f.ballot == transcript.Distribute {
		return nil
	}
	return given
}

// readAxes reads {"x": 1, "y": 2}; nil if it is something else.
func (f *shaper) readAxes(v jsontext.Value, n int) (items []jsontext.Value) {
	members := membersOf(withoutReasons(v))
	if len(members) != n || n > 3 {
		return nil
	}
	f.noteChange("axes")
	for _, axis := range []string{"x", "y", "z"}[:n] {
		if members[axis] == nil {
			return nil
		}
		items = append(items, members[axis])
	}
	return items
}

// eitherComma may be of thousands or of decimals: 1,250.
var eitherComma = regexp.MustCompile(`^[+-]?\d{1,3},\d{3}$`)

// amount is a number in words, with its unit; commas are those of thousands.
var amount = regexp.MustCompile(`^\s*([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s*` +
	`(?:(?:/|out of)\s*(\d+)\b\s*)?(%|\pL[\pL ]*)?\.?\s*$`)

var plainDigits = strings.NewReplacer("\u2212", "-", "０", "0", "１", "1", "２", "2", "３", "3", "４", "4",
	"５", "5", "６", "6", "７", "7", "８", "8", "９", "9", "．", ".")

func (f *shaper) conformNumber(v jsontext.Value, s jsonschema.Schema, name string) (jsontext.Value, bool) {
	if inner := onlyMember(v, f.numbers); inner != nil {
		f.noteChange("object around it")
		v = inner
	}
	if v.Kind() == '0' {
		return v, true
	}
	m := amount.FindStringSubmatch(plainDigits.Replace(textOf(v)))
	if v.Kind() != '"' || m == nil {
		return nil, false
	}
	unit := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(m[3]), "units of "), "of ")
	units := []string{"", "unit", "star", "point", "coin", "token", "pt",
		strings.TrimSuffix(strings.ToLower(name), "s")}
	most, isWhole := "", s.Type == "integer"
	if s.Maximum != nil {
		most = strconv.FormatFloat(*s.Maximum, 'f', -1, 64)
	}
	if isWhole && most == "100" {
		units = append(units, "%")
	}
	// 3/10 is a share where there can be less than one.
	isOf := m[2] == "" || s.Minimum != nil && (*s.Minimum >= 1 || isWhole) && m[2] == most
	if !slices.Contains(units, strings.TrimSuffix(strings.TrimSpace(unit), "s")) || !isOf ||
		eitherComma.MatchString(m[1]) && !f.totals {
		return nil, false
	}
	f.noteChange("number in words")
	return jsontext.Value(strings.TrimPrefix(strings.ReplaceAll(m[1], ",", ""), "+")), true
}

// encode returns the JSON of values that were just read.
func encode(v any) jsontext.Value {
	data, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil
	}
	return data
}
