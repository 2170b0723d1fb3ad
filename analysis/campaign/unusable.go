package campaign

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roundtable/analysis/lake/record"
)

// UnusableShare is the share of a condition's asked turns that are invalid, or of its answers that
// are cut off, above which every table warns.
const UnusableShare = 0.1

// Usable counts a run's asked turns and answers, and those that could not be used.
type Usable struct {
	Turns, Invalid int                // asked turns, and those without a usable answer after all asks
	Reasons        map[string]*reason // why they are invalid, by kind
	Answers, Cut   int                // answers, and those that ended by the limit of their length
	Full           int                // of Cut, those that ended by the length of the model's context
	Cached         int                // of the answers, those that the cache gave
	Words          string             // a hash of all answers in their order; empty without answers
}

// reason is a kind of reasons, with how often it occurred and the first one.
type reason struct {
	N       int
	Text    string
	Example string // where
}

// countUsable counts the asked turns of a collaboration; Load adds its answers.
func countUsable(turns []record.Turn) Usable {
	u := Usable{}
	words, answered := sha256.New(), false
	for _, t := range turns {
		if t.Kind != "ask" {
			continue
		}
		u.Turns++
		answered = answered || t.AnswerHash != ""
		fmt.Fprintln(words, t.AnswerHash)
		if t.Status == "invalid" {
			text := "no reason is recorded"
			if t.InvalidReason != nil {
				text = *t.InvalidReason
			}
			u.addInvalid(reason{1, text, fmt.Sprintf("%s, entry %d", t.CollaborationID, t.Entry)})
		}
	}
	if answered {
		u.Words = base64.RawStdEncoding.EncodeToString(words.Sum(nil))
	}
	return u
}

func (u *Usable) addInvalid(r reason) {
	u.Invalid += r.N
	if u.Reasons == nil {
		u.Reasons = map[string]*reason{}
	}
	kind := ReasonKind(r.Text)
	if u.Reasons[kind] == nil {
		u.Reasons[kind] = &reason{Text: r.Text, Example: r.Example}
	}
	u.Reasons[kind].N += r.N
}

// AddAnswers counts the answers of calls: all, those cut off at the limit of their length, and
// those from the cache.
func (u *Usable) AddAnswers(calls []record.Call) {
	for _, c := range calls {
		if c.Status == "answered" {
			u.Answers++
			if c.Cached {
				u.Cached++
			}
			switch c.FinishReason {
			case "length":
				u.Cut++
			case "context_length":
				u.Cut, u.Full = u.Cut+1, u.Full+1
			}
		}
	}
}

// ReasonKind returns text with each number replaced by 0, so that reasons that differ only in
// numbers are equal.
func ReasonKind(text string) string {
	kind := strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '0'
		}
		return r
	}, text)
	for strings.Contains(kind, "00") {
		kind = strings.ReplaceAll(kind, "00", "0")
	}
	return kind
}

// sumUsable sums up all collaborations of a condition.
func (g Group) sumUsable() Usable {
	sum := Usable{}
	for _, r := range g.Runs {
		sum.Turns, sum.Answers, sum.Cut = sum.Turns+r.Usable.Turns, sum.Answers+r.Usable.Answers, sum.Cut+r.Usable.Cut
		sum.Cached, sum.Full = sum.Cached+r.Usable.Cached, sum.Full+r.Usable.Full
		for _, kind := range slices.Sorted(maps.Keys(r.Usable.Reasons)) {
			sum.addInvalid(*r.Usable.Reasons[kind])
		}
	}
	return sum
}

// isBad reports whether too much is invalid, or cut off.
func (u Usable) isBad() bool {
	return float64(u.Invalid) > UnusableShare*float64(u.Turns) || float64(u.Cut) > UnusableShare*float64(u.Answers)
}

