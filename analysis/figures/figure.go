// Package figures makes the papers' figures from the rows of a campaign: first
// the numbers that are drawn, then the drawing on a sheet of a given width,
// with its title, its caption and what is simulated, as SVG, PNG or PDF. Every point has
// its n and a 95 % interval where one is defined; the same rows give the same
// bytes; and a figure that rests on scripted agents says so in the picture.
package figures

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"

	"roundtable/analysis/campaign"
	"roundtable/analysis/study/debate"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/study/entry"
)

// Figure is one figure: its data, and how to draw it.
type Figure struct {
	Name   string   `json:"name"` // as analyze --figure takes it
	Title  string   `json:"title"`
	Panels []Panel  `json:"panels"`
	Notes  []string `json:"notes,omitempty"`

	simulated string // what the picture itself says of scripted agents
	reading   string // what is drawn, said under it; "" for means by round
	columns   int    // of panels; 0 for two
	embedder  string // and of who embedded; "" if the figure shows nothing of that
	unit      string // what a point's n counts; "" is collaborations
	apart     bool   // panels of different measures have different scales
	print     vg.Length
}

// TooLarge is the error of a figure that has more than a picture can show readably, or nothing.
type TooLarge struct{ Figure, Has, Readable string }

// Error returns the message for the command line.
func (e TooLarge) Error() string {
	return fmt.Sprintf("figure %s has %s; %s can be read in a picture (--json has the numbers)", e.Figure,
		e.Has, e.Readable)
}

// ForReaders returns the message for readers of a page.
func (e TooLarge) ForReaders() string {
	return fmt.Sprintf("not drawn, because it has %s; %s can be read in a picture", e.Has, e.Readable)
}

// Fit returns the figure laid out for print at this width; 0 lays it out for a screen.
func (f Figure) Fit(width vg.Length) Figure {
	f.print = width
	return f
}

// Panel is one pair of axes. Above are lines over rounds, below them, if Bars,
// the share of collaborations without a decision so far.
type Panel struct {
	Title  string   `json:"title,omitempty"`  // the settings that all its lines share
	X      string   `json:"x,omitempty"`      // title of the X axis; empty for rounds
	Groups []string `json:"groups,omitempty"` // names on the X axis of bars
	Plane  bool     `json:"plane,omitempty"`  // both axes have the same unit and scale
	Amount bool     `json:"amount,omitempty"` // X is an amount, not a number of rounds or agents
	Forest bool     `json:"forest,omitempty"` // one row a group; Y is drawn horizontally
	Y      string   `json:"y"`
	Lines  []Line   `json:"lines"`
	Levels []Level  `json:"levels,omitempty"` // horizontal
	Bars   bool     `json:"bars"`
}

// Line is the data of one condition in a panel.
type Line struct {
	Name    string    `json:"name"`
	Beside  string    `json:"beside,omitempty"` // name of the line in whose colour it is drawn, dashed
	Points  []Point   `json:"points"`
	Pending []Pending `json:"not_yet_agreed,omitempty"`
	Track   []Spot    `json:"track,omitempty"`  // solid: a path, or a fitted curve
	Dashes  []Spot    `json:"dashes,omitempty"` // dashed: where the path was planned to go
	Dots    []Spot    `json:"dots,omitempty"`   // single observations, or planned positions
	// Turn is where the outcome of debates turns, with its interval.
	Turn *debate.Turn `json:"reversed,omitempty"`

	beside float64 // by how much its points are moved, so that no line hides another; 0 for a little
}

// Spot is a point of a panel, in the units of its axes.
type Spot struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Point is a condition's value in a round, with a number of agents, or in a group of its panel.
// Value is nil if no collaboration has one; Low and High are nil if fewer than two have.
type Point struct {
	Round  int      `json:"round,omitempty"`
	Agents int      `json:"agents,omitempty"`
	Group  string   `json:"group,omitempty"`
	X      float64  `json:"x,omitempty"` // an amount, where the panel is over one
	Value  *float64 `json:"value"`
	Low    *float64 `json:"low"`  // of the 95 % interval; or one standard deviation below the value
	High   *float64 `json:"high"` // likewise
	N      int      `json:"n"`    // observations: instances, replicates, or questions or contexts of debates
	// Replicates are what the standard deviation is over; 0 for intervals.
	Replicates int `json:"replicates,omitempty"`
	// Values are drawn as dots next to a mark of their mean, in place of a bar.
	Values []float64 `json:"values,omitempty"`
}

// horizontalPlace returns where a point is on the horizontal axis, moved by a little unless that is an amount.
func (p Point) horizontalPlace(moved float64) float64 {
	if p.X != 0 {
		return p.X
	}
	return float64(p.Round+p.Agents) + moved
}

// Pending is the share of collaborations without a decision up to and including a round.
type Pending struct {
	Round   int     `json:"round"`
	Percent float64 `json:"percent"`
	N       int     `json:"n"` // of all
}

// Level is a horizontal line: the greatest possible value, or a baseline.
type Level struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Make returns the figure whose name or alias is written; the error says why there is none.
func Make(c campaign.Campaign, written string) (Figure, error) {
	found, err := entry.Find("figure", Figures(), written)
	if err != nil {
		return Figure{}, err
	}
	name := found.Name
	if slices.Contains(TransitionNames(), name) {
		return Figure{}, fmt.Errorf("figure %s shows %s, see MakeGraphs", name, found.Needs)
	}
	make, ok := ofAny[name]
	for _, more := range []map[string]func(campaign.Campaign) (Figure, error){ofStates, ofDebates} {
		if !ok {
			make, ok = more[name]
		}
	}
	if d, discusses := ofDiscussions[name]; discusses {
		make = d.drawFigure
	} else if !ok {
		make = kinds[name].drawFigure
	}
	f, err := make(c)
	f.Name, f.unit = name, cmp.Or(f.unit, c.CountedUnits())
	if l := dialogue.LanguageMeasure(c); NeedsLanguage(name) && l != nil {
		f.Notes, f.embedder = append(f.Notes, l.Note()), l.Embedder
	}
	return f, err
}

// All returns the figures that a campaign has data for. That of rounds is left out if there is a
// more specific one.
func All(c campaign.Campaign) []Figure {
	var all []Figure
	special := false // there is one about what the groups decide
	for _, name := range Names() {
		if name == "rounds" && special || name == "utility-by-model" && !isCompared(c, "model") ||
			name == "viewpoint-pool" && !debate.AnswersAlone(c) || name == "front" && !c.IsControlled() {
			continue
		}
		if f, err := Make(c, name); err == nil && (name != "conditions" || f.Compares()) {
			all = append(all, f)
			special = special || ofStates[name] != nil || ofDebates[name] != nil || ofDiscussions[name].lines != nil ||
				kinds[name].environment != ""
		}
	}
	return all
}

func isCompared(c campaign.Campaign, setting string) bool {
	_, varying := c.Conditions(campaign.Exchange)
	return slices.Contains(varying, setting)
}
