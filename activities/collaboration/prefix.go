package collaboration

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/record"
)

// Forked is what was found of a fork by playing its stored turns again.
type Forked struct {
	Problems []string       // in words
	Replaced map[int]string // the texts that stand in place of messages, by entry
}

// CheckFork compares the turns that a fork has from another collaboration with that one's
// stored answers. Of a collaboration that is not a fork it returns nothing. What it goes on
// from must be in the lake.
func (r *Reader) CheckFork(ctx context.Context, of record.Key) (found Forked, err error) {
	c, err := r.begin(ctx, of)
	if err != nil || c.Condition.Fork == nil {
		return found, err
	}
	stored, err := r.answers.Load(ctx, c.Run)
	if err != nil {
		return found, err
	}
	origins := origins{r, map[string]answers.Stored{}}
	for _, t := range stored.Turns {
		problem := ""
		switch _, instead := c.Session.Instead(t.Entry); {
		case instead:
			problem = fmt.Sprintf("entry %d was asked for or taken over, and a text is to stand in its place", t.Entry)
		case c.Session.InPrefix():
			if problem, err = origins.compare(ctx, c, t); err != nil {
				return found, err
			}
		case len(t.Asks) > 0 && t.Asks[0].From != "":
			problem = fmt.Sprintf("entry %d comes after the fork, and says that it is from %s", t.Entry, t.Asks[0].From)
		}
		if problem != "" {
			found.Problems = append(found.Problems, problem)
		}
		if !t.Done {
			continue
		}
		if err := c.Record(withoutRawAnswers(t)); err != nil {
			found.Problems = append(found.Problems, err.Error())
			return found, nil
		}
	}
	found.Replaced = map[int]string{}
	for entry, t := range c.Turns {
		if _, instead := c.Session.Instead(entry); instead {
			found.Replaced[entry] = t.Text
		}
	}
	return found, nil
}

// origins are the stored answers that a fork continues, read once each.
type origins struct {
	*Reader
	read map[string]answers.Stored
}

// compare returns what is wrong with a turn from before a fork, in words; "" if nothing is.
func (o origins) compare(ctx context.Context, c *Collaboration, t answers.Turn) (problem string, err error) {
	says := func(text string, args ...any) (string, error) {
		return fmt.Sprintf("entry %d, which comes from before the fork, ", t.Entry) + fmt.Sprintf(text, args...), nil
	}
	if len(t.Asks) == 0 || t.Asks[0].From == "" {
		return says("does not say from where")
	}
	name, f := t.Asks[0].From, c.Condition.Fork
	from, ok := answers.ParseRunKey(name)
	if !ok || from.Campaign != f.Campaign || from.Collaboration != f.OriginID(c.Ref.Cell) {
		return says("says that it is from %s; this collaboration continues %s/%s", name, f.Campaign,
			f.OriginID(c.Ref.Cell))
	}
	if _, known := o.read[name]; !known {
		if o.read[name], err = o.answers.Load(ctx, from); err != nil {
			return "", err
		}
	}
	if original, _ := o.read[name].Turn(t.Entry); !sameTurn(original.OfFork(from), t) {
		return says("is not what is stored of it in %s", from)
	}
	return "", nil
}

// sameTurn reports whether two turns are the same, with their answers byte for byte. How
// often a question was put before its answer came in is of the one that paid.
func sameTurn(a, b answers.Turn) bool {
	for _, t := range []*answers.Turn{&a, &b} {
		t.Asks = slices.Clone(t.Asks)
		for i := range t.Asks {
			t.Asks[i].Attempt = 0
		}
	}
	mine, failed := json.Marshal(a)
	theirs, err := json.Marshal(b)
	return failed == nil && err == nil && string(mine) == string(theirs)
}
