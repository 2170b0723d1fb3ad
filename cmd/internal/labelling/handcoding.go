package labelling

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"roundtable/analysis/gold"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// HandCoding say what is drawn, or read back.
type HandCoding struct {
	*cli.Options
	CodeBook string // a file or a built-in name
	Asked    int    // items to draw in all
	Seed     uint64
	Output   string // page or table to write
	From     string // table to read back
	Coder    string // whose it is
}

// IsAsked reports whether anything is to be coded by hand.
func (o HandCoding) IsAsked() bool { return o.Asked != 0 || o.From != "" }

// Run draws, or reads back.
func (o HandCoding) Run(ctx context.Context, name string) error {
	if err := o.check(); err != nil {
		return cli.UsageError(err)
	}
	s, err := o.ReadLake(ctx, name)
	if err != nil {
		return err
	}
	book, err := readBook(o.CodeBook)
	if err != nil {
		return cli.UsageError(err)
	}
	if o.From != "" {
		return o.readBack(ctx, s, name, book)
	}
	return o.draw(ctx, s, name, book)
}

var coderName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

func (o HandCoding) check() error {
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

// readBook reads a code book: one that is built in, or a file.
func readBook(name string) (campaign.Book, error) {
	if b, ok := campaign.LoadBuiltInBook(name); ok {
		return b, nil
	}
	data, err := store.ReadFile(name, 64<<20)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && filepath.Ext(name) == "" {
			return campaign.Book{}, fmt.Errorf("--code-book: unknown code book %q; expected a file (.yaml) or a built-in one, %s%s", name, wording.Or(campaign.BuiltInBooks()), wording.DidYouMean(name, campaign.BuiltInBooks()))
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

// recordBook records a code book with a campaign, under its id, and returns what is recorded.
func recordBook(ctx context.Context, s store.Store, of string, b campaign.Book) ([]byte, error) {
	data, key := b.Encode(), campaign.BookKey(of, b.ID())
	err := s.PutIfAbsent(ctx, key, data)
	if errors.Is(err, store.ErrExists) {
		return s.Get(ctx, key)
	}
	return data, err
}

// Drawn is what --gold says at its end.
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
func (o HandCoding) draw(ctx context.Context, s store.Store, name string, book campaign.Book) error {
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
		recorded, err := recordBook(ctx, s, name, book)
		if err != nil {
			return err
		}
		d.BookHash = campaign.BookHash(recorded)
		if err := gold.WriteDraw(ctx, s, d); err != nil {
			if errors.Is(err, store.ErrExists) {
				return fmt.Errorf("another process has drawn at the same time; the same command writes that draw: %w", err)
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

func (o HandCoding) newDraw(ctx context.Context, c *corpus, book campaign.Book,
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
	return cli.FailedError(fmt.Errorf("%s is missing, and %s coded it: put it back, from a copy of the lake; no draw takes its place", gold.Key(name, book.ID(), lost[0].Draw), lost[0].Coder))
}

func (o HandCoding) reportDraw(r Drawn) error {
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), r)
	}
	w := o.Stdout()
	fmt.Fprintf(w, "%s: draw %d, code book %s: %s to code by hand, in %s\n", r.Campaign, r.Draw, r.CodeBook,
		wording.Count(r.Items, "item"), wording.Count(r.Passages, "passage"))
	fmt.Fprintf(w, "Written: %s; it shows neither conditions nor machines' labels\n", r.File)
	if len(r.Lone) > 0 {
		fmt.Fprintf(w, "No corrected figures: of %s, with one collaboration each, since nothing says how much they vary\n", wording.Clip(wording.And(r.Lone)))
	}
	fmt.Fprintf(w, "Next:    roundtable label %s --gold-from FILE.csv --coder NAME\n", r.Campaign)
	return nil
}