// String returns words for what could not be used, with the most frequent reason and an example.
func (u Usable) String() string {
	var parts []string
	if u.Invalid > 0 {
		kinds := slices.Sorted(maps.Keys(u.Reasons))
		slices.SortStableFunc(kinds, func(a, b string) int { return cmp.Compare(u.Reasons[b].N, u.Reasons[a].N) })
		first := u.Reasons[kinds[0]]
		parts = append(parts, fmt.Sprintf("%d of %d asked turns are invalid, most often (%d) because: %s (%s)",
			u.Invalid, u.Turns, first.N, first.Text, first.Example))
	}
	if u.Cut > u.Full {
		parts = append(parts, fmt.Sprintf("%d of %d answers ended by the limit of their length (finish_reason "+
			"length; generate.max_tokens sets it)", u.Cut-u.Full, u.Answers))
	}
	if u.Full > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d answers ended below max_tokens, since the model's context was "+
			"full (finish_reason context_length; the server sets its length)", u.Full, u.Answers))
	}
	return strings.Join(parts, "; ")
}

// Unusable begins every warning about a condition with too few usable answers.
const Unusable = "UNUSABLE ANSWERS"

// mostWarnings is how many conditions are named one by one.
const mostWarnings = 6

// unusableWarnings name the conditions in which more than a tenth of the asked turns is
// invalid, or of the answers cut off.
func (v View) unusableWarnings() []string {
	var list []string
	for _, g := range v.Groups {
		if u := g.Usable; g.HasUnusable() {
			where := ""
			if len(v.Groups) > 1 {
				where = " in " + v.FullTitle(g)
			}
			list = append(list, fmt.Sprintf("%s%s: %s. This is not a result of these groups.", Unusable, where, u))
		}
	}
	if more := len(list) - mostWarnings; more > 0 {
		list = append(list[:mostWarnings], fmt.Sprintf("%s in %d more conditions: see table summary.", Unusable, more))
	}
	return list
}

// Warnings returns the warnings about the whole campaign that every table has.
func (c Campaign) Warnings() []string { return c.View("").unusableWarnings() }

// HasUnusable reports whether more than UnusableShare of the group's turns are invalid or of its
// answers cut off.
func (g Group) HasUnusable() bool { return g.Usable.isBad() }

// hasUnusable reports whether some condition has too few usable answers.
func (v View) hasUnusable() bool {
	return slices.ContainsFunc(v.Groups, Group.HasUnusable)
}

// countDistinct counts the collaborations that are averaged and whose answers differ,
// of each instance; one without answers differs from all others.
func (g Group) countDistinct() int {
	type answers struct {
		instance int32
		words    string
	}
	seen, silent := map[answers]bool{}, 0
	for _, r := range g.Succeeded() {
		if r.Usable.Words == "" {
			silent++
		} else {
			seen[answers{r.Instance, r.Usable.Words}] = true
		}
	}
	return len(seen) + silent
}

// hasRepeats reports whether collaborations of some condition are equal word for word.
func (v View) hasRepeats() bool {
	return slices.ContainsFunc(v.Groups, func(g Group) bool { return g.Distinct < g.Count(record.Succeeded) })
}

// explainRepeats names the conditions whose replicates are equal word for word, and
// says what that means for the standard errors.
func (v View) explainRepeats() string {
	var list []string
	alone := false // a unit is a replicate
	about := TaskNames(v.Groups)
	several := slices.ContainsFunc(v.Groups, func(g Group) bool { return about.Of(g) != about.Of(v.Groups[0]) })
	for _, g := range v.Groups {
		if n := g.Count(record.Succeeded); g.Distinct < n {
			alone = alone || !g.Succeeded()[0].OverInstances
			var names []string
			if len(v.Groups) > 1 {
				names = append(names, v.FullTitle(g))
			}
			if task := about.Of(g); several && !slices.Contains(v.Labels, "env") &&
				!slices.Contains(v.Labels, "env.file") {
				names = append(names, task)
			}
			where := ""
			if len(names) > 0 {
				where = strings.Join(names, ", ") + ": "
			}
			list = append(list, fmt.Sprintf("%s%d collaborations, %d distinct", where, n, g.Distinct))
		}
	}
	if more := len(list) - mostWarnings; more > 0 {
		list = append(list[:mostWarnings], fmt.Sprintf("and %d more conditions", more))
	}
	said := "Replicates of one instance that are equal word for word: " + strings.Join(list, "; ") +
		". Independent answers can come out alike; where agents are deterministic or a service repeats itself, such " +
		"replicates are not evidence of their own"
	if alone {
		return said + ", and standard errors over replicates, where there is only one instance, are too small."
	}
	return said + ". Standard errors are over instances, so they are not made smaller by it."
}
