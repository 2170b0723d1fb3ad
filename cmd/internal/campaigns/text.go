package campaigns

import (
	"fmt"
	"io"
	"strings"
	"time"

	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
	"roundtable/workflows/task"
)

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

// UncertainCostText returns in words what a sum of costs lacks: calls of unknown outcome, or of unknown price.
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
