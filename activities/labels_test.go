package activities_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"roundtable/activities"
	"roundtable/activities/failure"
	"roundtable/activities/labels"
	"roundtable/activities/laketest"
	"roundtable/activities/model"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

const talked = `
name: talked
replicates: 2
env: exchange
protocol: {name: roundtable, rounds: 3}
model: scripted/trader
rule: majority
`

// desk is a lake with two ended collaborations and a labeller at work on them.
type desk struct {
	*spy
	t    *testing.T
	acts *activities.Activities
	how  campaign.Labelling
}

func newDesk(t *testing.T, how campaign.Labelling, p model.Provider) *desk {
	t.Helper()
	d := &desk{spy: newLake(t), t: t, how: how}
	noError(t, laketest.Play(ctx, d, talked, 0))
	noError(t, campaign.WriteLabelling(ctx, d, "talked", how))
	d.restart(p)
	return d
}

// restart forgets all that is in memory, as another process would.
func (d *desk) restart(p model.Provider) {
	p.Name = d.how.Labeller.Name
	d.acts = activities.New(activities.Config{Store: d, Plugins: catalogue.Builtin(), Alone: true, Models: func(plan.Choice, plan.Condition, envs.Environment) (model.Provider, error) {
		return p, nil
	}})
}

func byRules() (campaign.Labelling, model.Provider) {
	return campaign.Labelling{Labeller: plan.Choice{Name: labels.Rules}, Words: labels.Words},
		model.Provider{Model: labels.NewRules(), Simulated: true, Instant: true}
}

func (d *desk) survey(from, limit int) task.Surveyed {
	d.t.Helper()
	page, err := d.acts.Survey(ctx, task.Page{Campaign: "talked", Labeller: d.how.ID(), From: from, Limit: limit})
	noError(d.t, err)
	return page
}

func (d *desk) batch(cells ...task.Outstanding) task.Batch {
	return task.Batch{Campaign: "talked", Labeller: d.how.ID(), Cells: cells}
}

// first returns the labels of the first collaboration.
func (d *desk) first() task.Ref {
	d.t.Helper()
	return d.batch().Ref(d.survey(0, 1).Cells[0])
}

// record commits the labels of a collaboration.
func (d *desk) record(r task.Ref) (task.Result, error) {
	return d.acts.Record(ctx, task.Ending{Ref: r, Status: task.Succeeded})
}

// label labels a collaboration and commits its labels.
func (d *desk) label(r task.Ref) task.Result {
	d.t.Helper()
	_, err := d.acts.PlayRound(ctx, task.Round{Ref: r})
	noError(d.t, err)
	result, err := d.record(r)
	noError(d.t, err)
	return result
}

func (d *desk) rows() []record.Label {
	d.t.Helper()
	markers, err := lake.LabelMarkers(ctx, d, "talked", d.how.ID())
	noError(d.t, err)
	rows, err := lake.ReadAll[record.Label](ctx, d, markers)
	noError(d.t, err)
	return rows
}

// TestLabelsByRules: every message is labelled once, the same when it is done again.
func TestLabelsByRules(t *testing.T) {
	how, p := byRules()
	d := newDesk(t, how, p)
	page := d.survey(0, 1)
	if page.Total != 2 || page.Next != 1 || len(page.Ended) != 0 || len(page.Cells) != 1 || !page.Cells[0].Instant {
		t.Fatalf("first page: %+v", page)
	}
	batch := d.batch(append(page.Cells, d.survey(page.Next, 1).Cells...)...)
	for range 2 {
		played, err := do[task.Played](t, d.acts, task.PlayThrough, batch)
		noError(t, err)
		same(t, played, task.Played{Sums: task.Sums{Ended: []task.Result{{Status: task.Succeeded, Calls: 18}}, Count: []int{2}}})
	}
	rows := d.rows()
	if len(rows) != 18 || !rows[0].Simulated || rows[0].Round != 1 || len(rows[0].Shown()) == 0 || rows[0].Labeller != d.how.ID() {
		t.Errorf("%d rows, the first %+v", len(rows), rows[0])
	}
	if page := d.survey(0, 100); page.Count[0] != 2 || len(page.Cells) != 0 || page.Next != page.Total {
		t.Errorf("when all is labelled: %+v", page)
	}
	if r, err := lake.Verify(ctx, d, "talked"); err != nil || !r.OK() || r.Labels != 18 {
		t.Errorf("%+v, error %v", r, err)
	}
}

