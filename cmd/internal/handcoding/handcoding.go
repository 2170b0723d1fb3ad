// Package handcoding draws messages for people who code by hand, writes them to a page or table that shows neither
// conditions nor machine labels, and reads back and stores the codes.
package handcoding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"roundtable/activities/commits"
	"roundtable/analysis/acts"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// Options holds the flags for coding by hand: what to draw, or which table to read back.
type Options struct {
	*cli.Options
	CodeBook string // a file or a built-in name
	Asked    int    // items to draw in all
	Seed     uint64
	Output   string // page or table to write
	From     string // table to read back
	Coder    string // whose it is
}

// IsAsked reports whether the flags request a draw or the reading of a table.
func (o Options) IsAsked() bool { return o.Asked != 0 || o.From != "" }

// Run draws messages of campaign name, or reads a coded table back.
func (o Options) Run(ctx context.Context, name string) error {
	if err := o.check(); err != nil {
		return cli.UsageError(err)
	}
	s, err := o.ReadLake(ctx, name)
	if err != nil {
		return err
	}
	book, err := ReadBook(o.CodeBook)
	if err != nil {
		return cli.UsageError(err)
	}
	if o.From != "" {
		return o.readBack(ctx, s, name, book)
	}
	return o.draw(ctx, s, name, book)
}

var coderName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

func (o Options) check() error {
	switch {
	case o.Asked != 0 && o.From != "":
		return errors.New("--gold writes a page and --gold-from reads one back; give one of them")
	case o.Asked < 0:
		return fmt.Errorf("--gold is %d; expected the number of messages to code by hand", o.Asked)
	case o.From != "" && o.Coder == "":
		return errors.New("--gold-from needs --coder NAME: who coded it; " + gold.Adjudicated +
			" is what several coders agreed on afterwards")
	case o.Coder != "" && !coderName.MatchString(o.Coder):
		return fmt.Errorf("--coder is %q; expected small letters, digits and hyphens, at most 40", o.Coder)
	case o.From == "" && o.Coder != "":
		return errors.New("--coder says whose --gold-from FILE is")
	}
	return nil
}

// ReadBook reads a code book: one that is built in, or a file.
func ReadBook(name string) (campaign.Book, error) {
	if b, ok := campaign.LoadBuiltInBook(name); ok {
		return b, nil
	}
	data, err := store.ReadFile(name, 64<<20)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && filepath.Ext(name) == "" {
			return campaign.Book{}, fmt.Errorf("--code-book: unknown code book %q; expected a file (.yaml) or a "+
				"built-in one, %s%s", name, wording.Or(campaign.BuiltInBooks()), wording.DidYouMean(name,
				campaign.BuiltInBooks()))
		}
		return campaign.Book{}, fmt.Errorf("--code-book: %w", err)
	}
	b, err := campaign.ParseBook(name, data)
	if err != nil {
		return b, err
	}
	if b.IsActs() {
		return b, fmt.Errorf("%s: the name %s is that of the built-in code book; choose another", name,
			campaign.ActsBook)
	}
	return b, nil
}

// RecordBook records a code book with a campaign, under its id, and returns what is recorded.
func RecordBook(ctx context.Context, s store.Store, of string, b campaign.Book) ([]byte, error) {
	data, key := b.Encode(), campaign.BookKey(of, b.ID())
	err := s.PutIfAbsent(ctx, key, data)
	if errors.Is(err, store.ErrExists) {
		return s.Get(ctx, key)
	}
	return data, err
}

// Drawn is the JSON output of label --gold: the messages that were drawn to be coded by hand.
type Drawn struct {
	Campaign string `json:"campaign"`
	CodeBook string `json:"code_book"`
	Draw     int    `json:"draw"`
	Passages int    `json:"passages"`
	Items    int    `json:"items"`
	File     string `json:"file"`
	// Lone are conditions with one collaboration, which have no corrected figures of their own.
	Lone []string `json:"lone,omitempty"`
}

