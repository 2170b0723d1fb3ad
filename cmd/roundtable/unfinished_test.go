package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
	"roundtable/cmd/internal/transcripts"
	"roundtable/workflows/catalogue"
)

// TestUnfinished: what has been answered of collaborations that have not ended is shown while
// the campaign runs, after an interruption and by who may only read; no table counts it.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	v := newVendor(t)
	release := v.holdAfter(33)
	dir := t.TempDir()
	save(t, dir, "slow.yaml", strings.Replace(fmt.Sprintf(slowCampaign, 6), "scripted/trader, latency: 40ms", "openai/fake", 1)+vendorPrices)
	b := starts(t, dir, v.at(), "run", "slow.yaml")
	screentest.Until(t, "all wait for an answer", func() bool { return len(v.arrivals()) >= 37 })

	shows := func(when string) {
		t.Helper()
		var listed struct{ Collaborations []transcripts.Listed }
		noError(t, json.Unmarshal([]byte(ends(t, 0, dir, nil, "list", "collaborations", "slow", "--json").out), &listed))
		var unfinished []transcripts.Listed
		for _, c := range listed.Collaborations {
			if c.Status == record.Unfinished {
				unfinished = append(unfinished, c)
			}
			if c.Broken != "" || c.Rounds != 4 || c.Round < 1 || c.Round > 4 {
				t.Errorf("%s: it is listed as %+v", when, c)
			}
		}
		if len(unfinished) == 0 {
			t.Fatalf("%s: none is unfinished of %+v", when, listed)
		}
		one := unfinished[0]
		for _, c := range unfinished {
			if c.Turns > one.Turns {
				one = c
			}
		}
		contains(t, ends(t, 0, dir, nil, "list", "collaborations").out, fmt.Sprintf("slow/%s: unfinished, round %d of 4, %d turn", one.Collaboration, one.Round, one.Turns))

		shown := ends(t, 0, dir, nil, "show", one.Collaboration, "--prompts", "--raw").out
		contains(t, shown, one.Collaboration+": unfinished", fmt.Sprintf("Unfinished, in round %d of 4", one.Round), "No table of results counts it", "=== Round 1 ===", "--- prompt of entry 0", "--- answer 1 of entry 0")
		if strings.Contains(shown, "is NOT the prompt") || strings.Contains(shown, "cannot be shown whole") {
			t.Errorf("%s: it is shown as\n%s", when, shown)
		}
		if rows := rowsOfQuery(t, dir, "SELECT (SELECT count(*) FROM unfinished_collaborations)::INT AS unfinished, (SELECT count(*) FROM unfinished_turns WHERE collaboration_id = '"+one.Collaboration+"')::INT AS turns, "+
			"(SELECT count(*) FROM unfinished_calls WHERE status = 'answered')::INT AS calls, (SELECT count(*) FROM collaborations WHERE status = 'unfinished')::INT AS counted, "+
			"(SELECT count(*) FROM unfinished_collaborations WHERE outcome IS NOT NULL)::INT AS outcomes"); fmt.Sprint(rows[0]["unfinished"], rows[0]["turns"], rows[0]["counted"], rows[0]["outcomes"]) != fmt.Sprint(len(unfinished), one.Turns, 0, 0) || rows[0]["calls"] == 0. {
			t.Errorf("%s: SQL has %v, listed are %d, and %+v", when, rows[0], len(unfinished), one)
		}
		if d := command(t, dir, nil, "query", "FROM prompts('"+one.Collaboration+"')"); d.code == 0 || !strings.Contains(d.err, "has not ended") {
			t.Errorf("%s: prompts() gives %d, %s", when, d.code, d.err)
		}
		pages := viewIn(t, dir)
		if status, body := pages.get("c/slow/collaborations/rows"); status != http.StatusOK || !strings.Contains(body, `["`+one.Collaboration+`"`) || !strings.Contains(body, `"unfinished"`) {
			t.Errorf("%s: the page lists %d %s", when, status, body)
		}
		if status, body := pages.get("c/slow/collaborations/" + one.Collaboration); status != http.StatusOK || !strings.Contains(body, fmt.Sprintf("Unfinished, in round %d of 4", one.Round)) {
			t.Errorf("%s: the page shows %d %.1000s", when, status, body)
		}
	}
	shows("while it runs")
	noError(t, b.Process.Signal(os.Interrupt))
	release()
	if code := b.code(t); code != cli.ExitInterrupted {
		t.Errorf("code %d, said:\n%s", code, &b.said)
	}
	shows("after an interruption")
	sold, _ := v.books()
	status, _ := statusNow(t, dir)
	cost, _ := costOf(t, dir, "slow")
	var listed struct{ Campaigns []campaigns.Listed }
	noError(t, json.Unmarshal([]byte(ends(t, 0, dir, nil, "list", "campaigns", "--json").out), &listed))
	of := listed.Campaigns[0]
	for what, calls := range map[string]int64{
		"status": status.Spent.Calls + status.UnderWay.Spent.Calls + status.Besides.Calls, "cost": int64(cost["answered"].(float64) + cost["unknown"].(float64)),
		"list": of.Spent.Calls + of.UnderWay.Spent.Calls + of.Besides.Calls,
	} {
		if calls != sold.calls {
			t.Errorf("%s counts %d calls, %d were sold", what, calls, sold.calls)
		}
	}

	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	unfinished, err := transcripts.ReadUnfinished(t.Context(), readOnly{s}, catalogue.Builtin(), "slow")
	noError(t, err)
	if err := errors.Join(unfinished.Broken...); err != nil || len(unfinished.Rows) == 0 {
		t.Errorf("who may only read sees %d, and %v", len(unfinished.Rows), err)
	}
	ends(t, 0, dir, v.at(), "run", "slow.yaml")
	if out := ends(t, 0, dir, nil, "list", "collaborations").out; strings.Contains(out, "unfinished") || strings.Count(out, ": succeeded, round 4 of 4") != 6 {
		t.Errorf("at the end:\n%s", out)
	}
}

// readOnly is a store for who may only read.
type readOnly struct{ store.Store }

func (readOnly) PutIfAbsent(context.Context, string, []byte) error     { return os.ErrPermission }
func (readOnly) Replace(context.Context, string, []byte, string) error { return os.ErrPermission }
func (readOnly) Delete(context.Context, string) error                  { return os.ErrPermission }
