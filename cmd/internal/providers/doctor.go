package providers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake/campaign"
)

// Examination is the doctor's examination of one model.
type Examination struct {
	Provider  model.Provider
	Price     *campaign.Price // nil if it is not known
	MaxTokens int             // of an answer
	AtOnce    int             // the most calls at once; from 2 on they are doubled
	Prefix    string          // of a long prompt, so that no service has read it before
}

// Finding is the result of one test of an examination.
type Finding struct {
	Name   string `json:"name"`
	Result string `json:"result"` // yes, no, unknown, or a number
	Detail string `json:"detail"`
}

// What a question can show. What failed, or was not asked, is not known.
const yes, no, unknown = "yes", "no", "unknown"

// Report is the result of an examination.
type Report struct {
	Model    string    `json:"model"`
	Endpoint string    `json:"endpoint"`
	Findings []Finding `json:"findings"`
	AtOnce   int       `json:"calls_at_once"`      // that pay off; 0 if that is not known
	Calls    int       `json:"calls"`              // that were made
	Tokens   int64     `json:"tokens"`             // that they took
	CostUSD  *float64  `json:"cost_usd,omitempty"` // nil if a price is not known
}

// callTime bounds one call, as in a campaign that says nothing of it.
const callTime = 10 * time.Minute

// Of the questions. The tale is long enough to show where two answers part.
const (
	greeting = "Which is the largest planet of the solar system? Answer with its name."
	tale     = "Tell in three sentences how a river comes to be."
)

// schemas names a finding.
const schemas = "JSON schemas"

// schema asks for what no words ask for, so that an answer in its form shows that it is kept.
var schema = json.RawMessage(`{
	"type": "object", "required": ["planet", "moons"], "additionalProperties": false,
	"properties": {"planet": {"type": "string"}, "moons": {"type": "integer"}}
}`)

// ask returns a request with the tokens of an answer bounded.
func (e Examination) ask(text string) model.Request {
	return model.Request{
		Messages:   []model.Message{{Role: "user", Content: text}},
		Parameters: model.Parameters{MaxTokens: e.MaxTokens},
	}
}

func (e Examination) askTale() model.Request {
	r := e.ask(tale)
	r.Parameters.Temperature = new(float64)
	return r
}

func (e Examination) askForm() model.Request {
	r := e.ask(greeting)
	r.Schema, r.Name = schema, "planet"
	return r
}

// askLong asks about an entry of a list, which is a prefix of some 1,300 tokens: services begin to
// keep them from about 1,000 on.
func (e Examination) askLong(entry int) model.Request {
	var b strings.Builder
	fmt.Fprintf(&b, "These are the entries of list %s.\n", e.Prefix)
	for i := range 110 {
		fmt.Fprintf(&b, "Entry %d: shelf %d holds %d boxes.\n", i+1, i*7%31, i*13%97)
	}
	fmt.Fprintf(&b, "How many boxes are on the shelf of entry %d? Answer with the number alone.", entry)
	return e.ask(b.String())
}

func (e Examination) askLogprobs() model.Request {
	r := e.ask(greeting)
	r.Parameters.Logprobs = true
	return r
}

func (e Examination) askUnthinking() model.Request {
	r := e.ask(greeting)
	r.Parameters.ReasoningEffort = "none"
	return r
}

// callsAtOnce are how many calls are made at once, beginning with the second one.
func (e Examination) callsAtOnce() (n []int) {
	for at := 2; at <= e.AtOnce; at *= 2 {
		n = append(n, at)
	}
	return n
}

// Most returns the most calls that an examination makes, and their highest cost.
func (e Examination) Most() (n int, cost money.Amount, err error) {
	asked := []model.Request{
		e.ask(greeting), e.askTale(), e.askTale(), e.askForm(), e.askLong(3), e.askLong(5), e.askLogprobs(),
		e.askUnthinking(),
	}
	for _, at := range e.callsAtOnce() {
		asked = append(asked, slices.Repeat([]model.Request{e.askTale()}, at)...)
	}
	for _, r := range asked {
		size := calls.ByteSize(r.Messages) + len(r.Schema)
		worst, err := money.Worst(*cmp.Or(e.Price, &campaign.Price{}), size, len(r.Messages), e.MaxTokens)
		if err != nil {
			return 0, money.Amount{}, err
		}
		cost = cost.Add(worst)
	}
	return len(asked), cost, nil
}

// patient is a model under examination, with what it was asked so far.
type patient struct {
	Examination
	tell func(Finding)

	mu     sync.Mutex // over report, while calls are made at once
	report Report
}

// answer is one answer with the time that it took.
type answer struct {
	model.Response
	took time.Duration
	err  error
}

