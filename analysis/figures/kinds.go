package figures

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/environments"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

// measure returns what tables have of a collaboration after a round.
type measure = func(r campaign.Run, round int) (float64, bool)

// kind is how a figure is made.
type kind struct {
	title       string
	environment string // "" for any, each in panels of its own
	compares    string // the setting that tells the lines of a panel apart
	y           string
	bars        bool
	at          measure
	root        bool    // the root of the mean is drawn
	second      measure // drawn dashed with a line; nil for none
	levels      func(campaign.Campaign) []Level
	note        string // "" says what score is
}

var kinds = map[string]kind{
	"utility-by-rule": {"Group total utility by round, by decision rule (Figure 3)", campaign.Exchange, "rule",
		percentY, true, environments.TotalUtility, false, nil, greatestLevel, utilityNote},
	"rating-errors": {"Mean absolute error by round, by decision rule (Figure 4)", campaign.Recsys, "rule",
		"MAE, stars", true, environments.AbsoluteError, false, nil, maeLevels, errorNote},
	"message-length": {"Length of messages by round (Figure 5)", "", "rule", "words per message", false,
		dialogue.MessageLength, false, nil, nil,
		"Mean over collaborations of a collaboration's mean over its agents' messages in the round; words are what " +
			"spaces separate, if it holds a letter or a digit."},
	distance: {"Information distance by round (Figure 5)", "", "rule", "information distance", false,
		dialogue.InformationDistance, false, nil, nil,
		"Mean over collaborations of a collaboration's mean over its agents' messages in the round: 1 - cosine with " +
			"the mean of the round before."},
	"utility-by-model": {"Group total utility by round, by model (Figure 20)", campaign.Exchange, "model",
		percentY, true, environments.TotalUtility, false, nil, greatestLevel, utilityNote},
	"squared-rating-errors": {"Root mean squared error by round, by decision rule (Figure 21)", campaign.Recsys, "rule",
		"RMSE, stars", true, environments.SquaredError, true, nil, rmseLevels, errorNote},
	"rounds": {"Score of the decision that stands, by round", "", "rule", scoreY, true,
		campaign.Run.OutcomeAt, false, decidedOutcome, nil, ""},
}

// decidedOnly ends the name of a line over collaborations with a decision alone.
const decidedOnly = ", decided only"

// distance is the figure that needs messages to be measured.
const distance = "information-distance"

// NeedsLanguage reports whether a figure draws measures that dialogue.WithLanguage adds to a
// campaign. name is no alias.
func NeedsLanguage(name string) bool { return name == distance }

const (
	percentY    = "total utility, % of Umax"
	scoreY      = "score"
	utilityNote = "Utility is a share of the greatest possible total utility, 0 before the first decision."
	errorNote   = "Over collaborations with a decision by that round; the others are not counted as wrong. Baselines " +
		"on the same items: " + environments.BaselineNote
)

// drawFigure returns the campaign's, or the error that says why there is none.
func (k kind) drawFigure(c campaign.Campaign) (Figure, error) {
	f := Figure{Title: k.title}
	of := []string{k.environment}
	if k.environment == "" {
		of = environmentNames(c)
	}
	for _, environment := range of {
		f.Panels = append(f.Panels, k.makePanels(c, environment, len(of) > 1)...)
	}
	if len(f.Panels) == 0 && k.environment != "" {
		return f, fmt.Errorf("this figure needs the environment %s; no collaboration of it that succeeded in "+
			"campaign %s gives it anything to draw", k.environment, c.Name)
	}
	if len(f.Panels) == 0 {
		return f, fmt.Errorf("campaign %s has nothing yet that this figure could show", c.Name)
	}
	note := k.note
	if note == "" {
		note = c.ScoreNote()
	}
	notes := []string{note, "Intervals: 95 %, Student's t over instances, or over replicates where there is one " +
		"instance; none where there are fewer than two."}
	if k.bars {
		notes = append(notes, "Bars: share of collaborations in which no decision stands after the round.")
	}
	f.addRemarks(c.Remarks(k.environment), notes...)
	return f, nil
}

// axisTitle returns what the vertical axis is called, which says how far the measure
// can go.
func (k kind) axisTitle(r campaign.Run) string {
	switch {
	case k.y != scoreY:
		return k.y
	case r.Measure == record.Share:
		return scoreY + ", " + fromZeroToOne
	}
	return scoreY + ", " + zeroOrLess
}

