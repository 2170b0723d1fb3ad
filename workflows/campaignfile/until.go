package campaignfile

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"roundtable/envs"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
	"roundtable/workflows/until"
)

// Until is the key until of a campaign file: when the campaign has answered its question. See
// until.Question for the fields. It is not part of the campaign's identity: it decides which
// cells are run, not their results.
type Until struct {
	Compare   string   `json:"compare"`             // axis of the grid
	Measure   string   `json:"measure"`             // one of until.Measures
	Reference string   `json:"reference,omitempty"` // value or label on the axis that the others are compared with
	Width     *float64 `json:"width,omitempty"`
	Smallest  *float64 `json:"smallest,omitempty"`
	Level     *float64 `json:"level,omitempty"`
	Ahead     *int     `json:"ahead,omitempty"`
	Method    string   `json:"method,omitempty"` // one of until.Methods
	Low       *float64 `json:"low,omitempty"`    // bounds of a score that is an error
	High      *float64 `json:"high,omitempty"`
}

// parseUntil returns the question of a file whose conditions are known; nil if it has none.
func (p *parser) parseUntil(key, n *yaml.Node, u *Until, file File) *until.Question {
	if n == nil || n.Kind != yaml.MappingNode || u == nil {
		return nil
	}
	before := len(p.errs)
	q := until.Question{
		Compare: u.Compare, Measure: u.Measure, Reference: u.Reference, Seed: file.Campaign.Seed,
		Level: until.DefaultLevel, Ahead: until.DefaultAhead,
	}
	p.checkUntil(key, n, u, &q)
	if len(file.Campaign.Conditions) == 0 || len(p.errs) > before {
		return nil
	}
	at := func(key string) *yaml.Node { return cmp.Or(valueOf(n, key), n) }
	if q.Levels = p.levelsOf(at("compare"), file, u.Compare); q.Levels == nil {
		return nil
	}
	var names []string
	for _, l := range q.Levels {
		names = append(names, l.Name)
	}
	if q.Reference != "" && !slices.Contains(names, q.Reference) {
		p.errs.add(at("reference"), "until.reference", "%q is not a value of %s; it has %s%s", q.Reference, u.Compare,
			wording.And(names), wording.DidYouMean(q.Reference, names))
	}
	q.Same = p.sameQuestions(file.Campaign, q)
	p.setMethod(at, u, file, &q)
	if len(p.errs) > before {
		return nil
	}
	if err := q.Check(); err != nil {
		p.errs.add(key, "until", "%v", err)
		return nil
	}
	return &q
}

// sameQuestions returns which instances of the levels ask what one of an earlier environment asks.
func (p *parser) sameQuestions(c plan.Campaign, q until.Question) (same []until.Same) {
	compared, first := map[string]bool{}, map[string]until.Asked{}
	for _, level := range q.Levels {
		for _, m := range level.Members {
			compared[m.Env] = true
		}
	}
	if len(compared) < 2 {
		return nil
	}
	for i, condition := range c.Conditions {
		key, env := condition.EnvKey(), p.envs[plan.Digest(condition.Env)]
		if env == nil || !compared[key] {
			continue
		}
		compared[key] = false // once
		for _, n := range c.InstancesOf(i) {
			instance, err := env.Instance(c.Seed, n)
			known, ok := instance.(envs.Identified)
			if err != nil || !ok {
				break
			}
			asked, hash := until.Asked{Env: key, Instance: n}, known.Identity()
			if as, ok := first[hash]; ok {
				same = append(same, until.Same{Asked: asked, As: as})
			} else {
				first[hash] = asked
			}
		}
	}
	return same
}