// Run calls the model and passes each finding to tell as soon as it is known. The error says that the model
// cannot be called at all, or that ctx has ended; the report then holds what was found before.
func (e Examination) Run(ctx context.Context, tell func(Finding)) (Report, error) {
	p := &patient{Examination: e, tell: tell, report: Report{Model: e.Provider.Name, Endpoint: e.Provider.Endpoint}}
	if e.Price != nil {
		p.report.CostUSD = new(float64)
	}
	hello := p.call(ctx, e.ask(greeting))
	if hello.err != nil {
		p.note("answers", no, hello.err.Error())
		return p.report, errors.Join(ctx.Err(), fmt.Errorf("%s cannot be asked: %w", e.Provider.Name, hello.err))
	}
	p.note("answers", yes, fmt.Sprintf("%s in %s: %s", hello.Model, secondsText(hello.took),
		showAnswer(hello.Response)))
	for _, examine := range []func(context.Context, answer){p.checkRepeats, p.checkForm, p.checkPrefixes,
		p.checkLogprobs, p.checkThinking} {
		if examine(ctx, hello); ctx.Err() != nil {
			return p.report, ctx.Err()
		}
	}
	return p.report, nil
}

// call asks once, and adds up what that took.
func (p *patient) call(ctx context.Context, r model.Request) answer {
	if checker, ok := p.Provider.Model.(model.Checker); ok {
		if err := checker.Check(r.Parameters); err != nil {
			return answer{err: err} // unsent
		}
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	began := time.Now()
	got, err := p.Provider.Complete(ctx, r)
	a := answer{got, time.Since(began), err}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report.Calls++
	p.report.Tokens += got.Usage.Input + got.Usage.Output
	if p.Price != nil {
		*p.report.CostUSD += money.Cost(*p.Price, got.Usage)
	}
	return a
}

func (p *patient) note(name, result, detail string) {
	f := Finding{name, result, detail}
	p.report.Findings = append(p.report.Findings, f)
	p.tell(f)
}

// checkRepeats asks the same at temperature 0: twice alone, and then with ever more calls at once,
// which also shows how many of them pay off.
func (p *patient) checkRepeats(ctx context.Context, _ answer) {
	first, second := p.call(ctx, p.askTale()), p.call(ctx, p.askTale())
	if err := cmp.Or(first.err, second.err); err != nil {
		p.note("repeats", unknown, fmt.Sprintf("at temperature 0: %v", err))
		p.note("calls at once", unknown, "not asked, since the question above failed")
		return
	}
	alone := isSameText(first, second)
	rates := []rate{{1, 2 / (first.took + second.took).Minutes()}}
	beside, others, refused := 0, 0, ""
	for _, n := range p.callsAtOnce() {
		began := time.Now()
		all := p.callAtOnce(ctx, n)
		took := time.Since(began)
		for _, a := range all {
			if a.err != nil {
				refused = fmt.Sprintf("; of %d at once one failed: %v", n, a.err)
				break
			}
			others++
			if !isSameText(first, a) {
				beside++
			}
		}
		if refused != "" {
			break
		}
		rates = append(rates, rate{n, float64(n) / took.Minutes()})
	}
	switch {
	case len(first.Text) == 0: // which says nothing of what it would have been
		p.note("repeats", unknown, "the answer was empty: "+showAnswer(first.Response))
	case alone && beside == 0:
		p.note("repeats", yes, repeatsText(alone, beside, others))
	default:
		p.note("repeats", no, repeatsText(alone, beside, others))
	}
	p.report.AtOnce = payingOff(rates)
	var words []string
	for _, r := range rates {
		words = append(words, fmt.Sprintf("%d: %.3g", r.atOnce, r.perMinute))
	}
	speeds := "calls a minute with so many at once, " + strings.Join(words, ", ")
	p.note("calls at once", fmt.Sprint(p.report.AtOnce), speeds+refused)
}

func (p *patient) callAtOnce(ctx context.Context, n int) []answer {
	all := make([]answer, n)
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() { all[i] = p.call(ctx, p.askTale()) })
	}
	wait.Wait()
	return all
}

func isSameText(a, b answer) bool { return string(a.Text) == string(b.Text) }

// repeatsText says in words how equal answers to the same question at temperature 0 were.
func repeatsText(alone bool, beside, others int) string {
	const same = "at temperature 0 the same question alone has the same answer twice"
	switch {
	case !alone:
		return "at temperature 0 the same question alone has two answers"
	case others == 0:
		return same
	case beside == 0:
		return fmt.Sprintf("%s, and so have %d at once with others", same, others)
	}
	return fmt.Sprintf("%s; of %d at once with others %d differ: they depend on what the server computes with them",
		same, others, beside)
}

// rate is the number of calls per minute at a number of concurrent calls.
type rate struct {
	atOnce    int
	perMinute float64
}

