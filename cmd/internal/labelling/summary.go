package labelling

import (
	"context"
	"fmt"
	"slices"

	"roundtable/analysis/acts"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// stored is what --gold-from says at its end.
type stored struct {
	Campaign  string      `json:"campaign"`
	CodeBook  string      `json:"code_book"`
	Draw      int         `json:"draw"`
	Coder     string      `json:"coder"`
	Items     int         `json:"items"`
	Coders    []string    `json:"coders"` // of the draw
	Agreement []agreement `json:"agreement,omitempty"`
}

// agreement is how far the coders of a draw agree on one label, before they adjudicated.
type agreement struct {
	Label string   `json:"label"`
	Kappa *float64 `json:"kappa"` // Cohen's, of two coders
	Alpha *float64 `json:"alpha"` // Krippendorff's, nominal
	Shown float64  `json:"shown"` // share of the items that a coder gave it to
}

func (o HandCoding) reportStored(ctx context.Context, s store.Store, d gold.Draw, book campaign.Book) error {
	sample, err := gold.Load(ctx, s, d.Campaign, d.CodeBook)
	if err != nil {
		return err
	}
	r := stored{Campaign: d.Campaign, CodeBook: d.CodeBook, Draw: d.Number, Coder: o.Coder, Items: d.Items()}
	if d.Number <= len(sample.Codings) {
		c := sample.Codings[d.Number-1]
		r.Coders, r.Agreement = c.Coders, agreementOf(c, d, book)
	}
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), r)
	}
	w := o.Stdout()
	fmt.Fprintf(w, "%s: %s coded by hand by %s (draw %d, code book %s)\n", r.Campaign, wording.Count(r.Items, "item"),
		r.Coder, r.Draw, r.CodeBook)
	for _, a := range r.Agreement {
		fmt.Fprintf(w, "  %-32s kappa %s, alpha %s, given to %.0f %%\n", a.Label, showNumber(a.Kappa),
			showNumber(a.Alpha), 100*a.Shown)
	}
	if len(r.Coders) > 1 && !slices.Contains(r.Coders, gold.Adjudicated) {
		fmt.Fprintf(w, "Figures are means over %s; labels by the coder %s, whom they agree on, would stand for all.\n",
			wording.And(r.Coders), gold.Adjudicated)
	}
	if book.IsActs() {
		fmt.Fprintf(w, "Next:    roundtable analyze %s --table dialogue-acts\n", r.Campaign)
	}
	return nil
}

func showNumber(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f", *v)
}

// agreementOf compares the coders of a draw, without what they adjudicated.
func agreementOf(c gold.Coding, d gold.Draw, book campaign.Book) []agreement {
	var each []map[lake.Run][]gold.Coded
	for i, coder := range c.Coders {
		if coder != gold.Adjudicated {
			each = append(each, c.Each[i])
		}
	}
	if len(each) < 2 {
		return nil
	}
	var all []agreement
	for _, label := range book.Names() {
		by, units := make([][]int, len(each)), [][]int{}
		given := 0
		for _, b := range d.Blocks {
			for _, i := range b.Items {
				var unit []int
				for n, coding := range each {
					has := 0
					if isGiven(coding[b.Run], i.Entry, label) {
						has = 1
					}
					by[n], unit, given = append(by[n], has), append(unit, has), given+has
				}
				units = append(units, unit)
			}
		}
		a := agreement{Label: label, Alpha: acts.Alpha(units, acts.Nominal),
			Shown: float64(given) / float64(len(units)*len(each))}
		if len(each) == 2 {
			a.Kappa = acts.Kappa(by[0], by[1])
		}
		all = append(all, a)
	}
	return all
}

func isGiven(all []gold.Coded, entry int, label string) bool {
	return slices.ContainsFunc(all, func(c gold.Coded) bool { return c.Entry == entry && slices.Contains(c.Labels, label) })
}
