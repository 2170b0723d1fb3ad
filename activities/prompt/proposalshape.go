package prompt

import (
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

// What models call a proposal, its numbers, its sums and nobody, in small letters without spaces, _ and -.
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
)

// parseProposalText reads a proposal in the form that is asked for, or in one that has no other meaning.
func parseProposalText(text string, cut bool, step transcript.Step, inst envs.Instance) (Answer, error) {
	reshape := func(object jsontext.Value, _ transcript.Step) (jsontext.Value, []string) {
		return plainProposal(object, standsAlone(text, cut), inst)
	}
	return inObject(withExplanation(parseProposal), reshape)(text, cut, step, inst)
}

// plainProposal returns an object with its proposal in the environment's form, and what was
// different; the object itself if the environment reads it as it is, or nothing in another form.
func plainProposal(object jsontext.Value, alone bool, inst envs.Instance) (jsontext.Value, []string) {
	var members map[string]jsontext.Value
	described, ok := inst.(envs.Described)
	if !ok || json.Unmarshal(object, &members) != nil {
		return object, nil
	}
	f := newReshaper(described.ProposalForm().Schema)
	given, named := members["proposal"]
	if !named && alone {
		if given = proposalIn(object, f.proposals); given != nil {
			named = true
		} else if given = withoutReasons(object); given == nil || string(given) == "{}" {
			return object, nil // nobody proposes by saying nothing
		}
	}
	if given == nil || isNone(given) {
		return object, nil
	}
	was := members["proposal"]
	plain := given
	if _, err := inst.Parse(given); err != nil {
		if plain, ok = f.conform(given, described.ProposalForm().Schema, ""); !ok {
			return object, nil
		}
		if _, err = inst.Parse(plain); err != nil && was == nil {
			return object, nil // the error is that there is no proposal
		}
	}
	switch {
	case was == nil && named:
		f.noteChange("names")
	case was == nil:
		f.noteChange("proposal without an object")
	case len(f.changes) == 0:
		return object, nil
	}
	members["proposal"] = plain
	slices.Sort(f.changes)
	return encode(members), f.changes
}

