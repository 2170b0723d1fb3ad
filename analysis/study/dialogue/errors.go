package dialogue

import (
	"errors"
	"fmt"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// judgement is what a coder and the labeller say of one message.
type judgement struct {
	gold, machine acts.Set
	weight        float64 // one over the number of coders; half of it in each of two passages
	counts        bool    // it is the first of its message
}

// judged is the messages of a passage that have both; none if it was not drawn.
type judged struct {
	condition        string
	cluster, stratum int
	drawn            bool
	messages         []judgement
}

// judge compares gold with the labeller's labels, message by message.
func (l Labels) judge(runs []campaign.Run, sets map[lake.Run]map[int]acts.Set) []judged {
	var all []judged
	type message struct {
		lake.Run
		entry int
	}
	seen := map[message]bool{}
	for i, r := range runs {
		run := lake.Run{Collaboration: r.CollaborationID, Generation: int(r.Generation)}
		stratum, ok := l.Gold.Stratum(run)
		if !ok || r.Status != record.Succeeded {
			continue
		}
		for _, p := range gold.Of(run, int(r.RoundsRun)) {
			coders := l.Gold.Of(p)
			one := judged{condition: r.ConditionID, cluster: i, stratum: stratum, drawn: coders != nil}
			for _, coded := range coders {
				for _, c := range coded {
					if machine, ok := sets[run][c.Entry]; ok {
						set, _ := acts.Of(c.Labels...)
						weight := gold.Share(c.Round, int(r.RoundsRun)) / float64(len(coders))
						one.messages = append(one.messages,
							judgement{set, machine, weight, !seen[message{run, c.Entry}]})
						seen[message{run, c.Entry}] = true
					}
				}
			}
			all = append(all, one)
		}
	}
	return all
}

// shareOf estimates a share of judgements by gold alone; count says what of a judgement is in the
// numerator and in the denominator.
func shareOf(all []judged, count func(judgement) [2]float64) fixed {
	units := make([]gold.ShareUnit, len(all))
	for i, p := range all {
		units[i] = gold.ShareUnit{Cluster: p.cluster, Stratum: p.stratum}
		if !p.drawn {
			continue
		}
		units[i].Gold = new([2]float64)
		for _, m := range p.messages {
			of := count(m)
			units[i].Gold[0] += m.weight * of[0]
			units[i].Gold[1] += m.weight * of[1]
		}
	}
	f := fixShare(units, nil)
	f.naive = nil
	return f
}

// rightShare is the share of all acts of all messages that the labeller is right about.
func rightShare(all []judged) fixed {
	return shareOf(all, func(m judgement) (of [2]float64) {
		for act := range acts.N {
			of[1]++
			if m.gold.Has(act) == m.machine.Has(act) {
				of[0]++
			}
		}
		return of
	})
}

// agreeingShare is the share of messages whose act the labeller is right about, of those that by gold
// show it, or do not.
func agreeingShare(all []judged, act int, shown bool) fixed {
	return shareOf(all, func(m judgement) (of [2]float64) {
		if m.gold.Has(act) == shown {
			of[1] = 1
			if m.machine.Has(act) == shown {
				of[0] = 1
			}
		}
		return of
	})
}

// LabelErrors returns how often the labeller is right, judged by gold labels: for each act, and over all acts
// for each condition, because errors that differ between conditions would look like effects.
func LabelErrors(c campaign.Campaign, l Labels) (table.Table, error) {
	if l.Gold.IsEmpty() {
		return table.Table{}, fmt.Errorf("no message of campaign %s is coded by hand; roundtable label %s --gold 200 draws some", c.Name, c.Name)
	}
	t := table.Table{
		Title: "Labels against gold: what the labeller finds and what it makes up",
		Columns: []string{"condition", "act", "found", "95 % from", "to", "left out rightly", "95 % from", "to",
			"kappa", "messages with it", "messages"},
	}
	empty := Emptied{}
	for act, name := range record.Acts {
		row := []table.Cell{table.Word("all"), table.Word(name)}
		row = append(row, agreeingShare(l.judged, act, true).intervalCells(empty)...)
		row = append(row, agreeingShare(l.judged, act, false).intervalCells(empty)...)
		t.Rows = append(t.Rows, append(row, kappaOf(l.judged, act)...))
	}
	v := c.View("")
	outside := 0
	for _, g := range v.Groups {
		outside += l.framedOf(g.Succeeded()).outside
		var own []judged
		for _, j := range l.judged {
			if j.condition == g.ID {
				own = append(own, j)
			}
		}
		row := append([]table.Cell{table.Word(g.ID), table.Word("all acts: right")},
			rightShare(own).intervalCells(empty)...)
		t.Rows = append(t.Rows, append(row, table.Cell{}, table.Cell{}, table.Cell{}, table.Cell{}, table.Cell{},
			table.Count(messagesIn(own))))
	}
	t.Notes = append(l.Remarks(0), l.goldNotes(outside, empty)...)
	t.Notes = append(t.Notes,
		"found: of the messages that show the act by gold, the share that the labeller gives it to (standard error "+
			"over collaborations); left out rightly: of those that do not show it, the share that it does not give "+
			"it to. Weighted by the probability of being drawn; n: drawn passages. kappa: Cohen's, of the labeller "+
			"and the first coder, unweighted. Without an interval where gold shows the act, or an error, too seldom for one.")
	v.AddNotes(&t)
	return t, nil
}

// intervalCells returns a share by gold and its interval; the share alone if there is no interval.
func (f fixed) intervalCells(empty Emptied) []table.Cell {
	empty.Add(f.err)
	if errors.Is(f.err, gold.ErrFewShown) {
		return []table.Cell{{Value: &f.Value, Decimals: 2}, {}, {}}
	}
	return f.fixedCells()[1:4]
}

func messagesIn(all []judged) int {
	n := 0
	for _, p := range all {
		for _, m := range p.messages {
			if m.counts {
				n++
			}
		}
	}
	return n
}

// kappaOf one act, with the number of messages that show it by the first coder, and of all.
func kappaOf(all []judged, act int) []table.Cell {
	var machine, coded []bool
	shown := 0
	for _, p := range all {
		for _, m := range p.messages {
			if !m.counts {
				continue
			}
			machine, coded = append(machine, m.machine.Has(act)), append(coded, m.gold.Has(act))
			if m.gold.Has(act) {
				shown++
			}
		}
	}
	return []table.Cell{{Value: acts.Kappa(machine, coded), Decimals: 2}, table.Count(shown), table.Count(len(coded))}
}

// rightNote says how often the labeller is right.
func (l Labels) rightNote() string {
	const more = "; the table label-errors has more."
	if len(l.judged) == 0 {
		return ""
	}
	switch f := rightShare(l.judged); {
	case f.err == nil:
		return fmt.Sprintf(" The labeller is right about %.1f %% of all acts of messages (95 %%: %.1f to %.1f)%s",
			100*f.Value, 100*f.Low, 100*f.High, more)
	case errors.Is(f.err, gold.ErrFewShown):
		return " The labeller is right about almost all acts of messages, or about almost none" + more
	default:
		return fmt.Sprintf(" How often the labeller is right cannot be said: %v%s", f.err, more)
	}
}
