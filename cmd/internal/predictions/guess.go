package predictions

import (
	"roundtable/activities/collaboration"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
	"roundtable/workflows/transcript"
)

// Bytes of a token: in the middle, and where a text has few or many of them.
const (
	usual = 4.0
	long  = 6.0
	short = 2.5
	dense = 3.0 // at the high end of what is expected
)

// Turns are the turns of one model in one format in a rehearsed collaboration, with what is known of the
// model.
type Turns struct {
	Model  string
	Format transcript.Format
	Calls  int
	Shown  int // bytes of the prompts
	Fixed  int // of these, what a prompt has before anybody has spoken
	Said   int // bytes of the scripted answers
	// Repeats are what of each prompt stands in the beginning of an earlier one.
	Repeats []collaboration.Repeat
	// Longest is the most tokens that one answer of the model can have.
	Longest int
	// Reasks is how often one answer can be asked for again because it cannot be used.
	Reasks int
	// Exact says that the model answers as it did here: it is scripted or recorded.
	Exact bool
	// Rate is what the model costs; nil if that is not known.
	Rate *Rate
}

// Rate is a price in US dollars per million tokens.
type Rate struct {
	Input, Output float64
	// Read and Written are the prices of input that the service reads from its cache, or writes to it; 0 if
	// it has no such price.
	Read, Written float64
	Standard      *Rate // of the standard tier, on which a call may fall back; nil if it is the same
}

// guessCalls returns a forecast before any model was asked, for the cells of a
// condition: from the turns of one collaboration and the most calls there can be.
//
// Mean: a real model says as much as recorded ones did in this format
// (wordBytes), and what it says is shown to others; a token is taken for 4 bytes.
// Low: as much as the scripted agents said, at 6 bytes a token. High: every round is
// played, answers are three times as long, one in ten is asked again. Most: every
// answer as long as it can be, every call that there can be, each answer asked
// for again as often as it may be, 2.5 bytes a token.
//
// What was said in heard is what the prompts show; for agents that is asked itself.
func guessCalls(cells, mostCalls int, asked, heard []Turns) Forecast {
	calls, asks := 0, 1
	for _, t := range asked {
		calls, asks = calls+t.Calls, max(asks, 1+t.Reasks)
	}
	n, more := float64(cells), max(1, float64(mostCalls)/max(1, float64(calls)))
	about, high, most := growthOf(heard)
	all, again := max(float64(calls), float64(mostCalls)), 1.
	if asks > 1 {
		again += askedAgain
	}
	sum := Forecast{Calls: Estimate{float64(calls), float64(calls), again * all, float64(asks) * all}.multipliedBy(n),
		CostUSD: new(Estimate)}
	for _, t := range asked {
		told := float64(t.Shown - t.Fixed)
		f := Forecast{
			InputTokens: Estimate{
				Low:  float64(t.Shown) / long,
				Mean: (float64(t.Fixed) + told*about) / usual,
				High: again * (float64(t.Fixed)*more + told*high*more*more) / dense,
				// in more rounds there are more prompts, and each is longer
				Most: float64(1+t.Reasks)*(float64(t.Fixed)*more+told*most*more*more)/short + more*t.countShownAgain(),
			}.orderBounds().multipliedBy(n),
			OutputTokens: t.outputTokens(more*again, more*float64(1+t.Reasks)).multipliedBy(n),
		}
		if t.Rate != nil {
			f = f.Price(t.Rate.Input, t.Rate.Output)
			f.readBefore(*t.Rate, n*t.readTokens(about))
			if r := t.Rate.Standard; r != nil {
				f.CostUSD.Most = f.Price(r.Input, r.Output).CostUSD.Most
			}
		}
		sum = sum.Add(f)
	}
	return sum
}

// Services keep the beginning of a prompt from so many tokens on, in steps of which half is lost.
const (
	leastKept = 1024
	halfStep  = 64
)

// readTokens returns how many tokens of the prompts a service is likely to read from its cache.
func (t Turns) readTokens(about float64) (sum float64) {
	for _, r := range t.Repeats {
		if tokens := (float64(r.Fixed) + float64(r.Said)*about) / usual; tokens >= leastKept {
			sum += tokens - halfStep
		}
	}
	return sum
}

// readBefore notes how many tokens are likely to be read from a service's cache, and what that saves.
// Others count as written, where that is dearer: as many as are read at most, since only what a later
// prompt continues is marked.
func (f *Forecast) readBefore(r Rate, tokens float64) {
	if r.Read == 0 || tokens == 0 {
		return
	}
	written := min(tokens, f.InputTokens.Mean-tokens)
	f.ReadTokens = tokens
	f.ReadSavesUSD = (tokens*(r.Input-r.Read) - written*max(0, r.Written-r.Input)) / 1e6
}

// CostCached returns the likely cost of so many tokens at a price, of which a service reads some from its
// cache.
func CostCached(p campaign.Price, input, read, output float64) float64 {
	r := Rate{Input: p.Input, Output: p.Output}
	r.setCache(p, plan.Standard)
	f := Forecast{InputTokens: Estimate{Mean: input}, OutputTokens: Estimate{Mean: output}}.Price(r.Input, r.Output)
	f.readBefore(r, read)
	return f.CostUSD.Mean - f.ReadSavesUSD
}

