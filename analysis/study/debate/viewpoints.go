package debate

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// viewpointCurve is one line of paper 4's Figure 9: debates of one question
// ("" for all together) in one order of adding agents, by the number of agents.
type viewpointCurve struct {
	question string
	sizes    []debateGroup // ascending
	turn     *Turn         // nil if it never turns, or has no first side
}

// viewpointCurves are by question, all together first if there are several.
func (v debateView) viewpointCurves() []viewpointCurve {
	var curves []viewpointCurve
	questions := v.poolQuestions()
	if len(questions) > 1 {
		questions = append([]string{""}, questions...)
	}
	for _, q := range questions {
		for _, sizes := range table.Gather(v.all, debateGroup.butForSize) {
			curve := viewpointCurve{question: q}
			for _, d := range sizes {
				if d = d.runsAbout(q); len(d.Succeeded()) > 0 {
					curve.sizes = append(curve.sizes, d)
				}
			}
			if len(curve.sizes) > 0 {
				slices.SortStableFunc(curve.sizes, func(a, b debateGroup) int { return cmp.Compare(a.size, b.size) })
				curve.turn = turningOf(curve.sizes)
				curves = append(curves, curve)
			}
		}
	}
	return curves
}

// contextNumber ends the name of an instance that is one context of a question.
var contextNumber = regexp.MustCompile(`-c\d+$`)

func (v debateView) poolQuestions() []string {
	var all []string
	for _, d := range v.all {
		for _, r := range d.Runs {
			if q := contextNumber.ReplaceAllString(r.InstanceID, ""); q != "" && !slices.Contains(all, q) {
				all = append(all, q)
			}
		}
	}
	return all
}

// runsAbout keeps the runs of one question; "" keeps all.
func (d debateGroup) runsAbout(question string) debateGroup {
	d.Runs = slices.DeleteFunc(slices.Clone(d.Runs), func(r campaign.Run) bool {
		return question != "" && contextNumber.ReplaceAllString(r.InstanceID, "") != question
	})
	return d
}

func (c viewpointCurve) name(v debateView) string {
	d := c.sizes[0]
	name := d.called
	if len(v.tasks) > 1 {
		name = d.task + ", " + name
	}
	for _, o := range d.named {
		if o != "" {
			name += ", " + o
		}
	}
	return name
}

// Viewpoints returns Tables 6 to 11 of paper 4: for each question the share of
// debates won by the right side, by the number of agents and the order in which
// sides were added, and below that the number that turns the outcome.
func Viewpoints(c campaign.Campaign) (table.Table, bool) {
	v := debatesOf(c, debateGroup.isFixed)
	t := table.Table{Title: "Debate of fixed viewpoints: share of right outcomes by number of agents"}
	t.Columns = []string{"question", "agents"}
	var sizes []int
	byQuestion := map[string]map[string]viewpointCurve{} // by question, then column
	var questions []string
	for _, curve := range v.viewpointCurves() {
		if byQuestion[curve.question] == nil {
			byQuestion[curve.question] = map[string]viewpointCurve{}
			questions = append(questions, curve.question)
		}
		name := curve.name(v)
		byQuestion[curve.question][name] = curve
		if !slices.Contains(t.Columns, name) {
			t.Columns = append(t.Columns, name)
		}
		for _, d := range curve.sizes {
			sizes = append(sizes, d.size)
		}
	}
	slices.Sort(sizes)
	for _, q := range questions {
		t.Rows = append(t.Rows, viewpointRows(cmp.Or(q, "all"), byQuestion[q], t.Columns[2:],
			slices.Compact(slices.Clone(sizes)))...)
	}
	t.Notes = []string{
		"Share of debates whose final answer is right: mean over contexts of the mean over their debates (standard " +
			"error over contexts).",
		"Reversed at: the first number of agents above one full side at which the outcome has come to the other side " +
			"of 1/2; with the 95 % interval of 1,000 resamples of contexts. Resamples that never turn count as one " +
			"agent more than were run.",
	}
	v.AddNotes(&t)
	return t, len(v.all) > 0
}

// viewpointRows are one question's: a row for each size, and where its curves turn.
func viewpointRows(question string, curves map[string]viewpointCurve, columns []string, sizes []int) [][]table.Cell {
	var rows [][]table.Cell
	add := func(name string, cell func(viewpointCurve) table.Cell) {
		row := []table.Cell{table.Word(question), table.Word(name)}
		for _, column := range columns {
			curve, ok := curves[column]
			if !ok {
				row = append(row, table.Cell{})
				continue
			}
			row = append(row, cell(curve))
		}
		rows = append(rows, row)
	}
	for _, n := range sizes {
		add(strconv.Itoa(n), func(c viewpointCurve) table.Cell {
			i := slices.IndexFunc(c.sizes, func(d debateGroup) bool { return d.size == n })
			if i < 0 {
				return table.Cell{}
			}
			var s table.Sample
			for _, percent := range c.sizes[i].accuraciesByQuestion().Values() {
				s.Add(percent/100, true)
			}
			return s.Mean(2)
		})
	}
	turn := func(at func(Turn) int) func(viewpointCurve) table.Cell {
		return func(c viewpointCurve) table.Cell {
			if c.turn == nil || at(*c.turn) == 0 {
				return table.Cell{}
			}
			return table.Count(at(*c.turn))
		}
	}
	add("reversed at", func(c viewpointCurve) table.Cell {
		if c.turn == nil && hasSide(c.sizes[0]) {
			return table.Word("never")
		}
		return turn(func(t Turn) int { return t.At })(c)
	})
	add("… low", turn(func(t Turn) int { return t.Low }))
	add("… high", turn(func(t Turn) int { return t.High }))
	return rows
}
