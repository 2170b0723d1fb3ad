package handcoding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// corpus is the messages of a campaign's succeeded collaborations.
type corpus struct {
	store    store.Store
	campaign string
}

// listCandidates returns what can be drawn.
func (c *corpus) listCandidates(ctx context.Context) ([]gold.Candidate, error) {
	d, err := lake.ReadDataset(ctx, c.store, c.campaign)
	if err != nil {
		return nil, err
	}
	var all []gold.Candidate
	for rows, err := range lake.Collaborations(ctx, c.store, d, record.Collaborations, record.Turns) {
		if err != nil {
			return nil, cli.ExplainDamage(err, c.campaign, "nothing can be drawn from it")
		}
		about := rows.Collaborations[0]
		if about.Status != record.Succeeded {
			continue
		}
		all = append(all, gold.Candidate{
			Run:       lake.Run{Collaboration: about.CollaborationID, Generation: int(about.Generation)},
			Condition: about.ConditionID, Rounds: int(about.RoundsRun), Messages: len(messagesOf(rows)),
		})
	}
	return all, nil
}

// messagesOf returns the messages of a collaboration that tables count: of its rounds and agents.
func messagesOf(rows record.Rows) []record.Turn {
	about := rows.Collaborations[0]
	var said []record.Turn
	for _, t := range rows.Turns {
		if t.IsMessage() && t.Round >= 1 && t.Round <= about.RoundsRun && *t.Agent >= 0 && *t.Agent < about.Agents {
			said = append(said, t)
		}
	}
	return said
}

// said is one message as coders see it.
type said struct {
	From string
	Text string
}

// block is what a coder reads at once.
type block struct {
	number  int
	context []said // said before, not to be coded
	items   []item
}

// item is a message to code, or a whole collaboration.
type item struct {
	place               place
	entry, round, agent int
	said                []said // one message, or all
}

// listBlocks returns what is to be coded, with its texts, in the order of the draw.
func (c *corpus) listBlocks(ctx context.Context, d gold.Draw) ([]block, error) {
	set, err := lake.ReadDataset(ctx, c.store, c.campaign)
	if err != nil {
		return nil, err
	}
	wanted := map[lake.Run][]int{}
	for i, b := range d.Blocks {
		wanted[b.Run] = append(wanted[b.Run], i)
	}
	set = set.Only(func(m lake.Member) bool { return len(wanted[m.Run]) > 0 })
	all, found := make([]block, len(d.Blocks)), 0
	for rows, err := range lake.Collaborations(ctx, c.store, set, record.Collaborations, record.Turns) {
		if err != nil {
			return nil, cli.ExplainDamage(err, c.campaign, "what was drawn cannot be shown")
		}
		about := rows.Collaborations[0]
		for _, i := range wanted[lake.Run{Collaboration: about.CollaborationID, Generation: int(about.Generation)}] {
			all[i] = blockOf(i+1, d.Blocks[i], d.Whole, messagesOf(rows))
			found++
		}
	}
	if found < len(all) {
		return nil, fmt.Errorf("%d of %d passages of draw %d are of collaborations that were run again since; draw "+
			"again with a larger --gold", len(all)-found, len(all), d.Number)
	}
	return all, nil
}

func blockOf(number int, b gold.Block, whole bool, messages []record.Turn) block {
	shown := block{number: number}
	if whole {
		one := item{place: place{block: number}, entry: -1, agent: -1}
		for _, m := range messages {
			one.said = append(one.said, said{m.AgentName, *m.Text})
		}
		shown.items = []item{one}
		return shown
	}
	for _, m := range messages {
		text := said{m.AgentName, *m.Text}
		switch round := int(m.Round); {
		case round == b.First-1:
			shown.context = append(shown.context, text)
		case round >= b.First && round <= b.Last:
			shown.items = append(shown.items,
				item{place{number, len(shown.items) + 1}, int(m.Entry), round, int(*m.Agent), []said{text}})
		}
	}
	return shown
}

// hashedText returns what an item's hash is of.
func (i item) hashedText() string {
	lines := make([]string, len(i.said))
	for n, s := range i.said {
		lines[n] = s.Text
		if i.entry < 0 {
			lines[n] = s.From + ": " + s.Text
		}
	}
	return strings.Join(lines, "\n\n")
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// recordedItems returns the items as the draw keeps them.
func (b block) recordedItems(d gold.Draw) []gold.Item {
	items := make([]gold.Item, len(b.items))
	for n, i := range b.items {
		items[n] = gold.Item{ID: i.place.placeID(), Entry: i.entry, Round: i.round, Agent: i.agent,
			Hash: hash(i.hashedText()), Check: checkOf(d, i.place, safeCell(i.hashedText()))}
	}
	return items
}

// place is where an item is in a draw: in which block, and as which of its messages, both from 1;
// a whole collaboration is not a message.
type place struct{ block, message int }

// placeID is what coders see. It has letters, because spreadsheets take 1.10 for the number 1.1.
func (p place) placeID() string {
	if p.message == 0 {
		return fmt.Sprintf("c%d", p.block)
	}
	return fmt.Sprintf("p%d-m%d", p.block, p.message)
}

// checkMark begins a check, so that no spreadsheet takes its digits for a number.
const checkMark = "k"

// checkOf binds an item and the text that coders see of it to a draw.
func checkOf(d gold.Draw, p place, shown string) string {
	return checkMark + hash(strings.Join([]string{d.Campaign, d.CodeBook, fmt.Sprint(d.Number), p.placeID(),
		shown}, "\x00"))[:12]
}

// plainCheck returns a check as it is compared.
func plainCheck(check string) string {
	return strings.ToLower(strings.TrimSpace(check))
}

// drawn is an item of a draw with its place.
type drawn struct {
	gold.Item
	place place
}

// items finds the items of a draw by what tables say of them.
type items struct {
	draw    gold.Draw
	all     []drawn
	byCheck map[string]int
	byID    map[string]int
}

func itemsOf(d gold.Draw) items {
	s := items{draw: d, byCheck: map[string]int{}, byID: map[string]int{}}
	for n, b := range d.Blocks {
		for m, i := range b.Items {
			at := place{n + 1, m + 1}
			if d.Whole {
				at.message = 0
			}
			s.byCheck[plainCheck(i.Check)] = len(s.all)
			s.byID[at.placeID()] = len(s.all)
			s.all = append(s.all, drawn{i, at})
		}
	}
	return s
}

// checkAt returns the check of the item at a place.
func (s items) checkAt(p place) string {
	if n, ok := s.byID[p.placeID()]; ok {
		return s.all[n].Check
	}
	return ""
}

// find returns the item that a row is about. Its check says which, whatever became of its id; but
// an id that is clearly another item's means that cells were moved.
func (s items) find(r row) (int, error) {
	at, bound := s.byCheck[plainCheck(r.check)]
	named, known := s.byID[strings.ToLower(r.id)]
	switch {
	case bound && known && named != at:
		return 0, fmt.Errorf("its check is that of item %s: cells of the table were moved against each other",
			s.all[at].place.placeID())
	case bound:
		return at, nil
	case known:
		return 0, fmt.Errorf("its check is %q, that of draw %d is %q: it is of another draw, campaign or code "+
			"book, or was moved", wording.SafeLine(r.check), s.draw.Number, s.all[named].Check)
	}
	return 0, fmt.Errorf("draw %d has no such item", s.draw.Number)
}
