package environments

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// The protocol, and the variant of it that is called the same; the other variants.
const (
	deliberationProtocol = "deliberation"
	centralized          = "centralized"
	oracle               = "oracle"
)

// Deliberated is the measures of a deliberation, as its last entry holds them (paper 3, B.1).
type Deliberated struct {
	NR       float64  `json:"nr"`
	Valid    bool     `json:"valid"`
	NAR      float64  `json:"nar"`
	NARValue float64  `json:"nar_value"`
	HR       *float64 `json:"hr"`
	NMAE     *float64 `json:"nmae"`
	ToolNR   *float64 `json:"tool_nr"`
	Complied *bool    `json:"complied"`
}

// readDeliberation keeps the measures of a deliberation; there are none if it was stopped.
func readDeliberation(r *campaign.Run, rows record.Rows) error {
	for _, t := range rows.Turns {
		var d Deliberated
		if t.Kind == "env" && t.Phase == "result" && t.Text != nil && json.Unmarshal([]byte(*t.Text), &d) == nil {
			campaign.Keep(&r.Parts, &d)
		}
	}
	return nil
}

func measuresOf(r campaign.Run) *Deliberated { return campaign.Part[*Deliberated](r.Parts) }

// deliberations is a condition in the words of paper 3.
type deliberations struct {
	campaign.Group
	setting string       // menu-numeric, menu-semantic or allocation
	variant string       // deliberation, centralized or oracle
	tools   string       // "" if there are none
	others  []table.Cell // other settings in which conditions differ
	same    string       // the same as text
}

// deliberationsOf returns the conditions of a campaign that deliberate, and what else tells them apart.
func deliberationsOf(c campaign.Campaign) (v campaign.View, all []deliberations, settings []string) {
	v = c.View("")
	v.Groups = slices.DeleteFunc(v.Groups,
		func(g campaign.Group) bool { return g.Settings["protocol"] != deliberationProtocol })
	if len(v.Groups) == 0 {
		return v, nil, nil
	}
	named := []string{"env", "env.observations", "protocol.variant", "protocol.tools"}
	v.Labels = slices.DeleteFunc(v.Varying(), func(key string) bool { return slices.Contains(named, key) })
	for _, g := range v.Groups {
		d := deliberations{Group: g, variant: cmp.Or(g.Settings["protocol.variant"], deliberationProtocol),
			tools: toolNames(g.Settings["protocol.tools"]), setting: g.Settings["env"]}
		if d.setting == "menu" {
			d.setting += "-" + cmp.Or(g.Settings["env.observations"], "numeric")
		}
		d.others = v.Label(g)
		d.same = v.Key(g)
		all = append(all, d)
		if !slices.Contains(settings, d.setting) {
			settings = append(settings, d.setting)
		}
	}
	return v, all, settings
}

// toolNames returns the names in a JSON list of tools.
func toolNames(list string) string {
	var names []string
	if json.Unmarshal([]byte(list), &names) != nil {
		return ""
	}
	return strings.Join(names, ", ")
}

// measuredRuns returns the runs that are averaged and have measures.
func (d deliberations) measuredRuns() []campaign.Run {
	return d.Having(func(r campaign.Run) bool { return measuresOf(r) != nil })
}

// meanOf of a measure; runs of which it is not known are left out and counted.
func (d deliberations) meanOf(measure func(campaign.Run) (float64, bool)) table.Cell {
	return campaign.MeanCell(d.Succeeded(), 2, ifMeasured(measure))
}

// ifMeasured returns a measure that runs without measures do not have.
func ifMeasured(measure func(campaign.Run) (float64, bool)) func(campaign.Run) (float64, bool) {
	return func(r campaign.Run) (float64, bool) {
		if measuresOf(r) == nil {
			return 0, false
		}
		return measure(r)
	}
}

func rewardOf(r campaign.Run) (float64, bool)        { return measuresOf(r).NR, true }
func reachedRewardOf(r campaign.Run) (float64, bool) { return measuresOf(r).NAR, true }
func narValue(r campaign.Run) (float64, bool)        { return measuresOf(r).NARValue, true }
func validityOf(r campaign.Run) (float64, bool)      { return table.HundredIf(measuresOf(r).Valid), true }
func hitRateOf(r campaign.Run) (float64, bool)       { return table.ValueOrNone(measuresOf(r).HR) }
func errorOf(r campaign.Run) (float64, bool)         { return table.ValueOrNone(measuresOf(r).NMAE) }
func toolNR(r campaign.Run) (float64, bool)          { return table.ValueOrNone(measuresOf(r).ToolNR) }