// gain is how much faster more calls at once must be, to pay off: a few calls measure no less.
const gain = 1.15

// payingOff returns the most calls at once that are faster than fewer.
func payingOff(rates []rate) int {
	best := rates[0]
	for _, r := range rates[1:] {
		if r.perMinute >= gain*best.perMinute {
			best = r
		}
	}
	return best.atOnce
}

// checkForm asks for JSON by a schema alone.
func (p *patient) checkForm(ctx context.Context, _ answer) {
	a := p.call(ctx, p.askForm())
	var planet struct {
		Planet *string      `json:"planet"`
		Moons  *json.Number `json:"moons"` // of any size
	}
	kept := json.Unmarshal(a.Text, &planet) == nil && planet.Planet != nil && planet.Moons != nil
	switch cut := a.FinishReason == model.FinishLength || a.FinishReason == model.FinishContext; {
	case a.err != nil:
		p.note(schemas, unknown, a.err.Error())
	case len(a.Waived) > 0:
		p.note(schemas, no, "it takes "+strings.Join(a.Waived, ", "))
	case kept:
		p.note(schemas, yes, "kept although no word asks for JSON")
	case cut:
		p.note(schemas, unknown, "cut off; --max-tokens raises the limit: "+showAnswer(a.Response))
	default:
		p.note(schemas, no, "taken and not kept: "+showAnswer(a.Response))
	}
}

// checkPrefixes asks two questions about one long text.
func (p *patient) checkPrefixes(ctx context.Context, _ answer) {
	first, second := p.call(ctx, p.askLong(3)), p.call(ctx, p.askLong(5))
	if err := cmp.Or(first.err, second.err); err != nil {
		p.note("prefixes", unknown, err.Error())
		return
	}
	result, cached := no, "reports none of them as read before"
	if n := second.Usage.CachedInput; n > 0 {
		result, cached = yes, fmt.Sprintf("reports %d of them as read before", n)
	} else if second.took < first.took/2 {
		result = yes
	}
	p.note("prefixes", result, fmt.Sprintf("the first question about a text of %d tokens took %s, the second %s, and "+
		"the service %s",
		second.Usage.Input, secondsText(first.took), secondsText(second.took), cached))
}

// checkLogprobs asks for the log-probabilities of an answer's tokens.
func (p *patient) checkLogprobs(ctx context.Context, _ answer) {
	a := p.call(ctx, p.askLogprobs())
	switch {
	case a.err != nil:
		p.note("logprobs", unknown, a.err.Error())
	case a.Logprob != nil:
		p.note("logprobs", yes, "given; generate: {logprobs: true} keeps their mean")
	default:
		p.note("logprobs", no, "asked for and not given")
	}
}

// checkThinking says whether the model thought before its first answer, and if so whether that can be
// switched off.
func (p *patient) checkThinking(ctx context.Context, hello answer) {
	if !hasThought(hello.Response) {
		p.note("thinking", no, "the first answer came without any")
		return
	}
	text := fmt.Sprintf("%d of its first answer's %d tokens", hello.Usage.Reasoning, hello.Usage.Output)
	if hello.Usage.Reasoning == 0 {
		text = fmt.Sprintf("before its first answer, within its %d tokens", hello.Usage.Output)
	}
	switch a := p.call(ctx, p.askUnthinking()); {
	case a.err != nil:
		text += "; reasoning_effort: none is refused: " + a.err.Error()
	case hasThought(a.Response):
		text += "; reasoning_effort: none does not stop it"
	default:
		text += "; reasoning_effort: none switches it off"
	}
	p.note("thinking", yes, text)
}

func hasThought(r model.Response) bool {
	return r.Thinking != "" || r.Usage.Reasoning > 0 || prompt.HasThinking(string(r.Text))
}

// showAnswer returns an answer for people, and why it is none if it is empty or cut off.
func showAnswer(r model.Response) string {
	const most = 60
	text := prompt.Clean(r.Text, 4*most)
	if c := []rune(text); len(c) > most {
		text = string(c[:most]) + "…"
	}
	if r.FinishReason != "" && r.FinishReason != "stop" {
		return fmt.Sprintf("%q, which ended with %s", text, r.FinishReason)
	}
	return fmt.Sprintf("%q", text)
}

func secondsText(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// Advice returns the lines of a campaign file that the findings suggest; choice is the value of model in it.
func (r Report) Advice(choice map[string]any) string {
	if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Name == schemas && f.Result == no }) {
		choice["json"] = "plain"
	}
	m, _ := json.Marshal(choice) // which is YAML, too
	text := fmt.Sprintf("model: %s\n", m)
	if r.AtOnce > 0 {
		text += fmt.Sprintf("limits: {calls: %d}\n", r.AtOnce)
	}
	return text
}
