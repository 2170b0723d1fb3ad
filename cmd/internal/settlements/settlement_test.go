package settlements

import (
	"strings"
	"testing"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
)

// lost are calls of unknown outcome of a model, n seconds after noon.
func lost(model string, seconds ...int) (l ledger.Calls) {
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	l.Answered = map[string]bool{"answered-1": true}
	for n, s := range seconds {
		worst := 0.01
		l.Unknown = append(l.Unknown, ledger.UnknownCall{
			Key:    lake.CallKey{Run: lake.Run{Collaboration: "c"}, Entry: n},
			Intent: answers.Intent{Entry: n, Model: model, StartedAt: noon.Add(time.Duration(s) * time.Second).UnixMicro(), WorstUSD: &worst, WorstTokens: 100},
		})
	}
	return l
}

// Exports of several services are read, and each call gets the request that was its own.
func TestUsageExports(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, text string
		want       []float64 // dollars of the calls at 0, 60 and 1000 s; -1 where nothing is settled
		fault      string
	}{
		"LiteLLM, JSON lines": {"spend.jsonl", `{"request_id":"answered-1","startTime":"2026-11-22T11:59:50Z","spend":0.001,"model":"gpt-4o-mini","prompt_tokens":5,"completion_tokens":6}
{"request_id":"x","startTime":"2026-11-22T12:01:02.5Z","spend":0.002,"model":"gpt-4o-mini"}
{"request_id":"y","startTime":"2026-11-22T12:02:00Z","spend":9,"model":"claude"}
`, []float64{0, 0.002, -1}, ""},
		"OpenRouter, CSV": {"activity.csv", "\ufeffgeneration_id,created_at,cost_total,tokens_prompt,tokens_completion,model_permaslug\n" +
			"answered-1,2026-11-22 11:59:50.0,0.001,5,6,openai/gpt-4o-mini\nx,2026-11-22 12:00:01.0,$0.004,5,6,openai/gpt-4o-mini\nz,2026-11-22 12:16:50.0,0.003,5,6,openai/gpt-4o-mini\n",
			[]float64{0.004, 0, 0.003}, ""},
		"JSON array in Unix seconds": {"usage.json", `[{"id":"answered-1","timestamp":1795348790,"cost":0.001},{"id":"x","timestamp":1795348802,"cost":0.005}]`, []float64{0.005, 0, -1}, ""},
		"another account":            {"usage.json", `[{"id":"x","timestamp":1795348802,"cost":0.005}]`, nil, "another account"},
		"another day":                {"usage.json", `[{"id":"answered-1","timestamp":1795000000,"cost":0.005}]`, nil, "when no call of unknown outcome was made"},
		"above the worst case": {"activity.csv", "id,time,cost,model\nanswered-1,2026-11-22 11:59:50.0,0.001,gpt-4o-mini\nx,2026-11-22 12:00:01.0,0.02,gpt-4o-mini\n", nil,
			"row 2, request x: $0.02 is not what the call of unknown outcome can have cost, which is $0.0100 at most"},
		"no ids":   {"usage.csv", "date,cost\n2026-11-22T12:00:00Z,1\n", nil, "request id"},
		"no cost":  {"usage.csv", "id,time\nx,2026-11-22T12:00:00Z\n", nil, "cost"},
		"no time":  {"usage.csv", "id,cost\nx,1\n", nil, "time"},
		"no rows":  {"usage.csv", "id,cost,time\n", nil, "no rows"},
		"no table": {"usage.txt", "hello", nil, "neither .csv nor JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			ledger := lost("openai/gpt-4o-mini", 0, 60, 1000)
			bills, err := readExport(c.file, []byte(c.text))
			var got []lake.SettledCall
			if err == nil {
				got, err = matchBills(ledger, bills)
			}
			if c.fault != "" {
				if err == nil || !strings.Contains(err.Error(), c.fault) {
					t.Errorf("error %v, want one about %q", err, c.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			settled := []float64{-1, -1, -1}
			for _, s := range got {
				settled[s.Entry] = s.USD
			}
			for i, want := range c.want {
				if settled[i] != want {
					t.Errorf("call %d is settled with %v, want %v", i, settled[i], want)
				}
			}
		})
	}
}

// An amount is divided by what each call can have cost.
func TestAmountIsDivided(t *testing.T) {
	t.Parallel()
	ledger := lost("openai/m", 0, 60)
	*ledger.Unknown[0].WorstUSD = 0.03
	made, err := settlement(ledger, "$0.02")
	if err != nil || len(made.Calls) != 2 || made.Calls[0].USD != 0.015 || made.Calls[1].USD != 0.005 || made.Calls[0].Tokens != 100 {
		t.Errorf("%+v, %v", made.Calls, err)
	}
	for _, how := range []string{"-1", "NaN", "1e12", "no-such-file.csv"} {
		if _, err := settlement(ledger, how); err == nil {
			t.Errorf("%s is accepted", how)
		}
	}
}

// No more is settled than the calls can have cost; a worst case as it is printed is.
func TestAmountAboveTheWorstCaseIsRefused(t *testing.T) {
	t.Parallel()
	ledger := lost("openai/m", 0, 60)
	*ledger.Unknown[0].WorstUSD = 0.03003
	for _, how := range []string{"20", "$0.0402", "1e9", "-1"} {
		if _, err := settlement(ledger, how); err == nil || !strings.Contains(err.Error(), "the 2 calls of unknown outcome") || !strings.Contains(err.Error(), "$0.0400 at most") || !strings.Contains(err.Error(), strings.TrimPrefix(how, "$")) && how != "1e9" {
			t.Errorf("--settle %s: %v", how, err)
		}
	}
	*ledger.Unknown[0].WorstUSD = 0.03
	made, err := settlement(ledger, "0.04004")
	if err != nil || made.Calls[0].USD > 0.03+1e-12 || made.Calls[1].USD > 0.01+1e-12 {
		t.Errorf("the worst case, rounded up: %+v, %v", made.Calls, err)
	}
	ledger.Unknown[0].WorstUSD = nil
	if _, err := settlement(ledger, "20"); err != nil {
		t.Errorf("of a call without a price: %v", err)
	}
	if _, err := settlement(ledger, "1e9"); err == nil || !strings.Contains(err.Error(), "below 1000000000") {
		t.Errorf("--settle 1e9: %v", err)
	}
}

// What is said of a file names the calls that it has and those that it lacks.
func TestSettlementByFileSaysWhatItFound(t *testing.T) {
	t.Parallel()
	calls := []lake.SettledCall{{USD: 0.004, RequestID: "a"}, {}, {USD: 0.02, RequestID: "b"}}
	got := settledText(lake.Settlement{Evidence: exportEvidence + "x.csv", Calls: calls}, 4)
	if want := "settled 3 of 4 calls of unknown outcome: 2 found in the file, 1 not in it and so taken as not billed; $0.0240 ("; !strings.HasPrefix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := settledText(lake.Settlement{Evidence: "the operator says", Calls: calls[1:2]}, 1); strings.Contains(got, "file") {
		t.Errorf("without a file: %q", got)
	}
}
