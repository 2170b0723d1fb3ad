package main

import (
	"fmt"
	"roundtable/cmd/internal/cli"
	"strings"
	"testing"
)

// run asks each model once before it starts, says what that cost, and asks one
// that has answered no more. Scripted models are not asked.
func TestRunChecksModels(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	v := newVendor(t)
	said := sells("check", "stop", func(*asked) string { return "yes" })
	v.set(func(a *asked) *trick {
		if strings.Contains(a.key, "/check-") {
			return &said
		}
		return nil
	})
	dir := write(t, vendorCampaign(v, "checked", 1))
	d := ends(t, 0, dir, nil, "run", "campaign.yaml", "--no-check=false")
	if !strings.Contains(d.err, "checked openai/fake: it answers") || !strings.Contains(d.err, "$0.000") || v.played["check"] != 1 {
		t.Errorf("%d check calls; the run says:\n%s", v.played["check"], d.err)
	}
	save(t, dir, "campaign.yaml", vendorCampaign(v, "checked", 2))
	ends(t, 0, dir, nil, "run", "campaign.yaml", "--no-check=false")
	if v.played["check"] != 1 {
		t.Errorf("a model that has answered is asked %d times whether it does", v.played["check"])
	}
	sold, _ := v.books()
	sum, _ := costOf(t, dir, "checked")
	if got, want := sum["cost USD"].(float64), float64(sold.nanoUSD)/1e9; got < want-1e-4 || got > want+1e-4 || sum["answered"].(float64) != float64(sold.calls) {
		t.Errorf("cost says $%v for %v calls, the vendor sold %d for $%v", got, sum["answered"], sold.calls, want)
	}
	for _, says := range [][]string{{"status", fmt.Sprintf("%d calls", sold.calls)}, {"status", "of these 1 call, $0.0"}, {"list campaigns", fmt.Sprintf("$%.4f", sum["cost USD"])}} {
		if out := ends(t, 0, dir, nil, strings.Fields(says[0])...).out; !strings.Contains(out, says[1]) {
			t.Errorf("%s does not say %q:\n%s", says[0], says[1], out)
		}
	}
	digestBy(t, dir, "checked")
}

// A service that gives no log-probabilities is found out before the campaign begins, also where another
// condition asks for none, and by each run until the file no longer asks for them.
func TestLogprobsAreCheckedInEachRun(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	v := newVendor(t)
	said := sells("check", "stop", func(*asked) string { return "yes" })
	v.set(func(*asked) *trick { return &said })
	text := vendorCampaign(v, "probable", 1) + "grid:\n  generate: [{}, {logprobs: true}]\n"
	dir := write(t, text)
	for range 2 {
		if d := ends(t, cli.ExitIncomplete, dir, nil, "run", "campaign.yaml", "--no-check=false"); !strings.Contains(d.err, "asked for log-probabilities and gave none") {
			t.Errorf("says\n%s", d.err)
		}
	}
	if st := statusBy(t, dir, "probable"); st.Succeeded > 0 {
		t.Errorf("%d cells were played", st.Succeeded)
	}
}

// A wrong key or an unknown model behind a proxy comes with any status: the
// campaign pauses before a cell is lost, with the check and without it.
func TestRefusedModelPausesTheCampaign(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	for _, how := range []string{"--no-check=false", "--no-check"} {
		v := newVendor(t)
		v.after(0, says("unknown", false, 400, `{"error":{"message":"Invalid model name passed in model=fake","type":"invalid_request_error","code":"400"}}`))
		dir := write(t, vendorCampaign(v, "refused", 4))
		d := ends(t, cli.ExitIncomplete, dir, nil, "run", "campaign.yaml", how)
		if !strings.Contains(d.err, "is paused") || !strings.Contains(d.err, "Invalid model name") {
			t.Errorf("%s: says\n%s", how, d.err)
		}
		if st := statusBy(t, dir, "refused"); st.State != "paused" || st.Failed > 0 || !strings.Contains(st.PauseReason, "Invalid model name") {
			t.Errorf("%s: the campaign is %s with %d failed cells: %s", how, st.State, st.Failed, st.PauseReason)
		}
		if most := map[string]int{"--no-check=false": 1, "--no-check": 20}[how]; len(v.arrivals()) > most {
			t.Errorf("%s: %d calls were made of a model that refuses them", how, len(v.arrivals()))
		}
		v.set(nil)
		ends(t, 0, dir, nil, "run", "campaign.yaml")
		if got := fmt.Sprint(statusBy(t, dir, "refused").Succeeded); got != "4" {
			t.Errorf("%s: %s of 4 cells succeed once the model is there", how, got)
		}
	}
}

// A service that is limited at the moment does not keep a campaign from starting.
func TestLimitedModelIsStarted(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	v := newVendor(t)
	limited := says("limited", false, 429, openaiError("requests", "rate_limit_exceeded"), "Retry-After-Ms", "50")
	v.set(func(a *asked) *trick {
		if a.n > 0 {
			return nil
		}
		return &limited
	})
	dir := write(t, vendorCampaign(v, "limited", 1))
	if d := ends(t, 0, dir, nil, "run", "campaign.yaml", "--no-check=false"); !strings.Contains(d.err, "it will be tried again") {
		t.Errorf("says\n%s", d.err)
	}
}
