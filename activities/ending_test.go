package activities_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"roundtable/activities"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// Any process commits the same for a collaboration, however often.
func TestRecordTwiceAndAtOnce(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("twice", 2, 1))
	r := ref(p, 0)
	m := saying(polite)
	a := newActivities(s, m)
	for entry := range 6 {
		take(t, a, r, entry)
	}
	results := make([]task.Result, 8)
	inParallel(len(results), func(i int) {
		with := a
		if i%2 == 1 {
			with = newActivities(s, m)
		}
		var err error
		if results[i], err = with.Record(ctx, task.Ending{Ref: r, Status: task.Succeeded}); err != nil {
			t.Error(err)
		}
	})
	key := s.holds("raw/_commits/")
	same(t, len(key), 1)
	data := string(must(s.Get(ctx, key[0])))
	for _, result := range append(slices.Clone(results), commit(t, a, r, task.Succeeded)) {
		same(t, result, task.Result{Status: task.Succeeded, Calls: 6, InputTokens: 600, OutputTokens: 60, CostUSD: results[0].CostUSD})
	}
	same(t, string(must(s.Get(ctx, key[0]))), data)
	same(t, len(s.holds("raw/turns/")), 1)
}

// Other rows of the same collaboration are a defect, which is told and changes nothing.
func TestRecordOfOtherRowsIsRefused(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("conflict", 2, 1))
	r := ref(p, 0)
	a := newActivities(s, saying(polite))
	take(t, a, r, 0)
	commit(t, a, r, task.Stopped)
	take(t, newActivities(s, saying(polite)), r, 1)
	before := marker(t, s, p, r)
	_, err := do[task.Result](t, a, task.Record, task.Ending{Ref: r, Status: task.Succeeded})
	if app := application(t, err); app.Type() != task.ErrFail || !strings.Contains(app.Message(), "other rows are committed") {
		t.Fatal(err)
	}
	same(t, marker(t, s, p, r), before)
}

// A ballot that never came leaves a gap before those that did: the failure stays what it
// was, and all that is there makes rows.
func TestBallotsAfterAGap(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("gap", 2, 1))
	r := ref(p, 0)
	a := newActivities(s, saying(polite))
	for _, entry := range []int{0, 1, 2, 3, 5} {
		take(t, a, r, entry)
	}
	result, err := do[task.Result](t, a, task.Record, task.Ending{Ref: r, Status: task.Failed, Failure: "context_length_exceeded"})
	noError(t, err)
	same(t, result.Failure, "context_length_exceeded")
	m := marker(t, s, p, r)
	same(t, len(must(lake.ReadRows[record.Turn](ctx, s, m))), 5)
	ballots := must(lake.ReadRows[record.Ballot](ctx, s, m))
	if len(ballots) == 0 || ballots[0].Entry != 5 || ballots[0].Agent != 1 {
		t.Errorf("ballots are %+v", ballots)
	}
}

// cells of a campaign of six: three replicates of two conditions.
func six(t *testing.T, s store.Store) campaign.Plan {
	t.Helper()
	return recordPlan(t, s, yaml("six", 2, 1, "replicates: 3", "grid: {rule: [plurality, ranked]}"))
}

func page(p campaign.Plan, from, limit int) task.Page {
	return task.Page{Campaign: p.Campaign.Name, Revision: p.Campaign.Revision(), From: from, Limit: limit}
}

func survey(t *testing.T, a *activities.Activities, page task.Page) task.Surveyed {
	t.Helper()
	found, err := do[task.Surveyed](t, a, task.Survey, page)
	noError(t, err)
	return found
}

func outstanding(p campaign.Plan, cell, generation int) task.Outstanding {
	c := p.Campaign.Cell(cell)
	return task.Outstanding{ID: p.Campaign.CollaborationID(c) + "." + string(rune('0'+generation)), Cell: c, Generation: generation}
}

func TestSurveyPagesThroughWhatIsLeft(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := six(t, s)
	a := newActivities(s, saying(polite))
	playWhole(t, a, p, ref(p, 0))
	commit(t, a, ref(p, 3), task.Failed)
	first := survey(t, a, page(p, 0, 2))
	same(t, first.Cells, []task.Outstanding{outstanding(p, 1, 0), outstanding(p, 2, 0)})
	same(t, []int{first.Next, first.Total}, []int{3, 6})
	same(t, first.Count, []int{1})
	same(t, first.Ended[0].Status, task.Succeeded)
	same(t, first.Ended[0].Calls, 6)
	second := survey(t, a, page(p, first.Next, 2))
	same(t, second.Cells, []task.Outstanding{outstanding(p, 4, 0), outstanding(p, 5, 0)})
	same(t, second.Next, 6)
	same(t, second.Ended, []task.Result{{Status: task.Failed}})
	same(t, survey(t, a, page(p, 6, 2)), task.Surveyed{Next: 6, Total: 6})
}

