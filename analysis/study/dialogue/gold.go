package dialogue

import (
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// passage is two rounds of a collaboration: what the labeller sees in them and, if they were
// drawn, what coders see.
type passage struct {
	cluster, stratum int
	machine          acts.ActsByRound   // nil if the collaboration is not labelled
	gold             []acts.ActsByRound // by coder; nil if it was not drawn
	share            []float64          // that each round counts in this passage
	opens, closes    bool               // it holds the first round, the last
}

// framed is what a condition's succeeded collaborations say, by what can be corrected of it.
type framed struct {
	passages []passage // that could be drawn
	late     []passage // of collaborations that came after the last draw that is coded
	outside  int       // these collaborations
}

// framedOf lays a condition's succeeded collaborations out in what could be drawn of them.
func (l Labels) framedOf(runs []campaign.Run) (f framed) {
	if l.Gold.IsEmpty() {
		return f
	}
	for i, r := range runs {
		run := lake.Run{Collaboration: r.CollaborationID, Generation: int(r.Generation)}
		stratum, ok := l.Gold.Stratum(run)
		to := &f.passages
		if !ok {
			to = &f.late
			f.outside++
		}
		rounds := int(r.RoundsRun)
		for _, p := range gold.Of(run, rounds) {
			first, last := p.Rounds()
			one := passage{cluster: i, stratum: stratum, opens: first == 1, closes: last == rounds}
			for round := first; round <= last; round++ {
				one.share = append(one.share, gold.Share(round, rounds))
			}
			if talk, ok := l.Talks[run]; ok {
				one.machine = talk[first-1 : last]
			}
			for _, coded := range l.Gold.Of(p) {
				one.gold = append(one.gold, CodedActs(coded, first, last, int(r.Agents)))
			}
			*to = append(*to, one)
		}
	}
	return f
}

// CodedActs returns, by round (from first to last) and agent, the acts that a coder gave to messages.
func CodedActs(coded []gold.Coded, first, last, agents int) acts.ActsByRound {
	rounds := make(acts.ActsByRound, last-first+1)
	for i := range rounds {
		rounds[i] = make([]acts.Set, agents)
	}
	for _, c := range coded {
		set, _ := acts.Of(c.Labels...)
		rounds[c.Round-first][c.Agent] |= set
	}
	return rounds
}

// shareUnit returns what a passage has of a share, as mean over the coders.
func (p passage) shareUnit(count func(passage, acts.ActsByRound) [2]float64) gold.ShareUnit {
	u := gold.ShareUnit{Cluster: p.cluster, Stratum: p.stratum}
	if p.machine != nil {
		u.Machine = count(p, p.machine)
	}
	if p.gold != nil {
		u.Gold = new([2]float64)
		for _, rounds := range p.gold {
			of := count(p, rounds)
			u.Gold[0] += of[0] / float64(len(p.gold))
			u.Gold[1] += of[1] / float64(len(p.gold))
		}
	}
	return u
}

// shownBy counts the messages that show an act, and all.
func shownBy(act int) func(passage, acts.ActsByRound) [2]float64 {
	return func(p passage, rounds acts.ActsByRound) (m [2]float64) {
		for i, round := range rounds {
			for _, s := range round {
				if s != 0 {
					m[1] += p.share[i]
				}
				if s.Has(act) {
					m[0] += p.share[i]
				}
			}
		}
		return m
	}
}

// shownIn counts the rounds in which any agent shows an act, and all with a message.
func shownIn(act int) func(passage, acts.ActsByRound) [2]float64 {
	return func(p passage, rounds acts.ActsByRound) (m [2]float64) {
		for i, round := range rounds {
			any := acts.Set(0)
			for _, s := range round {
				any |= s
			}
			if any != 0 {
				m[1] += p.share[i]
			}
			if any.Has(act) {
				m[0] += p.share[i]
			}
		}
		return m
	}
}

// fixed is a share with what the labels alone say of it.
type fixed struct {
	naive *float64
	gold.Estimate
	err error
}

// fixShare corrects a share of units. Those that are late count in what the labels alone say.
func fixShare(units, late []gold.ShareUnit) fixed {
	var f fixed
	var sum [2]float64
	for _, u := range slices.Concat(units, late) {
		sum[0], sum[1] = sum[0]+u.Machine[0], sum[1]+u.Machine[1]
	}
	if sum[1] > 0 {
		f.naive = new(sum[0] / sum[1])
	}
	f.Estimate, f.err = gold.EstimateShare(units)
	return f
}

// fixedCells returns the figure of the labels alone, the corrected one, its interval and that of gold alone.
func (f fixed) fixedCells() []table.Cell {
	cells := []table.Cell{{Value: f.naive, Decimals: 2}, {}, {}, {}, {}}
	if f.err == nil {
		cells[1] = table.Cell{Value: &f.Value, SE: &f.SE, N: f.Drawn, Decimals: 2}
		cells[2], cells[3] = table.Number(f.Low, 2), table.Number(f.High, 2)
		if f.Alone != nil {
			cells[4] = table.Cell{Value: &f.Alone.Value, SE: &f.Alone.SE, N: f.Drawn, Decimals: 2}
		}
	}
	return cells
}

// correct corrects the rows of a condition: shares of messages, and then of groups.
func correct(rows []actRow, f framed, empty Emptied) {
	for i, r := range rows {
		count := shownBy(r.act)
		if r.of == ofGroups {
			count = shownIn(r.act)
		}
		rows[i].fixed = fixShare(unitsOf(f.passages, count), unitsOf(f.late, count))
		empty.Add(rows[i].fixed.err)
	}
}

func unitsOf(passages []passage, count func(passage, acts.ActsByRound) [2]float64) []gold.ShareUnit {
	units := make([]gold.ShareUnit, len(passages))
	for n, p := range passages {
		units[n] = p.shareUnit(count)
	}
	return units
}

// fixedColumns are the columns of what is corrected; none without gold.
func (l Labels) fixedColumns() table.Columns[actRow] {
	if l.Gold.IsEmpty() {
		return table.Join[actRow]()
	}
	var all []table.Columns[actRow]
	for i, header := range []string{"all rounds", "corrected", "95 % from", "to", "gold alone"} {
		all = append(all, table.Column(header, func(r actRow) table.Cell { return r.fixed.fixedCells()[i] }))
	}
	return table.Join(all...)
}

// transitionCounts are how often acts follow on each other in a passage.
type transitionCounts struct {
	count [acts.N + 1][acts.N + 1]float64
	of    [acts.N + 1]float64
}

func (t *transitionCounts) add(g acts.Graph, weight float64) {
	for i := range g.Of {
		t.of[i] += weight * float64(g.Of[i])
		for j, n := range g.Count[i] {
			t.count[i][j] += weight * float64(n)
		}
	}
}

// transitionsOf counts what follows on what in each passage.
func transitionsOf(passages []passage, reading acts.Reading) (machine []transitionCounts, coded []*transitionCounts) {
	machine, coded = make([]transitionCounts, len(passages)), make([]*transitionCounts, len(passages))
	for i, p := range passages {
		if p.machine != nil {
			machine[i].add(acts.Span(p.machine, p.opens, p.closes, reading), 1)
		}
		for _, rounds := range p.gold {
			if coded[i] == nil {
				coded[i] = &transitionCounts{}
			}
			coded[i].add(acts.Span(rounds, p.opens, p.closes, reading), 1/float64(len(p.gold)))
		}
	}
	return machine, coded
}

// correctedRows returns three rows an act: the corrected shares of what follows, and the two ends
// of their intervals. An act of which gold says too little has none.
func correctedRows(v campaign.View, g campaign.Group, passages []passage, reading acts.Reading, from []string,
	empty Emptied) [][]table.Cell {
	machine, coded := transitionsOf(passages, reading)
	var rows [][]table.Cell
	for i, name := range from {
		of, any := [3][]table.Cell{}, false
		for k, what := range []string{"corrected", "95 % from", "95 % to"} {
			of[k] = append(v.Label(g), table.Word(fmt.Sprintf("%s, %s", reading, what)), table.Word(name), table.Cell{})
		}
		for j := range acts.N + 1 {
			units := make([]gold.ShareUnit, len(passages))
			for n, p := range passages {
				units[n] = gold.ShareUnit{Cluster: p.cluster, Stratum: p.stratum,
					Machine: [2]float64{machine[n].count[i][j], machine[n].of[i]}}
				if coded[n] != nil {
					units[n].Gold = &[2]float64{coded[n].count[i][j], coded[n].of[i]}
				}
			}
			var cells [3]table.Cell
			e, err := gold.EstimateShare(units)
			if empty.Add(err); err == nil {
				any = true
				cells = [3]table.Cell{{Value: &e.Value, SE: &e.SE, N: e.Drawn, Decimals: 2}, table.Number(e.Low, 2),
					table.Number(e.High, 2)}
			}
			for k := range of {
				of[k] = append(of[k], cells[k])
			}
		}
		if any {
			rows = append(rows, of[:]...)
		}
	}
	return rows
}

// goldNotes returns notes on the basis of corrected figures: the draws, the coders and how often the labeller
// is right; how many collaborations are outside the draws, and why figures are empty. Without gold there are
// none.
func (l Labels) goldNotes(outside int, empty Emptied) []string {
	if l.Gold == nil {
		return nil
	}
	var notes []string
	if !l.Gold.IsEmpty() {
		notes = append(notes, l.goldNote(),
			"Corrected: labels of all passages, with what gold labels of the drawn ones say of their errors "+
				"(design-based supervised learning in moment form, with the weight of the labels that makes the "+
				"interval shortest); intervals over collaborations, by Student's t, of shares on the logistic scale. "+
				"Empty where gold says too little, so that the interval of a rare act is conditional on its having "+
				"been found often enough, and holds the truth more seldom than in 95 %. The guide on labels explains it.")
		if note := empty.note(); note != "" {
			notes = append(notes, note)
		}
	}
	if outside > 0 {
		notes = append(notes, fmt.Sprintf("%s came after the draw: as labelled counts them, and no corrected figure "+
			"speaks of them; label --gold with a larger number draws from them too.", campaign.Collaborations(outside)))
	}
	if l.Gold.Waiting > 0 {
		notes = append(notes, fmt.Sprintf("%s not coded yet, and left out.", wording.Count(l.Gold.Waiting, "draw")))
	}
	if len(l.Gold.Partial) > 0 {
		notes = append(notes, fmt.Sprintf("Left out: labels by %s, which are stored in part only; the same label "+
			"--gold-from stores the rest.", wording.And(l.Gold.Partial)))
	}
	if len(l.Gold.Foreign) > 0 {
		notes = append(notes, fmt.Sprintf("Left out: labels by %s, which are of other items than the draw that is "+
			"stored; roundtable verify says more.", wording.And(l.Gold.Foreign)))
	}
	if len(l.Gold.Lost) > 0 {
		notes = append(notes, fmt.Sprintf("Left out: labels by %s, of a draw that is missing; roundtable verify says which.", wording.And(l.Gold.Lost)))
	}
	return notes
}

func (l Labels) goldNote() string {
	passages := 0
	for _, d := range l.Gold.Draws {
		passages += len(d.Drawn)
	}
	by := wording.And(l.Gold.Coders())
	if strings.Contains(by, gold.Adjudicated) {
		by += " (" + gold.Adjudicated + " counts)"
	} else if len(l.Gold.Coders()) > 1 {
		by += " (means over them)"
	}
	what := fmt.Sprintf("%s in %s", wording.Count(l.Gold.Items(), "message"), wording.Count(passages, "passage"))
	if l.Gold.Draws[0].Whole {
		what = campaign.Collaborations(l.Gold.Items())
	}
	return fmt.Sprintf("Gold: %s, drawn at random with one probability within each condition and draw (seed %d), "+
		"coded by %s.", what, l.Gold.Draws[0].Seed, by) + l.rightNote()
}