// draw makes the draw that is asked for, or finds it, and writes what is to be coded.
func (o Options) draw(ctx context.Context, s store.Store, name string, book campaign.Book) error {
	draws, err := gold.ReadDraws(ctx, s, name, book.ID())
	if err != nil {
		return err
	}
	d, known, err := findDraw(draws, o.Asked)
	if err != nil {
		return cli.UsageError(err)
	}
	file := o.Output
	if file == "" {
		file = fmt.Sprintf("%s-%s-%d.html", name, book.Name, d.Number)
	}
	format, err := cli.ChooseFormat("", file, false, []string{"html", "csv"})
	if err != nil {
		return cli.UsageError(err)
	}
	c := corpus{store: s, campaign: name}
	if !known {
		if err := refuseLost(ctx, s, name, book, len(draws)); err != nil {
			return err
		}
		if d, err = o.newDraw(ctx, &c, book, draws); err != nil {
			return err
		}
	}
	blocks, err := c.listBlocks(ctx, d)
	if err != nil {
		return err
	}
	if !known {
		for i, b := range blocks {
			d.Blocks[i].Items = b.recordedItems(d)
		}
		recorded, err := RecordBook(ctx, s, name, book)
		if err != nil {
			return err
		}
		d.BookHash = campaign.BookHash(recorded)
		if err := gold.WriteDraw(ctx, s, d); err != nil {
			if errors.Is(err, store.ErrExists) {
				return fmt.Errorf("another process has drawn at the same time; the same command writes that draw: %w",
					err)
			}
			return err
		}
	}
	write := writePage
	if format == "csv" {
		write = writeCSV
	}
	data, err := write(d, book, blocks)
	if err != nil {
		return err
	}
	if err := cli.WriteFile(file, data); err != nil {
		return err
	}
	lone := gold.Lone(append(draws[:d.Number-1:d.Number-1], d))
	return o.reportDraw(Drawn{name, book.ID(), d.Number, len(d.Drawn), d.Items(), file, lone})
}

// findDraw finds the draw of that many items; known is false, and the number that of the next, if
// more have to be drawn.
func findDraw(draws []gold.Draw, items int) (d gold.Draw, known bool, err error) {
	var sizes []string
	most := 0
	for _, d := range draws {
		if d.Asked == items {
			return d, true, nil
		}
		sizes, most = append(sizes, fmt.Sprint(d.Asked)), max(most, d.Asked)
	}
	if items < most {
		return d, false, fmt.Errorf("--gold %d: drawn are %s; give one of these for its page, or more to draw more",
			items, strings.Join(sizes, ", "))
	}
	return gold.Draw{Number: len(draws) + 1}, false, nil
}

func (o Options) newDraw(ctx context.Context, c *corpus, book campaign.Book,
	earlier []gold.Draw) (gold.Draw, error) {
	all, err := c.listCandidates(ctx)
	if err != nil {
		return gold.Draw{}, err
	}
	d, err := gold.New(gold.Request{
		Campaign: c.campaign, CodeBook: book.ID(), Labels: book.Names(), Single: book.Choice == campaign.OneLabel,
		Whole: book.Unit == campaign.UnitCollaboration,
		Asked: o.Asked, Seed: o.Seed,
	}, all, earlier)
	if err != nil {
		return d, cli.UsageError(fmt.Errorf("--gold %d: %w", o.Asked, err))
	}
	d.Blocks = d.Arrange()
	return d, nil
}

// refuseLost refuses a draw in place of one that people coded and that is missing: their labels
// would be taken for labels of it.
func refuseLost(ctx context.Context, s store.Store, name string, book campaign.Book, draws int) error {
	lost, err := gold.LostCoders(ctx, s, name, book.ID(), draws)
	if err != nil || len(lost) == 0 {
		return err
	}
	return cli.FailedError(fmt.Errorf("%s is missing, and %s coded it: put it back, from a copy of the lake; no "+
		"draw takes its place", gold.Key(name, book.ID(), lost[0].Draw), lost[0].Coder))
}

