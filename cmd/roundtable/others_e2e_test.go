package main

import (
	"fmt"
	"os"
	"path/filepath"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
	"strings"
	"testing"
)

// vendorCampaign is the file of a campaign whose agents a vendor plays.
func vendorCampaign(v *vendor, name string, replicates int) string {
	return fmt.Sprintf(`name: %s
replicates: %d
env: exchange
protocol: {name: roundtable, rounds: 2}
rule: majority
model: {name: openai/fake, base_url: %q}
limits: {collaborations: 2}
%s`, name, replicates, v.URL+"/v1", vendorPrices)
}

// A process works on the campaign that it was asked for. Another one of the same
// folder that was interrupted or killed stays as it is until it is named.
func TestOtherCampaignsStayInterrupted(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	for name, sent := range map[string]os.Signal{"Ctrl-C": os.Interrupt, "kill": os.Kill} {
		t.Run(name, func(t *testing.T) {
			mine, others := newVendor(t), newVendor(t)
			release := others.holdAfter(30)
			dir := write(t, vendorCampaign(others, "others", 12))
			save(t, dir, "mine.yaml", vendorCampaign(mine, "mine", 1))
			b := starts(t, dir, nil, "run", "campaign.yaml")
			screentest.Until(t, "answers of the first campaign", func() bool { return b.over() || len(storedKeys(t, dir)) >= 12 })
			noError(t, b.Process.Signal(sent))
			release()
			<-b.ended
			before := len(others.arrivals())

			d := ends(t, 0, dir, nil, "run", "mine.yaml")
			if asked := len(others.arrivals()) - before; asked > 0 {
				t.Errorf("to run mine asked the service of the other campaign %d times", asked)
			}
			sold, _ := mine.books()
			if calls := fmt.Sprintf("1/1 collaboration · %d calls", sold.calls); !strings.Contains(d.err, calls) {
				t.Errorf("the progress of mine lacks %q:\n%s", calls, d.err)
			}
			if st := statusBy(t, dir, "others"); st.State != "interrupted" || st.Running > 0 {
				t.Errorf("the other campaign is %s with %d running", st.State, st.Running)
			}

			stored := storedKeys(t, dir)
			ends(t, 0, dir, nil, "run", "campaign.yaml")
			for _, a := range others.arrivals()[before:] {
				if stored[a.key] {
					t.Errorf("%s was stored and is asked again", a.key)
				}
			}
			digestBy(t, dir, "others")
		})
	}
}

// Campaigns of one state folder run at the same time, and each is steered by its name.
func TestCampaignsOfOneFolderRunAtOnce(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	first, second := newVendor(t), newVendor(t)
	releases := []func(){first.holdAfter(0), second.holdAfter(0)}
	dir := write(t, vendorCampaign(first, "first", 1))
	save(t, dir, "second.yaml", vendorCampaign(second, "second", 1))
	a := starts(t, dir, nil, "run", "campaign.yaml")
	b := starts(t, dir, nil, "run", "second.yaml")
	screentest.Until(t, "calls of both", func() bool { return len(first.arrivals()) > 0 && len(second.arrivals()) > 0 })
	ends(t, 0, dir, nil, "pause", "second")
	for _, release := range releases {
		release()
	}
	<-a.ended
	<-b.ended
	if a.code(t) != 0 || b.code(t) != cli.ExitIncomplete {
		t.Errorf("the first ends with %d, the paused one with %d\n%s%s", a.code(t), b.code(t), &a.said, &b.said)
	}
	ends(t, 0, dir, nil, "resume", "second")
	digestBy(t, dir, "first")
	digestBy(t, dir, "second")
}

// A campaign of one name in two lakes, begun by turns with one state folder,
// ends in both; and once more after its lake was deleted.
func TestOneNameInTwoLakes(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	writeSlow(t, dir, 4)
	interrupted := runInBackground(t, dir, "--lake", "one")
	screentest.Until(t, "answers", func() bool {
		found, _ := filepath.Glob(filepath.Join(dir, "one/answers/campaign=slow/*"))
		return interrupted.over() || len(found) > 0
	})
	interrupted.Process.Signal(os.Interrupt)
	if code := interrupted.code(t); code != cli.ExitInterrupted {
		t.Fatalf("it ends with %d", code)
	}
	for _, lake := range []string{"two", "one"} {
		contains(t, output(t, dir, "run", "slow.yaml", "--lake", lake), "4/4 collaborations")
		contains(t, output(t, dir, "verify", "slow", "--lake", lake), "Nothing is wrong.")
	}
	noError(t, os.RemoveAll(filepath.Join(dir, "two")))
	contains(t, output(t, dir, "run", "slow.yaml", "--lake", "two"), "4/4 collaborations")
	contains(t, output(t, dir, "verify", "slow", "--lake", "two"), "Nothing is wrong.")
}