// TestLabelIsOfItsMessage: whoever labels by what the message alone says has labelled that message.
func TestLabelIsOfItsMessage(t *testing.T) {
	acts := map[string]string{"apples": "Inform", "bread": "Request", "cloth": "Propose"} // what each trader wants most
	actOf := func(text string) string {
		for good, act := range acts {
			if strings.Contains(text, "most to me is "+good) {
				return act
			}
		}
		return "Others"
	}
	how := campaign.Labelling{Labeller: plan.Choice{Name: "test/labeller"}, Words: labels.Words}
	d := newDesk(t, how, model.Provider{Endpoint: "http://labels.test", Model: saying(func(r model.Request) string {
		_, message, _ := strings.Cut(r.Messages[1].Content, `"message":`)
		return `{"acts": ["` + actOf(message) + `"]}`
	})})
	ref := d.first()
	if r := d.label(ref); r.Status != task.Succeeded {
		t.Fatalf("%+v", r)
	}
	markers, err := lake.Commits(ctx, d, "talked")
	noError(t, err)
	turns, err := lake.ReadAll[record.Turn](ctx, d, markers)
	noError(t, err)
	seen := map[string]bool{}
	for _, row := range d.rows() {
		at := slices.IndexFunc(turns, func(m record.Turn) bool {
			return m.CollaborationID == row.CollaborationID && m.Entry == row.Entry
		})
		want := actOf(*turns[at].Text)
		if seen[want] = true; !slices.Equal(row.Shown(), []string{want}) {
			t.Errorf("entry %d is labelled %v, it shows %s", row.Entry, row.Shown(), want)
		}
	}
	if len(seen) != len(acts) {
		t.Errorf("%d acts were told apart", len(seen))
	}
}

// TestLabelsAreAskedAgain: an answer that cannot be read is asked again with the
// reason; after the last re-ask the message has no label, and everything that
// was billed is in the marker and in the budget's count.
func TestLabelsAreAskedAgain(t *testing.T) {
	bad := saying(func(r model.Request) string {
		if strings.Contains(r.Messages[1].Content, `"previous_round":[]`) || strings.Contains(r.Messages[1].Content, "could not be used") && !strings.Contains(r.IdempotencyKey, "/0/") {
			return `{"acts": ["Inform", "Accept"]}`
		}
		return `{"acts": ["Chat"]}`
	})
	how := campaign.Labelling{Labeller: plan.Choice{Name: "test/labeller"}, Words: labels.Words, Reasks: 1, Price: &campaign.Price{Input: 1, Output: 2}}
	d := newDesk(t, how, model.Provider{Model: bad, Endpoint: "http://labels.test"})
	r := d.first()
	if _, err := d.record(r); err == nil || !strings.Contains(err.Error(), "is not stored") {
		t.Errorf("recorded without labels: %v", err)
	}
	for range 2 {
		_, err := do[task.RoundResult](t, d.acts, task.PlayRound, task.Round{Ref: r})
		noError(t, err)
	}
	if n := bad.count(); n > 15 || n < 9 { // 3 in the first round, 2 for each later one unless the same was asked before
		t.Errorf("%d questions for 9 messages", n)
	}
	for _, r := range bad.asked {
		if text := r.Messages[1].Content; strings.Contains(text, "could not be used") && !strings.Contains(text, `no act "Chat"`) {
			t.Errorf("asked again with %q", text)
		}
		if r.Name != "acts" || len(r.Schema) == 0 {
			t.Errorf("asked for %q in the form %s", r.Name, r.Schema)
		}
	}
	result, err := d.record(r)
	noError(t, err)
	cost := float64(bad.count()) * (100*1 + 10*2) / 1e6 // 40 of the 100 tokens are cached, at the same price
	if len(d.rows()) != 9 || result.Calls != int64(bad.count()) || math.Abs(result.CostUSD-cost) > 1e-12 {
		t.Errorf("%+v, want %d calls for $%v", result, bad.count(), cost)
	}
	for _, row := range d.rows() {
		if row.Status != record.Labelled || !slices.Equal(row.Shown(), []string{"Inform", "Accept"}) || row.Asks != 1+min(row.Round-1, 1) {
			t.Errorf("%+v shows %v", row, row.Shown())
		}
	}
	if _, err := d.acts.TakeTurn(ctx, task.Turn{Ref: r, Entry: 4000}); err == nil {
		t.Error("what is not a message is labelled")
	}
}

