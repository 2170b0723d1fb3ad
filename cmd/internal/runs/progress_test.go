package runs

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"roundtable/activities/calls"
	"roundtable/analysis/lake/campaign"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

// The rate is that of the last minute, and says something of slow models as well.
func TestRate(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	p := progress{began: begun}
	for _, c := range []struct {
		after         time.Duration
		calls, tokens int64
		want          string
	}{
		{30 * time.Second, 3, 900, "6 calls/min, 30 tokens/s"},
		{60 * time.Second, 3, 900, "3 calls/min, 15 tokens/s"},
		{2 * time.Minute, 4, 1200, "1 call/min, 5 tokens/s"},
		{3 * time.Minute, 3004, 1_201_200, "3000 calls/min, 20.0k tokens/s"},
	} {
		m := calls.Reading{Calls: c.calls, InputTokens: c.tokens / 3, OutputTokens: c.tokens - c.tokens/3}
		if got := p.rateText(m, begun.Add(c.after)); got != c.want {
			t.Errorf("after %v: %q, wanted %q", c.after, got, c.want)
		}
	}
}

// What failed is told for a minute, while the service asks for a pause, and until something moves.
func TestTroubleIsTold(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, c := range []struct {
		at, until, moved time.Duration // from now
		want             bool
	}{
		{-time.Second, 0, 0, true}, {-time.Hour, 0, 0, false}, {-time.Hour, time.Hour, 0, true}, {-time.Hour, 0, -2 * time.Hour, true},
	} {
		p := progress{moved: now.Add(c.moved)}
		trouble := calls.Trouble{Since: now.Add(c.at), At: now.Add(c.at), Text: "busy"}
		if c.until > 0 {
			trouble.Until = now.Add(c.until)
		}
		got := p.wait(calls.Reading{Trouble: &trouble})
		if strings.Contains(got, "busy") != c.want || strings.Contains(got, "asked for a pause") != (c.until > 0) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// Of a campaign that is done the number of its collaborations is said, once and in words or JSON.
func TestReportDone(t *testing.T) {
	t.Parallel()
	for replicates, want := range map[int]string{
		1: "c is done already: its collaboration finished; there is nothing to cancel\n",
		2: "c is done already: all 2 collaborations finished; there is nothing to cancel\n",
	} {
		p := campaign.Plan{Campaign: plan.Campaign{Name: "c", Replicates: replicates, Instances: []int{1}, Conditions: make([]plan.Condition, 1)}}
		var said bytes.Buffer
		root := &cobra.Command{}
		root.SetOut(&said)
		if err := ReportDone(cli.NewOptions(root, catalogue.Catalogue{}), p, "cancel"); err != nil || said.String() != want {
			t.Errorf("%v, %q, want %q", err, &said, want)
		}
	}
}