func TestRetryAddsGenerations(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := six(t, s)
	a := newActivities(s, saying(polite), noCache)
	playWhole(t, a, p, ref(p, 0))
	commit(t, a, ref(p, 1), task.Failed)
	take(t, a, ref(p, 2), 0)
	commit(t, a, ref(p, 2), task.Stopped)
	same(t, len(survey(t, a, page(p, 0, 10)).Cells), 3)
	noError(t, campaign.RequestRerun(ctx, s, "six"))
	found := survey(t, a, page(p, 0, 10))
	same(t, found.Cells[:3], []task.Outstanding{outstanding(p, 1, 1), outstanding(p, 2, 1), outstanding(p, 3, 0)})
	again := ref(p, 2)
	again.Generation = 1
	same(t, len(stored(t, s, p, again).Turns), 0) // another generation begins from nothing
	opened, err := a.PlayRound(ctx, task.Round{Ref: again})
	noError(t, err)
	same(t, opened.Committed == nil, true)
	playWhole(t, a, p, again)
	same(t, survey(t, a, page(p, 0, 10)).Cells[:2], []task.Outstanding{outstanding(p, 1, 1), outstanding(p, 3, 0)})
	// Asked for again before it is done, it is the same request: what has had its other try gets no third.
	failed := ref(p, 1)
	failed.Generation = 1
	noError(t, campaign.RequestRerun(ctx, s, "six"))
	same(t, survey(t, a, page(p, 0, 10)).Cells[:2], []task.Outstanding{outstanding(p, 1, 1), outstanding(p, 3, 0)})
	commit(t, a, failed, task.Failed)
	same(t, survey(t, a, page(p, 0, 10)).Cells[0], outstanding(p, 3, 0))
	noError(t, campaign.RequestRerun(ctx, s, "six")) // it is done: another one
	same(t, survey(t, a, page(p, 0, 10)).Cells[0], outstanding(p, 1, 2))
	// Readers take the latest; the earlier one stays.
	latest := must(lake.Committed(ctx, s, "six"))
	all := must(lake.Commits(ctx, s, "six"))
	same(t, []int{len(latest), len(all)}, []int{3, 5})
	same(t, rows(t, s, p, again).Turns[0].Generation, int32(1))
	same(t, len(rows(t, s, p, ref(p, 2)).Turns), 1)
}

func TestForgoneCellsHaveRows(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := six(t, s)
	a := newActivities(s, saying(polite))
	take(t, a, ref(p, 4), 0) // an earlier run had begun it
	for range 2 {
		_, err := do[struct{}](t, a, task.StopUnstarted, []task.Ref{ref(p, 3), ref(p, 4)})
		noError(t, err)
	}
	all := rows(t, s, p, ref(p, 3))
	same(t, []int{len(all.Collaborations), len(all.Rounds), len(all.Turns), len(all.Ballots), len(all.Calls)}, []int{1, 0, 0, 0, 0})
	row := all.Collaborations[0]
	same(t, []string{row.Status, *row.Failure, row.EndReason, row.Rule}, []string{task.Stopped, "cancelled before it began", "", "ranked"})
	same(t, []int32{row.Agents, row.RoundsPlanned, row.RoundsRun, row.Calls, row.Replicate}, []int32{2, 1, 0, 0, 1})
	same(t, row.Score == nil && row.DecisionKey == nil, true)
	same(t, *row.CostUSD, 0)
	same(t, len(rows(t, s, p, ref(p, 4)).Turns), 1)
}

func TestSealWaitsForEveryCell(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := six(t, s)
	a := newActivities(s, saying(polite))
	seal := func() task.Surveyed {
		all, err := do[task.Surveyed](t, a, task.Seal, task.Sealing{Campaign: "six", Revision: p.Campaign.Revision()})
		noError(t, err)
		same(t, len(all.Cells), 0)
		return all
	}
	for cell := range 5 {
		same(t, len(seal().Ended), min(cell, 1))
		same(t, len(s.holds("_SUCCESS")), 0)
		playWhole(t, a, p, ref(p, cell))
	}
	_, err := a.StopUnstarted(ctx, []task.Ref{ref(p, 5)})
	noError(t, err)
	all := seal()
	same(t, all.Count, []int{5, 1})
	same(t, []string{all.Ended[0].Status, all.Ended[1].Status}, []string{task.Succeeded, task.Stopped})
	same(t, all.Ended[0].Calls, 30)
	var success struct{ Revision, Digest string }
	noError(t, json.Unmarshal(must(s.Get(ctx, lake.SuccessKey("six"))), &success))
	same(t, success.Revision, p.Campaign.Revision())
	same(t, success.Digest, lake.Digest(must(lake.Committed(ctx, s, "six"))))
	before := must(s.Get(ctx, lake.SuccessKey("six")))
	seal()
	same(t, must(s.Get(ctx, lake.SuccessKey("six"))), before)
}

// A campaign continues with the prompts that it began with.
func TestPlanStaysAsItWasRecorded(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("plan", 2, 1))
	read := must(campaign.ReadPlan(ctx, s, "plan", p.Campaign.Revision()))
	same(t, read, p)
	same(t, read.Campaign.Revision(), p.Campaign.Revision())
	changed := p
	changed.Pack, changed.Agents = []string{"other"}, []int{9}
	noError(t, campaign.WritePlan(ctx, s, changed))
	same(t, must(campaign.ReadPlan(ctx, s, "plan", p.Campaign.Revision())), p)
	changed.Campaign.Replicates = 7
	noError(t, campaign.WritePlan(ctx, s, changed))
	same(t, must(campaign.ReadPlan(ctx, s, "plan", changed.Campaign.Revision())).Agents, []int{9})
}

// A recorded plan that has changed is refused: another seed would give rows
// that look like the campaign's and are not.
func TestDamagedPlanIsRefused(t *testing.T) {
	t.Parallel()
	for _, change := range [][2]string{{`"seed":1`, `"seed":3`}, {"You ", "Yov "}, {`"agents":[2]`, `"agents":[]`}} {
		s := newLake(t)
		p := recordPlan(t, s, yaml("damaged", 2, 1, "seed: 1"))
		revision := p.Campaign.Revision()
		key := campaign.PlanKey("damaged", revision)
		data := string(must(s.Get(ctx, key)))
		changed := strings.Replace(data, change[0], change[1], 1)
		if changed == data {
			t.Fatalf("the plan does not hold %s", change[0])
		}
		noError(t, s.Replace(ctx, key, []byte(changed), ""))
		if _, err := campaign.ReadPlan(ctx, s, "damaged", revision); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("with %s: %v", change[1], err)
		}
	}
}