// addRemarks takes notes, and the remarks of every table about what is shown: what is simulated comes first.
func (f *Figure) addRemarks(remarks []string, notes ...string) {
	if len(remarks) > 0 && strings.HasPrefix(remarks[0], table.Simulated) {
		f.simulated = remarks[0]
	}
	first := min(1, len(remarks))
	f.Notes = slices.Concat(remarks[:first], notes, remarks[first:])
}

// environmentNames of the environments, in the order of the conditions.
func environmentNames(c campaign.Campaign) []string {
	var all []string
	conditions, _ := c.Conditions("")
	for _, condition := range conditions {
		if name := condition.Settings["env"]; !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// makePanels have one line for each value of the setting that is compared, and one
// panel for each combination of the others.
func (k kind) makePanels(c campaign.Campaign, environment string, named bool) []Panel {
	conditions, varying := c.Conditions(environment)
	apart := slices.DeleteFunc(slices.Clone(varying), func(key string) bool { return key == k.compares })
	if len(apart) == len(varying) && len(varying) == 1 { // what is compared does not vary: compare what does
		apart = nil
	}
	var panels []Panel
	byTitle := map[string]int{}
	for _, condition := range conditions {
		line := k.lineOf(condition, varying, apart)
		if len(line.Points) == 0 {
			continue
		}
		title := strings.Join(describeSettings(condition, apart), ", ")
		if named {
			title = strings.TrimSuffix(environment+": "+title, ": ")
		}
		i, ok := byTitle[title]
		if !ok {
			i = len(panels)
			byTitle[title] = i
			panels = append(panels, Panel{Title: title, Y: k.axisTitle(condition.Runs[0]), Bars: k.bars})
			if k.levels != nil {
				panels[i].Levels = k.levels(c)
			}
		}
		panels[i].Lines = append(panels[i].Lines, line)
		if decided, ok := k.decidedLine(condition.Runs, line); ok {
			panels[i].Lines = append(panels[i].Lines, decided)
		}
	}
	return panels
}

// lineOf of a condition: named by what it is compared in.
func (k kind) lineOf(c campaign.Condition, varying, apart []string) Line {
	line := Line{Name: c.Shown(k.compares)}
	if len(varying) == 1 && len(apart) == 0 {
		line.Name = describeSettings(c, varying)[0]
		if varying[0] == k.compares {
			line.Name = c.Shown(k.compares)
		}
	}
	line.Name = wording.SafeLine(line.Name)
	if line.Name == "" {
		line.Name = "–"
	}
	for n := 1; n <= plannedRounds(c.Runs); n++ {
		e, ok := estimateOf(campaign.MeanOver(c.Runs, campaign.AtRound(k.at, n)))
		e.root = k.root
		if !ok && !k.bars {
			continue
		}
		line.Points = append(line.Points, e.pointAt(n))
		if k.bars {
			line.Pending = append(line.Pending, pendingAt(c.Runs, n))
		}
	}
	return line
}

// decidedLine returns the line over collaborations with a decision alone, if it
// differs from that of all; the others count as 0 in the latter if the score is
// a share.
func (k kind) decidedLine(runs []campaign.Run, all Line) (Line, bool) {
	if k.second == nil {
		return Line{}, false
	}
	line := Line{Name: all.Name + decidedOnly, Beside: all.Name}
	differs := false
	for _, point := range all.Points {
		e, _ := estimateOf(campaign.MeanOver(runs, campaign.AtRound(k.second, point.Round)))
		decided := e.pointAt(point.Round)
		differs = differs || point.Value != nil && (decided.Value == nil || *decided.Value != *point.Value)
		line.Points = append(line.Points, decided)
	}
	return line, differs
}

func describeSettings(c campaign.Condition, keys []string) []string {
	var parts []string
	names, texts := c.Named(keys)
	for i, name := range names {
		parts = append(parts, name+" "+cmp.Or(wording.SafeLine(texts[i]), "–"))
	}
	return parts
}

// plannedRounds returns the most rounds that are planned.
func plannedRounds(runs []campaign.Run) int {
	most := 0
	for _, r := range runs {
		most = max(most, int(r.RoundsPlanned))
	}
	return most
}

func pendingAt(runs []campaign.Run, round int) Pending {
	percent, n, _ := campaign.NotYetAgreed(runs, round)
	return Pending{Round: round, Percent: percent, N: n}
}
