package runs

import (
	"strings"
	"testing"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
)

// lost are calls of unknown outcome of a model, n seconds after noon.
func lost(model string, seconds ...int) (unknown []ledger.UnknownCall) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for n, s := range seconds {
		worst := 0.01
		unknown = append(unknown, ledger.UnknownCall{
			Key:    lake.CallKey{Run: lake.Run{Collaboration: "c"}, Entry: n},
			Intent: answers.Intent{Entry: n, Model: model, StartedAt: noon.Add(time.Duration(s) * time.Second).UnixMicro(), WorstUSD: &worst, WorstTokens: 100},
		})
	}
	return unknown
}

// An amount is divided by what each call can have cost.
func TestAmountIsDivided(t *testing.T) {
	t.Parallel()
	unknown := lost("openai/m", 0, 60)
	*unknown[0].WorstUSD = 0.03
	made, err := settlementOf(unknown, "$0.02")
	if err != nil || len(made.Calls) != 2 || made.Calls[0].USD != 0.015 || made.Calls[1].USD != 0.005 || made.Calls[0].Tokens != 100 {
		t.Errorf("%+v, %v", made.Calls, err)
	}
	for _, how := range []string{"-1", "NaN", "1e12", "export.csv"} {
		if _, err := settlementOf(unknown, how); err == nil {
			t.Errorf("%s is accepted", how)
		}
	}
}

// No more is settled than the calls can have cost; a worst case as it is printed is.
func TestAmountAboveTheWorstCaseIsRefused(t *testing.T) {
	t.Parallel()
	unknown := lost("openai/m", 0, 60)
	*unknown[0].WorstUSD = 0.03003
	for _, how := range []string{"20", "$0.0402", "1e9", "-1"} {
		if _, err := settlementOf(unknown, how); err == nil || !strings.Contains(err.Error(), "the 2 calls of unknown outcome") || !strings.Contains(err.Error(), "$0.0400 at most") || !strings.Contains(err.Error(), strings.TrimPrefix(how, "$")) && how != "1e9" {
			t.Errorf("--settle %s: %v", how, err)
		}
	}
	*unknown[0].WorstUSD = 0.03
	made, err := settlementOf(unknown, "0.04004")
	if err != nil || made.Calls[0].USD > 0.03+1e-12 || made.Calls[1].USD > 0.01+1e-12 {
		t.Errorf("the worst case, rounded up: %+v, %v", made.Calls, err)
	}
	unknown[0].WorstUSD = nil
	if _, err := settlementOf(unknown, "20"); err != nil {
		t.Errorf("of a call without a price: %v", err)
	}
	if _, err := settlementOf(unknown, "1e9"); err == nil || !strings.Contains(err.Error(), "below 1000000000") {
		t.Errorf("--settle 1e9: %v", err)
	}
}
