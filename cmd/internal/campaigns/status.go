// Package campaigns says what the lake and the engine know of campaigns: their
// plan, how far they are, what they have spent, their limits, and the collaborations
// that an id means. It changes nothing but the names of a grid's values.
//
// A campaign that runs is found in another process of this machine or on a cluster, asked for
// its status and what it waits for, and signalled. A campaign of the same name on another lake
// is never taken for this one, and nothing is signalled to a worker with another key. It links
// no server.
package campaigns

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"roundtable/activities/asking"
	"roundtable/activities/calls"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Status is the status of one campaign; what runs comes from the
// engine, what has ended from the lake.
type Status struct {
	Name  string `json:"name"`
	State string `json:"state"` // running, paused, interrupted or done
	workflows.Status
	Damage string `json:"damage,omitempty"` // why it cannot be read
	// time of the status of a running campaign, whose worker may have been too busy to answer since
	At      time.Time   `json:"at,omitzero"`
	Binding calls.Waits `json:"waitReason,omitempty"` // what turns wait for, the most frequent first
	// why the engine gave no status; the counts are then the lake's
	Unread string `json:"unread,omitempty"`
	Again  int    `json:"again,omitempty"` // cells that have ended and are to be run again
	// Unlabelled collaborations have ended and wait for the labeller of the campaign's file.
	Unlabelled int `json:"unlabelled,omitempty"`
	// UnderWay are collaborations that have begun and not ended; spent is of those that have ended.
	UnderWay ledger.Unended `json:"under_way"`
	// Besides is the cost of labels, judges, embeddings and checks of models.
	Besides task.Result `json:"beside"`
	Share   float64     `json:"share"` // of the campaign that is done, collaborations under way by their turns
	Limits  plan.Limits `json:"limits"`
	// Asked is the progress of the question that ends the campaign; nil if there is none.
	Asked *asking.Summary `json:"asked,omitempty"`
	// Charged is what the campaign has cost at most, cells under way included; absent while it runs.
	Charged *charged `json:"charged,omitempty"`
}

type charged struct {
	USD    float64 `json:"usd"`
	Tokens int64   `json:"tokens"`
}

// ReadStatus returns the status of a recorded campaign, from the engine if one runs it.
func ReadStatus(ctx context.Context, o *cli.Options, s store.Store, name string) (Status, error) {
	p, m, err := ReadPlan(ctx, o, s, name)
	if err != nil {
		return Status{}, err
	}
	st := Status{Name: name, State: "interrupted", Limits: m.Limits}
	books, err := readEngineStatus(ctx, o, s, p, &st)
	if err != nil {
		return st, err
	}
	if st.Besides, err = spentOutside(ctx, s, name, books); err != nil {
		return st, cli.ExplainDamage(err, name, "the costs are not known")
	}
	if m.Until != nil {
		state, err := asking.NewReader(s).Read(ctx, p.Campaign, *m.Until, nil)
		if err != nil {
			return st, err
		}
		st.Asked = new(state.Summary())
	}
	if st.State != "done" && (st.Done() < st.Cells || st.Again > 0) { // else all that is left are tables to be made
		if st.UnderWay, err = books.Unended(ctx, o.Plugins, p); err != nil {
			return st, err
		}
	}
	st.Share = ShareDone(st.Status, st.UnderWay.Share)
	return st, nil
}

// readEngineStatus fills in what the engine knows of a campaign, or the lake if no engine
// runs it, and returns the books that go with it.
func readEngineStatus(ctx context.Context, o *cli.Options, s store.Store, p campaign.Plan,
	st *Status) (*ledger.Books, error) {
	c, err := Connect(ctx, o, st.Name)
	switch foreign, isForeign := errors.AsType[Foreign](err); {
	case err == nil:
		defer c.Close()
		if books, err := askEngine(ctx, o, c, s, p, st); books != nil {
			return books, err
		}
	case isForeign:
		st.Unread = foreign.Error()
	case !errors.Is(err, ErrNotRunning):
		return nil, err
	}
	books := ledger.Open(ctx, s, st.Name) // of now: it may have ended while the engine was asked
	go books.List()
	err = st.fillFromLake(ctx, s, p, books)
	if who := o.CampaignHolder(st.Name); err == nil && who != "" && st.State != "done" {
		st.State, st.Unread = "running", who+
			" runs it, with its state in another folder (--state); the figures are the lake's"
	}
	return books, err
}