// proposalIn returns what an object calls a proposal by one of these names; nil if it has none,
// or says anything else.
func proposalIn(object jsontext.Value, names []string) jsontext.Value {
	members := membersOf(object)
	v := take(members, names)
	delete(members, "explanation")
	if !areReasons(members) {
		return nil
	}
	return v
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

// reshaper brings values into the form of a schema. It fills nothing in and leaves nothing out.
type reshaper struct {
	changes            []string
	proposals, numbers []string // what these are called where proposals have this schema
	totals             bool     // what is divided has to be, in all
}

// newReshaper is for proposals of a schema. Contributions are what agents give: a proposal only where
// each agent has a number, not where each is told what it gets.
func newReshaper(s jsonschema.Schema) reshaper {
	f := reshaper{proposals: namesOfProposals, numbers: namesOfNumbers}
	if len(s.Properties) == 0 {
		return f
	}
	each := s.Properties[0].Schema
	f.totals = each.Type == "object"
	if len(s.Properties) > 1 && each.Type == "number" {
		f.proposals = slices.Concat(f.proposals, []string{"contributions"})
		f.numbers = slices.Concat(f.numbers, []string{"contribution"})
	}
	return f
}

func (f *reshaper) noteChange(change string) {
	if !slices.Contains(f.changes, change) {
		f.changes = append(f.changes, change)
	}
}

// conform returns a value in the form of a schema; name is what it is of. It is not ok if it can
// be read in no way, or in several.
func (f *reshaper) conform(v jsontext.Value, s jsonschema.Schema, name string) (jsontext.Value, bool) {
	if len(s.AnyOf) == 2 { // or null
		if words := fold(textOf(v)); v.Kind() == 'n' || v.Kind() == '"' && slices.Contains(nobody, words) {
			return jsontext.Value("null"), true
		}
		s = s.AnyOf[0]
	}
	switch {
	case s.Type == "object":
		return f.conformObject(v, s, name)
	case s.Type == "array":
		return f.conformArray(v, s)
	case s.Type == "number" || s.Type == "integer":
		return f.conformNumber(v, s, name)
	case s.Enum == nil:
		return v, v.Kind() == '"'
	}
	if inner := onlyMember(v, namesOfThings); inner != nil {
		v = inner
		f.noteChange("object around it")
	}
	i := f.findName(namesIn(s), textOf(v))
	return encode(s.Enum[max(i, 0)]), i >= 0 && v.Kind() == '"'
}

func namesIn(s jsonschema.Schema) (names []string) {
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	for _, one := range s.Enum {
		name, _ := one.(string)
		names = append(names, name)
	}
	return names
}

// findName returns which of the names one is, in any case and with or without spaces; -1 if none or several.
func (f *reshaper) findName(names []string, given string) int {
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

func (f *reshaper) conformObject(v jsontext.Value, s jsonschema.Schema, name string) (jsontext.Value, bool) {
	names, around := namesIn(s), f.proposals
	if name != "" { // what an agent offers is not what it gets
		around = namesOfShares
	}
	var given map[string]jsontext.Value
	switch {
	case v.Kind() == '[':
		if given = f.fromList(v, names); given == nil {
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
			if inner := onlyMember(v, around); inner != nil && (inner.Kind() == '{' || inner.Kind() == '[') {
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

// fromList reads a list of pairs, or of objects that each name one of the names in one member, whose
// key says no more than that: a giver is not who receives; nil if it cannot.
func (f *reshaper) fromList(v jsontext.Value, names []string) map[string]jsontext.Value {
	var items []jsontext.Value
	if json.Unmarshal(v, &items) != nil {
		return nil
	}
	given := map[string]jsontext.Value{}
	add := func(i int, value jsontext.Value, change string) bool {
		if i < 0 || given[names[i]] != nil || value == nil {
			return false
		}
		given[names[i]] = value
		f.noteChange(change)
		return true
	}
	for _, item := range items {
		var pair []jsontext.Value
		if json.Unmarshal(item, &pair) == nil && len(pair) == 2 {
			if pair[0].Kind() != '"' || !add(f.findName(names, textOf(pair[0])), pair[1], "list of pairs") {
				return nil
			}
			continue
		}
		var members map[string]jsontext.Value
		if json.Unmarshal(withoutReasons(item), &members) != nil || len(members) < 2 {
			return nil
		}
		key, named := "", -1
		for member, value := range members {
			if i := f.findName(names, textOf(value)); value.Kind() == '"' && i >= 0 {
				if named >= 0 || !slices.Contains(namesOfOwners, fold(member)) {
					return nil
				}
				key, named = member, i
			}
		}
		delete(members, key)
		rest := encode(members)
		if inner := onlyMember(rest, slices.Concat(namesOfThings, namesOfShares, f.numbers)); inner != nil {
			rest = inner
		}
		if !add(named, rest, "list of objects") {
			return nil
		}
	}
	return given
}

// addsUp reports whether sums are those of what was read, in all or by name.
func (f *reshaper) addsUp(parts map[string]jsontext.Value, sums jsontext.Value, s jsonschema.Schema) bool {
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
	} else if plain, ok := f.conform(sums, s.Properties[0].Schema, s.Properties[0].Name); !ok || json.Unmarshal(plain, &want) != nil {
		return false
	}
	for name, sum := range of {
		if math.Abs(sum-want[name]) > 1e-9*max(1, math.Abs(sum)) {
			return false
		}
	}
	return len(of) > 0
}

func (f *reshaper) conformArray(v jsontext.Value, s jsonschema.Schema) (jsontext.Value, bool) {
	items := []jsontext.Value{}
	isChoice := s.Items.Enum != nil
	if inner := onlyMember(v, f.proposals); inner != nil {
		f.noteChange("object around it")
		v = inner
	}
	switch {
	case v.Kind() == '[':
		if json.Unmarshal(v, &items) != nil {
			return nil, false
		}
	case v.Kind() == '{' && isChoice:
		items = f.readChoices(v, namesIn(*s.Items))
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

// readChoices reads {"A": true, "B": "no"} of all names; nil if it is something else.
func (f *reshaper) readChoices(v jsontext.Value, names []string) (items []jsontext.Value) {
	var given map[string]jsontext.Value
	if json.Unmarshal(v, &given) != nil || len(given) != len(names) {
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

// readAxes reads {"x": 1, "y": 2}; nil if it is something else.
func (f *reshaper) readAxes(v jsontext.Value, n int) (items []jsontext.Value) {
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
var amount = regexp.MustCompile(`^\s*([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s*(?:(?:/|out of)\s*(\d+)\b\s*)?(\pL[\pL ]*)?\.?\s*$`)

func (f *reshaper) conformNumber(v jsontext.Value, s jsonschema.Schema, name string) (jsontext.Value, bool) {
	if inner := onlyMember(v, f.numbers); inner != nil {
		f.noteChange("object around it")
		v = inner
	}
	if v.Kind() == '0' {
		return v, true
	}
	m := amount.FindStringSubmatch(strings.ReplaceAll(textOf(v), "\u2212", "-"))
	if v.Kind() != '"' || m == nil {
		return nil, false
	}
	unit := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(m[3]), "units of "), "of ")
	units := []string{"", "unit", "star", "point", "coin", "token", strings.TrimSuffix(strings.ToLower(name), "s")}
	// 3/10 is a share where there can be less than one.
	isOf := m[2] == "" || s.Minimum != nil && *s.Minimum >= 1 && m[2] == strconv.FormatFloat(*s.Maximum, 'f', -1, 64)
	if !slices.Contains(units, strings.TrimSuffix(strings.TrimSpace(unit), "s")) || !isOf ||
		eitherComma.MatchString(m[1]) && !f.totals {
		return nil, false
	}
	f.noteChange("number in words")
	return jsontext.Value(strings.TrimPrefix(strings.ReplaceAll(m[1], ",", ""), "+")), true
}
