package predictions

import (
	"cmp"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	analysis "roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
)

// Usability is how many turns of a pilot, of one environment and form, had a usable answer.
type Usability struct {
	Env    string `json:"env"`
	Format string `json:"format"` // of the answer, as in the table turns
	Turns  int    `json:"turns"`
	AtOnce int    `json:"usable_at_once"`
	Usable int    `json:"usable"` // after all asks
}

// isTooFew reports whether tables would say that this is not a result.
func (u Usability) isTooFew() bool {
	return float64(u.Turns-u.Usable) > analysis.UnusableShare*float64(u.Turns)
}

// countUsable counts asked turns by environment and form; envs are those of conditions by id.
func countUsable(turns iter.Seq2[record.Turn, error], envs map[string]string) ([]Usability, error) {
	var all []Usability
	for t, err := range turns {
		if err != nil {
			return nil, err
		}
		if t.Kind != "ask" {
			continue
		}
		at := slices.IndexFunc(all, func(u Usability) bool { return u.Env == envs[t.ConditionID] && u.Format == t.Format })
		if at < 0 {
			at, all = len(all), append(all, Usability{Env: envs[t.ConditionID], Format: t.Format})
		}
		all[at].Turns++
		if t.Status != "invalid" {
			all[at].Usable++
			if t.Asks <= 1 {
				all[at].AtOnce++
			}
		}
	}
	slices.SortFunc(all, func(a, b Usability) int {
		return cmp.Or(cmp.Compare(a.Env, b.Env), cmp.Compare(a.Format, b.Format))
	})
	return all, nil
}

// printUsability prints what share of a pilot's answers could be used, and where it is too small.
func printUsability(all []Usability) {
	fmt.Println("\nTurns of the pilot with a usable answer:")
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.AppendHeader(table.Row{"env", "form", "turns", "at once", "after re-asks"})
	for _, u := range all {
		t.AppendRow(table.Row{u.Env, u.Format, u.Turns, percentText(u.AtOnce, u.Turns), percentText(u.Usable, u.Turns)})
	}
	fmt.Fprintln(os.Stdout, t.Render())
	for _, u := range all {
		if u.isTooFew() {
			fmt.Printf("%s: %s of the turns with a %s usable. Below %.0f %% the campaign mostly measures whether the model "+
				"can fill in the form, and its tables say that they are not results (docs/guides/providers.md, Small models).\n",
				u.Env, percentText(u.Usable, u.Turns), u.Format, 100*(1-analysis.UnusableShare))
		}
	}
}

func percentText(n, of int) string { return fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/float64(of)) }