// checkUntil reports what of it cannot be, whatever the conditions are, and fills in numbers.
func (p *parser) checkUntil(at, n *yaml.Node, u *Until, q *until.Question) {
	oneOf := func(key, value string, known []string) {
		if v := valueOf(n, key); v != nil && !slices.Contains(known, value) && !p.errs.isKnownAt("until."+key, v.Line) {
			p.errs.add(v, "until."+key, "is %q; expected %s%s", value, wording.Or(known),
				wording.DidYouMean(value, known))
		}
	}
	for _, key := range []string{"compare", "measure"} {
		if valueOf(n, key) == nil {
			p.errs.add(at, "until", "has no %s; write until: {compare: AXIS, measure: score}", key)
		}
	}
	oneOf("measure", u.Measure, until.Measures())
	oneOf("method", u.Method, until.Methods())
	positive := func(key string, v *float64, below float64, into *float64) {
		if v == nil || p.errs.isKnownAt("until."+key, valueOf(n, key).Line) {
			return
		}
		if *into = *v; !(*v > 0 && *v < below) {
			p.errs.add(valueOf(n, key), "until."+key, "is %v; expected a number above 0 and below %v", *v, below)
		}
	}
	positive("width", u.Width, 1e9, &q.Width)
	positive("smallest", u.Smallest, 1e9, &q.Smallest)
	positive("level", u.Level, 1, &q.Level)
	if u.Width != nil && u.Smallest != nil {
		p.errs.add(valueOf(n, "smallest"), "until.smallest", "does not go with width; give one of them")
	}
	if u.Ahead != nil {
		if q.Ahead = *u.Ahead; q.Ahead < 1 || q.Ahead > 1000 {
			p.errs.add(valueOf(n, "ahead"), "until.ahead", "is %d; expected 1 to 1000 instances", q.Ahead)
		}
	}
}

// levelsOf returns the values of an axis with their conditions, baselines and controls left out; nil if
// they cannot be compared.
func (p *parser) levelsOf(n *yaml.Node, file File, key string) []until.Level {
	var levels []until.Level
	var axes []string
	combined := map[string][]string{} // environments and values on the other axes, by level
	for i, values := range file.Values {
		name, rest, found := "", []string(nil), false
		for _, v := range values {
			if axes = append(axes, v.Axis); v.Axis == key {
				name, found = v.String(), true
			} else {
				rest = append(rest, v.Axis+"="+string(v.Value))
			}
		}
		if !found || file.baselines[i] != "" || file.Campaign.Conditions[i].Control != "" {
			continue
		}
		at := slices.IndexFunc(levels, func(l until.Level) bool { return l.Name == name })
		if at < 0 {
			at, levels = len(levels), append(levels, until.Level{Name: name})
		}
		c := file.Campaign.Conditions[i]
		others := strings.Join(rest, " ")
		levels[at].Members = append(levels[at].Members,
			until.Member{Condition: c.ID(), Env: c.EnvKey(), Others: others})
		combined[name] = append(combined[name], plan.Digest(c.Env)+" "+others)
	}
	if len(levels) < 2 {
		axes = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(axes))),
			func(a string) bool { return a == baselineAxis })
		p.errs.add(n, "until.compare", "%q is not an axis of the grid with two values; %s%s", key, axesText(axes),
			wording.DidYouMean(key, axes))
		return nil
	}
	for _, all := range combined {
		slices.Sort(all)
	}
	for _, l := range levels[1:] {
		if first := levels[0].Name; !slices.Equal(combined[first], combined[l.Name]) {
			p.errs.add(n, "until.compare",
				"%s and %s of %s cannot be compared in pairs: they do not have the same environments and the same "+
					"values on the other axes", first, l.Name, key)
			return nil
		}
	}
	return levels
}

func axesText(axes []string) string {
	if len(axes) == 0 {
		return "there is none"
	}
	return "there are " + wording.And(axes)
}