// askEngine fills in what the engine knows of a campaign that it runs; no books if it
// does not. What has ended and what was spent is the lake's to say, as everywhere: the engine
// hears of it later. Only it knows which cells it runs once more.
func askEngine(ctx context.Context, o *cli.Options, c client.Client, s store.Store, p campaign.Plan,
	st *Status) (*ledger.Books, error) {
	id, books := workflows.CampaignID(st.Name), ledger.Open(ctx, s, st.Name)
	go books.List()
	asking, end := context.WithCancel(ctx)
	defer end()
	waits := beginWaits(asking, o, c, st.Name)
	now, at, err := AskStatus[workflows.Status](ctx, o, c, st.Name, id)
	if err == nil && (now.Done() < now.Cells || IsRunning(ctx, c, id)) {
		st.State, st.Status, st.At = "running", now, at
		if now.Paused {
			st.State = "paused"
		}
		if st.Binding, err = waits(now.Sample); err != nil {
			return books, err
		}
		ended, again, err := SummarizeEnded(ctx, s, p, books)
		if st.Spent = ended.Spent; again == 0 {
			st.Succeeded, st.Failed, st.Stopped, st.Answered = ended.Succeeded, ended.Failed, ended.Stopped,
				ended.Answered
		}
		return books, err
	}
	if why := whyUnreadable(ctx, c, id, err); err != nil && why != nil {
		st.Status, st.Again, err = SummarizeEnded(ctx, s, p, books)
		st.State, st.Unread = "running", why.Error()
		return books, err
	}
	return nil, nil
}

// fillFromLake fills in what the lake knows of a campaign that no engine runs.
func (st *Status) fillFromLake(ctx context.Context, s store.Store, p campaign.Plan, books *ledger.Books) (err error) {
	if st.Status, st.Again, err = SummarizeEnded(ctx, s, p, books); err != nil {
		return err
	}
	if st.Done() == st.Cells && st.Again == 0 {
		st.State = "done"
		filed, err := LabellingOfFile(ctx, s, st.Name)
		if err == nil && filed != nil {
			st.Unlabelled, err = CountUnlabelled(ctx, s, st.Name, filed.ID())
		}
		return err
	}
	return st.sayHalted(ctx, s, books)
}

// sayHalted says what the lake alone knows of a campaign that does not run.
func (st *Status) sayHalted(ctx context.Context, s store.Store, books *ledger.Books) error {
	spent, err := books.ReadSpent(ctx)
	if err != nil {
		return err
	}
	st.Charged = &charged{spent.USD(), spent.Tokens}
	halt, err := campaign.ReadHalt(ctx, s, st.Name)
	if err == nil && halt != nil {
		st.State, st.Paused, st.PauseReason = "paused", true, halt.Reason
	}
	return err
}

// cachedBesides says how many answers came from the cache, next to the calls.
func cachedBesides(spent task.Result) string {
	if spent.Cached == 0 {
		return ""
	}
	return " and " + wording.Count(spent.Cached, "answer") + " from the cache"
}

// Write writes the status in words, a line for each thing to say.
func (st Status) Write(w io.Writer) {
	line := func(format string, args ...any) { fmt.Fprintf(w, "  "+format+"\n", args...) }
	if st.Damage != "" {
		fmt.Fprintf(w, "%s: cannot be read: %s\n", st.Name, wording.SafeLines(st.Damage))
		return
	}
	fmt.Fprintf(w, "%s: %s, %d of %s finished (%d succeeded, %d failed, %d stopped), %d running, %.0f%% done\n",
		st.Name, st.State, st.Done(), wording.Count(st.Cells, "collaboration"), st.Succeeded, st.Failed, st.Stopped,
		st.Running, 100*st.Share)
	if ago := time.Since(st.At); st.State == "running" && !st.At.IsZero() && ago > 2*time.Second {
		line("as of %s ago: its worker is busy", ago.Round(time.Second))
	}
	if st.Asked != nil {
		line("%s", st.Asked)
	}
	if st.Again > 0 {
		line("%d of them will be run again", st.Again)
	}
	if st.Unlabelled > 0 {
		line("%d are not labelled yet; resume with: roundtable label %s", st.Unlabelled, st.Name)
	}
	if st.PauseReason != "" {
		line("paused because: %s", st.PauseReason)
	}
	if st.Unread != "" {
		line("its state cannot be read: %s", strings.ReplaceAll(st.Unread, "\n", "; "))
	} else if st.State == "running" && st.Done() == st.Cells {
		line("every collaboration has ended; its tables are being made")
	} else if st.State == "running" {
		line("%s", DescribeWaits(st.Binding))
	}
	spent := st.Spent
	spent.Add(st.UnderWay.Spent)
	spent.Add(st.Besides)
	line("%s%s, %s tokens, $%.4f%s so far", wording.Count(spent.Calls, "call"), cachedBesides(spent),
		cli.Abbreviate(spent.InputTokens+spent.OutputTokens), spent.CostUSD, UncertainCostText(spent))
	if b := st.Besides; b.Calls > 0 {
		line("of these %s, $%.4f for labels, judges, embeddings and checks of models",
			wording.Count(b.Calls, "call"), b.CostUSD)
	}
	if u := st.UnderWay; u.Collaborations > 0 {
		line("of these %s, $%.4f in %s, with %d of at most %s taken", wording.Count(u.Spent.Calls, "call"),
			u.Spent.CostUSD, wording.Count(u.Collaborations, "unfinished collaboration"), u.Turns,
			wording.Count(u.Most, "turn"))
	}
	if c := st.Charged; c != nil {
		line("$%.4f and %s tokens at most, calls of unknown outcome included", c.USD, cli.Abbreviate(c.Tokens))
	}
	if st.State != "done" {
		var limits []string
		for _, l := range ListLimits(st.Limits) {
			limits = append(limits, l.Name+" "+l.Value)
		}
		line("limits: %s", strings.Join(limits, ", "))
	}
}