func (o Options) reportDraw(r Drawn) error {
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), r)
	}
	w := o.Stdout()
	fmt.Fprintf(w, "%s: draw %d, code book %s: %s to code by hand, in %s\n", r.Campaign, r.Draw, r.CodeBook,
		wording.Count(r.Items, "item"), wording.Count(r.Passages, "passage"))
	fmt.Fprintf(w, "Written: %s; it shows neither conditions nor machines' labels\n", r.File)
	if len(r.Lone) > 0 {
		fmt.Fprintf(w, "No corrected figures: of %s, with one collaboration each, since nothing says how much they "+
			"vary\n", wording.Clip(wording.And(r.Lone)))
	}
	fmt.Fprintf(w, "Next:    roundtable label %s --gold-from FILE.csv --coder NAME\n", r.Campaign)
	return nil
}

// readBack stores what a coder gave to a draw.
func (o Options) readBack(ctx context.Context, s store.Store, name string, book campaign.Book) error {
	data, err := store.ReadFile(o.From, 64<<20)
	if err != nil {
		return cli.UsageError(fmt.Errorf("--gold-from: %w", err))
	}
	draws, err := gold.ReadDraws(ctx, s, name, book.ID())
	if err != nil {
		return err
	}
	if err := refuseLost(ctx, s, name, book, len(draws)); err != nil {
		return err
	}
	if len(draws) == 0 {
		return cli.UsageError(fmt.Errorf("nothing of campaign %s was drawn to be coded by %s; roundtable label %s "+
			"--gold 200 draws", name, book.ID(), name))
	}
	rows, err := readTable(o.From, data)
	if err != nil {
		return cli.UsageError(err)
	}
	d := drawOf(draws, rows)
	given, err := check(o.From, d, book, rows)
	if err != nil {
		return cli.UsageError(err)
	}
	if err := o.store(ctx, s, d, given); err != nil {
		return err
	}
	if err := commits.RefreshCard(ctx, s, name); err != nil {
		return err
	}
	return o.reportStored(ctx, s, d, book)
}

// store commits the labels of each collaboration.
func (o Options) store(ctx context.Context, s store.Store, d gold.Draw, given [][]string) error {
	condition := map[lake.Run]string{}
	draws, err := gold.ReadDraws(ctx, s, d.Campaign, d.CodeBook)
	if err != nil {
		return err
	}
	for _, one := range draws {
		for _, f := range one.Frame {
			condition[f.Run] = f.Condition
		}
	}
	byRun := map[lake.Run][]record.GoldLabel{}
	var runs []lake.Run
	n := 0
	for _, b := range d.Blocks {
		if byRun[b.Run] == nil {
			runs = append(runs, b.Run)
		}
		for _, i := range b.Items {
			labels, err := json.Marshal(slices.Concat([]string{}, given[n]))
			if err != nil {
				return err
			}
			byRun[b.Run] = append(byRun[b.Run], record.GoldLabel{
				Key: record.Key{SchemaVersion: record.SchemaVersion, CampaignID: d.Campaign,
					ConditionID: condition[b.Run], CollaborationID: b.Collaboration, Generation: int32(b.Generation)},
				CodeBook: d.CodeBook, Coder: o.Coder, Draw: int32(d.Number), Entry: int32(i.Entry),
				Round: int32(i.Round), Agent: int32(i.Agent),
				Labels: string(labels), TextHash: i.Hash,
			})
			n++
		}
	}
	for _, run := range runs {
		_, err := commits.CommitAnnotations(ctx, s, lake.Marker{
			Campaign: d.Campaign, Condition: condition[run], Collaboration: run.Collaboration,
			Generation: run.Generation,
			By:         gold.By(d.CodeBook, o.Coder, d.Number), Table: record.Gold, Status: record.Succeeded,
		}, byRun[run])
		if errors.Is(err, commits.ErrConflict) {
			return cli.UsageError(fmt.Errorf("other labels of draw %d by %s are stored already, and stay: gold is "+
				"not changed afterwards. Store these under another --coder; those of the coder %s stand for all",
				d.Number, o.Coder, gold.Adjudicated))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

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

func (o Options) reportStored(ctx context.Context, s store.Store, d gold.Draw, book campaign.Book) error {
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