// setMethod finds the bounds of the measure and how intervals are made, and reports goals
// that are out of reach, or reached without any data; at returns a key's value.
func (p *parser) setMethod(at func(key string) *yaml.Node, u *Until, file File, q *until.Question) {
	bounded, high := true, 1.
	kinds := map[envs.Measure]string{}
	for i, c := range file.Campaign.Conditions {
		if env := p.envs[plan.Digest(c.Env)]; env != nil && file.baselines[i] == "" {
			kinds[env.Measure()] = c.Env.Name
		}
		if q.Measure == until.Rounds {
			high = max(high, float64(file.Rounds[i]))
		}
	}
	if q.Measure == until.Score {
		_, errors := kinds[envs.Error]
		if bounded = !errors; errors && len(kinds) > 1 {
			names := slices.Sorted(maps.Values(kinds))
			p.errs.add(at("measure"), "until.measure",
				"score is an error in some environments and a share in others (%s); their mean says nothing",
				wording.And(names))
		}
	}
	if u.Low != nil || u.High != nil {
		bounded = p.setBounds(at, u, bounded, q) || bounded
	} else if bounded {
		q.High = high
	}
	if q.Method = cmp.Or(u.Method, until.Asymptotic); u.Method == "" && bounded {
		q.Method = until.Betting
	}
	if q.Method == until.Betting && !bounded {
		p.errs.add(at("method"), "until.method",
			"betting needs a measure with bounds; score is an error here: leave the key out, or give the least and "+
				"the greatest score that there can be as low and high")
	}
	p.checkGoal(at, q)
	if q.Method == until.Asymptotic {
		q.Low, q.High = 0, 0
	}
}

// setBounds takes the bounds that the file gives; false if it cannot.
func (p *parser) setBounds(at func(key string) *yaml.Node, u *Until, bounded bool, q *until.Question) bool {
	key := "low"
	if u.Low == nil {
		key = "high"
	}
	switch {
	case bounded:
		p.errs.add(at(key), "until."+key,
			"is for a score that is an error; %s has its own bounds here: leave low and high out", q.Measure)
	case u.Method == until.Asymptotic:
		p.errs.add(at(key), "until."+key,
			"does not go with method: asymptotic, which takes any value; leave one of them out")
	case u.Low == nil || u.High == nil:
		p.errs.add(at(key), "until."+key,
			"low and high go together: the least and the greatest score that there can be")
	case !(*u.Low < *u.High) || math.IsInf(*u.High-*u.Low, 0):
		p.errs.add(at("high"), "until.high", "is %v; expected a number above low, which is %v", *u.High, *u.Low)
	default:
		q.Low, q.High = *u.Low, *u.High
		return true
	}
	return false
}

// checkGoal reports widths and smallest differences that every interval has, or none.
func (p *parser) checkGoal(at func(key string) *yaml.Node, q *until.Question) {
	least, most := q.GoalRange()
	if most == 0 {
		return
	}
	from := "above 0"
	if least > 0 {
		from = fmt.Sprintf("at least %v", least)
	}
	within := func(key string, v, below float64) {
		if v > 0 && !(v >= least && v < below) {
			p.errs.add(at(key), "until."+key,
				"is %v; differences of %s are from %v to %v: expected a number that is %s and below %v", v, q.Measure,
				q.Low-q.High, q.High-q.Low, from, below)
		}
	}
	within("width", q.Width, most)
	within("smallest", q.Smallest, most/2)
}

// decodeUntil reads the key until: a reference that is a number is a name all the same.
func (p *parser) decodeUntil(n *yaml.Node) *Until {
	if n == nil || isNull(n) {
		return nil
	}
	u := &Until{}
	copied := *n
	if n.Kind == yaml.MappingNode {
		copied.Content = slices.Clone(n.Content)
		for i := 0; i+1 < len(n.Content); i += 2 {
			if v := n.Content[i+1]; n.Content[i].Value == "reference" && v.Kind == yaml.ScalarNode && !isNull(v) {
				named := *v
				named.Tag, named.Style = "!!str", yaml.DoubleQuotedStyle
				copied.Content[i+1] = &named
			}
		}
	}
	decodeNode(&copied, "until", reflect.ValueOf(u), &p.errs)
	return u
}