// UncertainCostText returns what a sum of costs leaves out, as a clause to append: calls of unknown outcome,
// and calls of unknown price; "" if nothing.
func UncertainCostText(spent task.Result) string {
	text := ""
	if spent.WorstUSD > 0 {
		text = fmt.Sprintf(", at most $%.4f more for calls of unknown outcome,", spent.WorstUSD)
	}
	if spent.Unpriced {
		text += " and calls of unknown price"
	}
	return text
}

// Limit is one limit of a campaign, named as in its file: calls, or models.NAME.calls.
type Limit struct {
	Name  string `json:"name"`
	Value string `json:"value"` // in words
}

// ListLimits returns a campaign's limits, defaults included.
func ListLimits(l plan.Limits) []Limit {
	orNone := func(n int64) string {
		if n == 0 {
			return "none"
		}
		return fmt.Sprint(n)
	}
	cost := "none"
	if l.CostUSD != nil {
		cost = fmt.Sprintf("$%v", *l.CostUSD)
	}
	all := []Limit{
		{"collaborations", fmt.Sprint(cmp.Or(l.Collaborations, workflows.DefaultWindow))},
		{"calls", fmt.Sprint(cmp.Or(l.Calls, calls.DefaultCalls))},
		{"cost_usd", cost}, {"tokens", orNone(l.Tokens)},
	}
	if l.Tier != "" {
		wait := plan.NeverStandard
		if d, falls := l.WaitForTier(); falls {
			wait = d.String()
		}
		all = append(all, Limit{"tier", string(l.Tier)}, Limit{"tier_wait", wait})
	}
	for _, name := range slices.Sorted(maps.Keys(l.Models)) {
		m, of := l.Models[name], "models."+name+"."
		for _, one := range []Limit{
			{of + "calls", orNone(int64(m.Calls))}, {of + "requests_per_minute", orNone(int64(m.RequestsPerMinute))},
			{of + "tokens_per_minute", orNone(int64(m.TokensPerMinute))}, {of + "timeout", cmp.Or(m.Timeout, "none")},
		} {
			if one.Value != "none" {
				all = append(all, one)
			}
		}
	}
	return all
}

// Change is a limit that differs between two Limits, with both values in words.
type Change struct {
	Limit string `json:"limit"`
	Old   string `json:"old"`
	New   string `json:"new"`
}

// ChangedLimits returns the limits that differ between before and after.
func ChangedLimits(before, after plan.Limits) []Change {
	was, is := map[string]string{}, map[string]string{}
	var names []string
	for _, l := range ListLimits(before) {
		names, was[l.Name] = append(names, l.Name), l.Value
	}
	for _, l := range ListLimits(after) {
		if is[l.Name] = l.Value; was[l.Name] == "" {
			names = append(names, l.Name)
		}
	}
	var changed []Change
	for _, name := range names {
		if was[name] != is[name] {
			changed = append(changed, Change{name, cmp.Or(was[name], "none"), cmp.Or(is[name], "none")})
		}
	}
	return changed
}