// TestInvalidLabel: a message whose answers cannot be read has no label, and says why.
func TestInvalidLabel(t *testing.T) {
	how := campaign.Labelling{Labeller: plan.Choice{Name: "test/labeller"}, Words: labels.Words, Reasks: 2}
	m := saying(func(model.Request) string { return "no idea" })
	d := newDesk(t, how, model.Provider{Model: m, Simulated: true})
	result := d.label(d.first())
	rows := d.rows()
	row := rows[0]
	if len(rows) != 9 || result.Calls != 27 || m.count() != 27 || row.Status != "invalid" || row.InvalidReason == nil || len(row.Shown()) > 0 || row.Asks != 3 {
		t.Errorf("%+v, first row %+v", result, row)
	}
}

// TestLabelsWithoutUsage: of answers whose service does not say what it has
// used, the worst case is reported, and what the budget is charged.
func TestLabelsWithoutUsage(t *testing.T) {
	how := campaign.Labelling{
		Labeller: plan.Choice{Name: "test/labeller"}, Words: labels.Words, Generate: plan.Generate{MaxTokens: 100}, Price: &campaign.Price{Input: 1, Output: 2},
	}
	silent := &fake{answer: func(model.Request) (model.Response, error) {
		return model.Response{Text: []byte(`{"acts": ["Inform"]}`), FinishReason: "stop"}, nil
	}}
	d := newDesk(t, how, model.Provider{Model: silent, Endpoint: "http://labels.test"})
	result := d.label(d.first())
	markers, err := lake.LabelMarkers(ctx, d, "talked", d.how.ID())
	noError(t, err)
	charged := float64(markers[0].Charged.NanoUSD) / 1e9
	if charged == 0 || math.Abs(result.WorstUSD-charged) > 1e-9 || !result.Unpriced {
		t.Errorf("reported %+v; charged $%v", result, charged)
	}
}

// TestLabellingID: whatever changes what is asked changes the labeller; the price and the address do not.
func TestLabellingID(t *testing.T) {
	base := campaign.Labelling{Labeller: plan.Choice{Name: "openai/GPT 5"}, Reasks: 2, Words: "w"}
	if !strings.HasPrefix(base.ID(), "openai-gpt-5-") {
		t.Errorf("id %s", base.ID())
	}
	priced := base
	priced.Price = &campaign.Price{Input: 3}
	if priced.ID() != base.ID() {
		t.Error("a price makes another labeller")
	}
	moved := base
	moved.Labeller.Params = []byte(`{"base_url":"x"}`)
	if moved.ID() != base.ID() {
		t.Error("another address makes another labeller")
	}
	words, reasks, params := base, base, base
	words.Words, reasks.Reasks, params.Labeller.Params = "v", 1, []byte(`{"x":1}`)
	for _, other := range []campaign.Labelling{words, reasks, params} {
		if other.ID() == base.ID() {
			t.Errorf("%+v is the same labeller", other)
		}
	}
	s := newLake(t)
	noError(t, campaign.WriteLabelling(ctx, s, "c", priced))
	got, err := campaign.ReadLabelling(ctx, s, "c", base.ID())
	noError(t, err)
	same(t, got, priced)
}