func compliedOf(r campaign.Run) (float64, bool) {
	c := measuresOf(r).Complied
	return table.HundredIf(c != nil && *c), c != nil
}

// headColumns name a condition, its setting apart.
func headColumns(v campaign.View) table.Columns[deliberations] {
	return table.Join(
		table.Column("variant", func(d deliberations) table.Cell { return table.Word(d.variant) }),
		table.Columns[deliberations]{Headers: v.Names(), Cells: func(d deliberations) []table.Cell { return d.others }},
		table.Column("tools", func(d deliberations) table.Cell { return table.Word(cmp.Or(d.tools, "–")) }))
}

func settingColumn() table.Columns[deliberations] {
	return table.Column("setting", func(d deliberations) table.Cell { return table.Word(d.setting) })
}

func meanColumn(header string, measure func(campaign.Run) (float64, bool)) table.Columns[deliberations] {
	return table.Column(header, func(d deliberations) table.Cell { return d.meanOf(measure) })
}

// Deliberations returns Tables 2 and 5 of paper 3: rewards and validity by setting.
func Deliberations(c campaign.Campaign) (table.Table, bool) {
	v, all, settings := deliberationsOf(c)
	t := table.Table{Title: "Normalized reward and validity of deliberation"}
	type row = []deliberations // that differ in their setting only
	columns := []table.Columns[row]{table.Of(headColumns(v), func(r row) deliberations { return r[0] })}
	for _, s := range settings {
		rewards := table.Join(meanColumn(s+" NR", rewardOf), meanColumn(s+" VR %", validityOf),
			meanColumn(s+" NAR", reachedRewardOf), meanColumn(s+" NAR by value", narValue))
		columns = append(columns, table.First(rewards, func(d deliberations) bool { return d.setting == s }))
	}
	table.Fill(&t, table.Gather(all, func(d deliberations) string { return d.variant + "\x00" + d.tools + "\x00" + d.same }), columns...)
	t.Notes = []string{
		"NR: 100 × reward over the greatest reward, 0 without a feasible decision; VR: feasible decisions. NAR " +
			"counts what can be kept of an infeasible decision, its parts in their own order or the most valuable " +
			"first. Mean (standard error " + v.UnitsNote() + "). " + v.CellsNote(),
	}
	addTaskNotes(v, &t)
	return t, len(all) > 0
}

// oraclesTable returns Table 3: what full observations bring over one agent, and over agents that must exchange them.
func oraclesTable(c campaign.Campaign) (table.Table, bool) {
	v, all, _ := deliberationsOf(c)
	t := table.Table{Title: "What the oracle brings"}
	over := func(header, variant string, m func(campaign.Run) (float64, bool)) table.Columns[deliberations] {
		return table.Column(header, func(d deliberations) table.Cell { return differenceFrom(d, twinOf(all, d, variant), m) })
	}
	oracles := slices.DeleteFunc(slices.Clone(all), func(d deliberations) bool { return d.variant != oracle })
	table.Fill(&t, oracles, headColumns(v), settingColumn(),
		meanColumn("NR", rewardOf), over("over centralized", centralized, rewardOf),
		over("over deliberation", deliberationProtocol, rewardOf),
		meanColumn("VR %", validityOf), over("VR over centralized", centralized, validityOf),
		over("VR over deliberation", deliberationProtocol, validityOf))
	addTaskNotes(v, &t)
	return t, len(t.Rows) > 0
}

// twinOf returns the condition that differs in its variant only; nil if there is none.
func twinOf(all []deliberations, d deliberations, variant string) *deliberations {
	i := slices.IndexFunc(all, func(o deliberations) bool {
		return o.variant == variant && o.setting == d.setting && o.tools == d.tools && o.same == d.same
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

func differenceFrom(d deliberations, from *deliberations, m func(campaign.Run) (float64, bool)) table.Cell {
	if from == nil {
		return table.Cell{}
	}
	a, b := d.meanOf(m), from.meanOf(m)
	if a.Value == nil || b.Value == nil {
		return table.Cell{}
	}
	return table.Number(*a.Value-*b.Value, 2)
}

// addTaskNotes notes. The environment is in the names of the settings, so it is not called the same in all rows.
func addTaskNotes(v campaign.View, t *table.Table) {
	v.Labels = append(slices.Clip(v.Labels), "env")
	v.AddNotes(t)
}