// What is expected at the high end: how many times as long as recorded ones answers are, also
// of models that think first, and which share of them is asked again.
const (
	longWinded = 3
	askedAgain = 0.1
)

// outputTokens returns the tokens of all answers, with so many times as many calls at the high end,
// and at most.
func (t Turns) outputTokens(high, most float64) Estimate {
	said, calls := float64(t.Said), float64(t.Calls)
	if t.Exact {
		return Estimate{said / long, said / usual, said / dense * high, said / short * most}.orderBounds()
	}
	longest := calls * float64(t.Longest)
	return Estimate{min(said/long, longest), min(t.bytesWritten()/usual, longest),
		min(longWinded*t.bytesWritten()/dense, longest) * high, longest * most}.orderBounds()
}

// orderBounds returns the estimate with no bound below the one before it, nor above Most.
func (i Estimate) orderBounds() Estimate {
	i.High = max(i.Mean, min(i.High, i.Most))
	i.Most = max(i.High, i.Most)
	return i
}

// A question that is asked again shows the answer that could not be used, cut to
// so many bytes, and says in some words what was wrong.
const (
	againAnswer = 4096
	againWords  = 1024
)

// countShownAgain returns the tokens that re-asks show of unusable answers at most:
// the second asking shows one, the third two, and so on.
func (t Turns) countShownAgain() float64 {
	shown := float64(t.Calls) * min(float64(t.Longest), againAnswer/short)
	if t.Exact {
		shown = float64(t.Said) / short
	}
	return float64(t.Reasks*(t.Reasks+1)/2) * (shown + float64(t.Calls)*againWords/short)
}

// bytesWritten returns how many bytes a real model writes: in a free text its own
// words, in JSON the structure that the scripted agent wrote too, and reasons.
func (t Turns) bytesWritten() float64 {
	said, words := float64(t.Said), float64(t.Calls*wordBytes(t.Format))
	switch {
	case t.Exact:
		return said
	case isShown(t.Format) && t.Format != transcript.FormatMessage:
		return max(said, words)
	}
	return said + words
}

// growthOf returns how many times longer what is shown to others is than the
// scripted agents' words: about, at the high end, and at most.
func growthOf(turns []Turns) (about, high, most float64) {
	var said, words, wordy, longest float64
	for _, t := range turns {
		if !isShown(t.Format) {
			continue
		}
		answers := t.outputTokens(1, 1)
		said += float64(t.Said)
		words += usual * answers.Mean
		wordy += dense * answers.High
		longest += short * answers.Most
	}
	if said == 0 {
		return 1, 1, 1
	}
	return max(1, words/said), max(1, wordy/said), max(1, longest/said)
}

func (i Estimate) multipliedBy(n float64) Estimate {
	return Estimate{i.Low * n, i.Mean * n, i.High * n, i.Most * n}
}

// Price returns the forecast with its cost, given the prices of input and output in dollars per million
// tokens.
func (f Forecast) Price(input, output float64) Forecast {
	cost := f.InputTokens.multipliedBy(input / 1e6).Add(f.OutputTokens.multipliedBy(output / 1e6))
	f.CostUSD = &cost
	return f
}

// Add returns the sum of two forecasts; a cost or time that one of them lacks is nil.
func (f Forecast) Add(g Forecast) Forecast {
	return Forecast{
		Calls: f.Calls.Add(g.Calls), InputTokens: f.InputTokens.Add(g.InputTokens),
		OutputTokens: f.OutputTokens.Add(g.OutputTokens),
		CostUSD:      sumIfKnown(f.CostUSD, g.CostUSD), Seconds: sumIfKnown(f.Seconds, g.Seconds),
		LimitSeconds: sumIfKnown(f.LimitSeconds, g.LimitSeconds),
		ReadTokens:   f.ReadTokens + g.ReadTokens, ReadSavesUSD: f.ReadSavesUSD + g.ReadSavesUSD,
	}
}

func sumIfKnown(a, b *Estimate) *Estimate {
	if a == nil || b == nil {
		return nil
	}
	sum := a.Add(*b)
	return &sum
}

// wordBytes returns how many bytes of words a real model writes in an answer of a format, next to the
// structure that it asks for: from recorded runs where there are any. There is none of the JSON
// formats: a reason that was asked for step by step is taken for as long as a reply.
func wordBytes(f transcript.Format) int {
	switch f {
	case transcript.FormatPersona: // by Llama 3.3 70B, 402 in mallm-demo (commit 8e88e95): a tenth above 1,304
		return 521
	case transcript.FormatAnswer: // 500 solutions of MATH-500 (Hendrycks et al., 2021), by people: a tenth above 1,041
		return 531
	case transcript.FormatText, transcript.FormatReply, transcript.FormatMessage, transcript.FormatProposal,
		transcript.FormatBallot, transcript.FormatEstimate: // 27 in Kaesberg et al. (2025), by Llama 3 70B
		return 540
	}
	return 0 // labels, for example, have no words next to their structure
}

// isShown reports whether all words of a format are shown to others; of the
// JSON formats but messages the reasons are private.
func isShown(f transcript.Format) bool { return f.IsText() || f == transcript.FormatMessage }