// TestLabelsKeepBudget: labels count against the campaign's budget, those of an
// earlier process too; when it is spent, the operator must act.
func TestLabelsKeepBudget(t *testing.T) {
	m := saying(func(model.Request) string { return `{"acts": ["Inform"]}` })
	how := campaign.Labelling{
		Labeller: plan.Choice{Name: "test/labeller"}, Words: labels.Words, Generate: plan.Generate{MaxTokens: 100}, Price: &campaign.Price{Input: 1, Output: 2},
	}
	provider := model.Provider{Model: m, Endpoint: "http://labels.test"}
	d := newDesk(t, how, provider)
	markers, err := lake.Committed(ctx, d, "talked")
	noError(t, err)
	few := int64(2500) // of tokens, besides those of the agents: one label at its dearest and one or two as they are
	for _, m := range markers {
		few += m.Charged.Tokens
	}
	noError(t, campaign.WriteManifest(ctx, d, campaign.Manifest{Campaign: "talked", Limits: plan.Limits{Tokens: few}}))
	r := d.first()
	label := func() error {
		_, err := d.acts.PlayRound(ctx, task.Round{Ref: r})
		return err
	}
	var app *failure.Failure
	if err := label(); !errors.As(err, &app) || app.Type != task.ErrPause || !strings.Contains(app.Message, "budget") {
		t.Fatalf("a budget for a few labels: %v", err)
	}
	spent := m.count()
	if spent == 0 || spent >= 9 {
		t.Fatalf("%d labels were bought before %v", spent, app)
	}
	d.restart(provider)
	if err := label(); err == nil || m.count() >= 9 { // a shorter one may still fit
		t.Errorf("another process buys %d more: %v", m.count()-spent, err)
	}
	noError(t, campaign.WriteManifest(ctx, d, campaign.Manifest{Campaign: "talked", Limits: plan.Limits{Tokens: 2 * few}}))
	d.restart(provider)
	noError(t, label())
}

// TestLabelsFromAQueue: if the labels are taken from the queue of the labeller's model, the
// round asks nothing and says which there are; TakeTurn takes each.
func TestLabelsFromAQueue(t *testing.T) {
	m := saying(func(model.Request) string { return `{"acts": ["Inform"]}` })
	how := campaign.Labelling{Labeller: plan.Choice{Name: "test/labeller"}, Words: labels.Words}
	d := newDesk(t, how, model.Provider{Model: m, Simulated: true})
	noError(t, campaign.WriteManifest(ctx, d, campaign.Manifest{
		Campaign: "talked", Limits: plan.Limits{Models: map[string]plan.ModelLimits{"test/labeller": {RequestsPerMinute: 1000}}},
	}))
	d.restart(model.Provider{Model: m, Simulated: true})
	r := d.first()
	opened, err := do[task.RoundResult](t, d.acts, task.PlayRound, task.Round{Ref: r})
	noError(t, err)
	entries := opened.Setting.Unlabelled
	if len(entries) != 9 || opened.Setting.Queues[task.LabelSpeaker] == "" || m.count() != 0 {
		t.Fatalf("%d questions, %+v", m.count(), opened.Setting)
	}
	for range 2 {
		for _, entry := range entries {
			_, err := d.acts.TakeTurn(ctx, task.Turn{Ref: r, Entry: entry})
			noError(t, err)
		}
	}
	result, err := d.record(r)
	noError(t, err)
	same(t, result.Calls, int64(m.count()))
	same(t, len(d.rows()), 9)
}
