package reading

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// decide returns the answer that the text states last.
func (t *parsed) decide() (Answer, error) {
	statement, inference := -1, -1
	t.claimAfterRegret()
	t.passOverOptions()
	var refusal error
	for i := range t.all {
		m := &t.all[i]
		switch {
		case m.is == stated && statement >= 0 && t.isBeside(statement, i):
			if m.sentence != t.all[statement].sentence || !says.MatchString(t.textIn(t.sentences[m.sentence])) {
				statement, refusal = -1, ErrOpen
			}
		case m.is == stated && statement >= 0 && t.areBothEndorsed(statement, i):
			statement, refusal = -1, ErrOpen
		case m.boxed && (m.is == named || m.is == inferred || m.is == stated), m.is == stated:
			statement, refusal = i, nil
			if m.value == "" {
				statement, refusal = -1, ErrUnknown
			}
		case m.is == open && (m.boxed || t.isClaimed(i)):
			if m.many || statement < 0 || t.all[statement].sentence == m.sentence {
				statement, refusal = -1, ErrOpen
			}
		case m.is == inferred:
			inference = i
		case m.is == out && statement >= 0 && t.all[statement].value == m.value:
			statement, refusal = -1, ErrRejected
		}
	}
	if statement >= 0 && inference > statement && t.all[inference].value != t.all[statement].value {
		if t.isTurned(statement, inference) {
			statement = inference
		} else if t.form.number == nil && t.all[inference].sentence > t.all[statement].sentence {
			statement, refusal = -1, ErrOpen
		}
	}
	if last := len(t.all) - 1; (refusal != nil || max(statement, inference) >= 0 && statement != last) && !t.cut &&
		t.isLastLine(last) {
		if statement >= 0 && t.all[statement].value != t.all[last].value {
			return Answer{}, ErrOpen
		}
		statement, refusal = last, nil
	}
	if statement >= 0 && t.form.several && addsMore.MatchString(t.skeleton[t.all[statement].at+answerBytes:]) {
		return Answer{}, ErrOpen
	}
	if statement >= 0 && t.cut && t.isReconsidered(t.all[statement]) {
		return Answer{}, ErrCut
	}
	if statement >= 0 && (t.dependsOn(statement) || t.statesAll()) {
		return Answer{}, ErrOpen
	}
	if statement >= 0 && withdrawn.MatchString(t.skeleton[t.all[statement].at+answerBytes:]) {
		return Answer{}, ErrDeclined
	}
	if statement >= 0 {
		return t.answer(statement, Stated), nil
	}
	if refusal != nil {
		return Answer{}, refusal
	}
	if t.cut {
		return Answer{}, ErrCut
	}
	if inference >= 0 && t.dependsOn(inference) {
		return Answer{}, ErrOpen
	}
	if inference >= 0 && !t.isExcluded(t.all[inference].value) {
		if t.all[inference].value == "" {
			return Answer{}, ErrUnknown
		}
		return t.answer(inference, Stated), nil
	}
	if i := t.standingAlone(); i >= 0 {
		if t.all[i].value == "" {
			return Answer{}, ErrUnknown
		}
		return t.answer(i, Alone), nil
	}
	return t.onlyAnswer()
}

// isBeside reports whether a number is that of another quantity than the answer that was stated: "and the sum of its
// digits is 3".
func (t *parsed) isBeside(statement, i int) bool {
	lead := t.skeleton[max(t.sentences[t.all[i].sentence].from, t.all[statement].at+answerBytes):t.all[i].at]
	return t.form.number != nil && !t.all[i].boxed && t.all[i].value != t.all[statement].value &&
		(says.MatchString(t.textIn(t.sentences[t.all[statement].sentence])) && quantity.MatchString(lead) ||
			t.all[i].sentence == t.all[statement].sentence && andQuantity.MatchString(lead))
}

// areBothEndorsed reports whether a sentence endorses two answers, of which one is asked for: "A: correct, B: correct".
func (t *parsed) areBothEndorsed(i, j int) bool {
	a, b := t.all[i], t.all[j]
	return !t.form.several && a.endorsed && b.endorsed && a.sentence == b.sentence && a.value != b.value
}

const quantities = `(?:sum|product|total|number|average|mean|median|difference|ratio|remainder|square|half|double) of\b`

var (
	says        = newPattern(`(?i)\b(?:answer|result)\b`)
	quantity    = newPattern(`(?i)\b` + quantities)
	andQuantity = newPattern(`(?i)^[^,;]*\band (?:the |its |their )(?:\pL+ )?` + quantities)
)

// isTurned reports whether an inference takes the place of a statement before it: as the text's
// last sentence, or after second thoughts.
func (t *parsed) isTurned(statement, inference int) bool {
	between := t.skeleton[t.all[statement].at+answerBytes : t.all[inference].at]
	return t.form.number == nil && t.all[inference].sentence == len(t.sentences)-1 ||
		turned.MatchString(between) || reconsiders.MatchString(between)
}

// statesAll reports whether a text states each of the options that there are, as those do that repeat themselves.
func (t *parsed) statesAll() bool {
	values := map[string]bool{}
	for _, m := range t.all {
		if m.is == stated {
			values[m.value] = true
		}
	}
	return !t.form.several && len(values) > 2 && len(values) == len(t.form.labels)
}

// turned is where a text may turn from what it stated.
var turned = newPattern(`(?i)[.!?…\n]\W*(?:but|however)\b`)

// addsMore is a sentence that adds an answer to one that was stated: "So does B".
var addsMore = newPattern(`(?i)[.!\n]\W*(?:(?:and )?(?:so|as) (?:does|do|is|are)|likewise,?|the same (?:is true of|goes for|holds for)) (?:option )?` + answerRune)

// above is a line that the one below it does not reply to.
var above = newPattern(`[^?:,\n\s]\s*\n\s*$`)

// isLastLine reports whether an answer is all there is on the last line, below a paragraph.
func (t *parsed) isLastLine(i int) bool {
	m := t.all[i]
	return (m.is == named || m.is == inferred) && m.sentence == len(t.sentences)-1 && m.sentence > 0 &&
		!t.form.several && !m.item && m.value != "" && t.isBare(i) &&
		above.MatchString(t.textIn(t.sentences[m.sentence-1])) && t.aloneIn(m.sentence-1) < 0
}

// passOverOptions makes a list of all options, each a line, one that repeats the question;
// a list of some of several is what is chosen.
func (t *parsed) passOverOptions() {
	var lines []int
	distinct := map[string]bool{}
	if t.form.yesNo || t.form.number != nil {
		return
	}
	for i, m := range t.all {
		isLine := strings.HasSuffix(t.textIn(t.sentences[m.sentence]), "\n") || m.sentence == len(t.sentences)-1
		if m.is != named || distinct[m.value] || !isLine || t.aloneIn(m.sentence) != i {
			continue
		}
		distinct[t.all[i].value] = true
		lines = append(lines, i)
	}
	whole := len(lines) == len(t.form.labels)
	if len(lines) < 2 || !whole && (!t.form.several || len(lines) != len(t.all)) {
		return
	}
	for _, i := range lines {
		if whole {
			t.all[i].is = foreign
		} else {
			t.all[i].item = true
		}
	}
}

// claimAfterRegret makes what follows a regret the statement: what is inferred or alone
// after it. Where something else is named there, it leaves open what was stated before.
func (t *parsed) claimAfterRegret() {
	all := regretted.FindAllStringIndex(t.skeleton, -1)
	if all == nil {
		return
	}
	at := all[len(all)-1][0]
	for i := range t.all {
		switch m := &t.all[i]; {
		case m.at < at || m.is != named && m.is != inferred:
		case m.is == inferred || t.aloneIn(m.sentence) == i || t.endsWith(i):
			m.is = stated
		case !m.weak && slices.ContainsFunc(t.all[:i],
			func(o mention) bool { return o.at < at && o.value != m.value && o.is == stated }):
			m.is, m.many = open, true
		}
	}
	rest := t.skeleton[at:]
	if slices.ContainsFunc(t.all, func(m mention) bool { return m.at > at && m.is == stated }) ||
		!takesBack.MatchString(rest) && !(doubtsIt.MatchString(rest) && !reaffirms.MatchString(rest)) {
		return
	}
	for i := range t.all {
		if m := &t.all[i]; m.is == stated {
			m.is, m.many = open, true
		}
	}
}

// doubtsIt is a regret after which a text may say that what it stated holds.
var (
	doubtsIt  = newPattern(`(?i)^\W*(?:(?:oh|hmm+|but|no|actually)[,.]* )wait\b`)
	reaffirms = newPattern(`(?i)\b(?:yes|right|correct|stands?|confirm\w*|holds?|checks? out|still|fine|indeed|same|ok(?:ay)?|good)\b`)
)

// takesBack is a regret that leaves nothing of what was stated before it.
var takesBack = newPattern(`(?i)^\W*(?:(?:oh|hmm+|but|actually)[,. ]+)?(?:wait,? no|no,? wait|(?:scrap|strike|scratch) that|oops|i (?:forgot|overlooked))\b`)

// dependsOn reports whether an answer is given under a condition, and another one under another.
func (t *parsed) dependsOn(i int) bool {
	return t.isConditional(i) && slices.ContainsFunc(t.all, func(m mention) bool {
		return m.value != t.all[i].value && m.is != out && t.isConditional(t.answerAt(m.at))
	})
}

func (t *parsed) isConditional(i int) bool {
	return conditionFirst.MatchString(t.skeleton[t.sentences[t.all[i].sentence].from:t.all[i].at])
}

var conditionFirst = newPattern(`(?i)(?:^|[;,])\W*(?:and |but |or |while |und |aber )?(?:if|in case|wenn|falls|si|se|если)\s[^;]*$`)

// isClaimed reports whether an answer that is left open was claimed, and not only named.
func (t *parsed) isClaimed(i int) bool {
	s := t.sentences[t.all[i].sentence]
	if t.claiming.span != s {
		t.claiming.span, t.claiming.is = s, claimed.MatchString(t.textIn(s))
	}
	return t.claiming.is || endorsed.MatchString(t.skeleton[t.all[i].at+answerBytes:s.to])
}

// isExcluded reports whether an answer is excluded anywhere.
func (t *parsed) isExcluded(value string) bool {
	return slices.ContainsFunc(t.all, func(m mention) bool { return m.value == value && m.is == out })
}

// isReconsidered reports whether second thoughts follow a statement.
func (t *parsed) isReconsidered(m mention) bool {
	rest := t.skeleton[m.at+answerBytes:]
	return reconsiders.MatchString(rest) || butCut.MatchString(rest)
}

// butCut is an objection that was cut off.
var butCut = newPattern(`(?i)^[^.!?\n]*[\s,](?:but|however|although|aber|pero|mais|ma|mas|но)\s[^.!?\n` + answerRange + `]*$`)

// answer returns an answer with the members of its list.
func (t *parsed) answer(i int, way Way) Answer {
	m := t.all[i]
	if m.boxed {
		way = Boxed
	} else if m.words {
		way = Words
	}
	if !t.form.several {
		return Answer{m.value, way}
	}
	var labels []string
	for _, o := range t.all {
		together := o.sentence == m.sentence || o.endorsed && m.endorsed || o.item && m.item
		if together && o.is == m.is && o.value != "" && o.boxed == m.boxed {
			labels = append(labels, strings.Split(o.value, "")...)
		}
	}
	// a list under "Answers:"
	for n := m.sentence; strings.HasSuffix(t.textIn(t.sentences[n]), "\n") && n+1 < len(t.sentences); n++ {
		j := t.itemIn(n + 1)
		if j < 0 || t.all[j].is != named || !m.isListed(t) {
			break
		}
		labels = append(labels, strings.Split(t.all[j].value, "")...)
	}
	slices.Sort(labels)
	return Answer{strings.Join(slices.Compact(labels), ""), way}
}

// itemIn returns the answer that a sentence begins with; -1 if it begins otherwise.
func (t *parsed) itemIn(n int) int {
	text := t.textIn(t.sentences[n])
	at := strings.IndexFunc(text, isAnswer)
	if at < 0 || !aloneLead.MatchString(text[:at]) {
		return -1
	}
	return t.answerAt(t.sentences[n].from + at)
}

// isListed reports whether an answer is a line of its own after a colon.
func (m mention) isListed(t *parsed) bool {
	return beginsList.MatchString(t.skeleton[t.sentences[m.sentence].from:m.at])
}

var beginsList = newPattern(`:\s*\n\W*$`)

// standingAlone returns an answer that is a text of its own: the whole, or the first or last line or sentence.
func (t *parsed) standingAlone() int {
	if len(t.sentences) == 0 {
		return -1
	}
	last, first := t.aloneIn(len(t.sentences)-1), t.aloneIn(0)
	if t.form.yesNo && first >= 0 && t.isBare(first) && strings.HasSuffix(t.textIn(t.sentences[0]), "\n") &&
		last >= 0 && !t.isBare(last) {
		last = -1
	}
	for _, i := range []int{last, first} {
		if i < 0 || t.all[i].is == out || t.all[i].is == open || t.all[i].is == foreign {
			continue
		}
		n := t.all[i].sentence
		if t.form.yesNo || t.all[i].item {
			return i
		}
		if n > 0 && t.isRival(i, n-1) || n+1 < len(t.sentences) && t.isRival(i, n+1) {
			continue
		}
		return i
	}
	return -1
}

// isBare reports whether an answer is all there is in its sentence.
func (t *parsed) isBare(i int) bool {
	return strings.Trim(t.textIn(t.sentences[t.all[i].sentence]), " \n.!\"'"+boldOff) == string(rune(firstAnswer+i))
}

// endsWith reports whether an answer ends the last sentence, which names no other, after a
// colon, a comma or a word or two: "No change: B", "Still B".
func (t *parsed) endsWith(i int) bool {
	m := t.all[i]
	s := t.sentences[m.sentence]
	lead := t.skeleton[s.from:m.at]
	if slices.ContainsFunc(t.all, func(o mention) bool {
		return o.sentence == m.sentence && o.value != m.value && o.is != out && o.is != foreign
	}) {
		return false
	}
	last := strings.TrimRight(lead, " :,\"'(")
	last = last[strings.LastIndexAny(last, ",;:")+1:]
	return m.sentence == len(t.sentences)-1 &&
		strings.Trim(t.skeleton[m.at+answerBytes:s.to], " .!)\n\"'"+boldOff) == "" &&
		leadsTo.MatchString(lead) && !misleads.MatchString(last) &&
		(!speaks.MatchString(lead) || isKey.MatchString(lead))
}

var (
	leadsTo  = newPattern(`(?i)(?:[:,]|^\W*(?:still|again|sticking with|staying with|keeping|choosing|picking|selecting|voting(?: for)?))\s*["'(]*$`)
	speaks   = newPattern(`^\W*\p{Lu}\pL*: *["'(]*$`)
	isKey    = newPattern(`(?i)^\W*(?:now|easy|simple|elementary|obvious|best|key|final|right|correct|pick|choice|vote)\b`)
	misleads = newPattern(`(?i)\b(?:next|first|second|third|then|consider\w*|check\w*|options?|choices|example|e\.g|runner|alternatives?|answer format|statements?|agents?)\b|\d`)
)

// isRival reports whether a sentence is another answer alone: both are members of a list.
func (t *parsed) isRival(i, sentence int) bool {
	j := t.aloneIn(sentence)
	return j >= 0 && t.all[j].value != t.all[i].value && t.all[j].is != out && t.all[j].is != foreign
}

// aloneIn returns the answer that a sentence consists of; -1 if there is more in it.
func (t *parsed) aloneIn(n int) int {
	s := t.sentences[n]
	text := t.textIn(s)
	at := strings.IndexFunc(text, isAnswer)
	if at < 0 {
		return -1
	}
	i := t.answerAt(s.from + at)
	list, alternative := t.listFrom(i, s)
	if alternative || len(list) > 1 && !t.form.several && !t.nameSame(list) {
		return -1
	}
	end := t.all[list[len(list)-1]].at + answerBytes
	lead, rest := text[:at], t.skeleton[end:s.to]
	if t.form.yesNo {
		return t.yesNoIn(s)
	}
	if t.form.isAlone(lead, rest) {
		return i
	}
	return -1
}

// yesNoIn returns the yes or no that ends a sentence, or else begins it.
func (t *parsed) yesNoIn(s span) int {
	found := -1
	for i, m := range t.all {
		if m.at >= s.from && m.at < s.to && (m.is == named || found < 0) &&
			standsAlone(t.skeleton[s.from:m.at], t.skeleton[m.at+answerBytes:s.to]) {
			found = i
		}
	}
	return found
}

// onlyAnswer returns the answer that is the only one.
func (t *parsed) onlyAnswer() (Answer, error) {
	var rejects, hedges bool
	values := map[string]int{}
	marked := map[string]int{}
	for i, m := range t.all {
		switch {
		case m.is == out:
			rejects = true
		case m.is == open:
			hedges = true
		case t.form.number != nil && t.isBracketed(m):
		case m.is == foreign || (t.form.number != nil || m.words) && t.isOperand(m) || m.weak &&
			!t.form.countsWeak(t, i) || m.value == "" && t.form.number == nil:
		default:
			values[m.value] = i
			if m.bold || m.bracket && t.form.number != nil {
				marked[m.value] = i
			}
		}
	}
	skeleton := lastOf(t.skeleton, 4*longestSentence)
	switch {
	case declined.MatchString(withoutPhrases(skeleton)):
		return Answer{}, ErrDeclined
	case hedges:
		return Answer{}, ErrOpen
	case rejects && len(values) == 0:
		if i := t.oppositeOption(); i >= 0 {
			return Answer{t.form.labels[1-i], Words}, nil
		}
		return Answer{}, ErrRejected
	case rejects && !t.endsWithOwn():
		return Answer{}, ErrRejected
	}
	for _, found := range []map[string]int{marked, values} {
		if len(found) != 1 {
			continue
		}
		//workflowcheck:ignore it has one entry
		for _, i := range found {
			switch {
			case t.form.isHedged(skeleton):
				return Answer{}, ErrOpen
			case len(marked) == 1:
				return t.answer(i, Marked), nil
			case t.form.countsOnly(t, i):
				return t.answer(i, Only), nil
			}
		}
	}
	if i := t.lastResult(); i >= 0 && !t.form.isHedged(skeleton) {
		return t.answer(i, Only), nil
	}
	if len(values) > 1 {
		return Answer{}, ErrOpen
	}
	return Answer{}, ErrNone
}

// repeatedResult returns the one number of a sentence that is the result of a calculation before
// it: "3 × 25 = 75. He pays $75"; -1 if there is none.
func (t *parsed) repeatedResult(s span) int {
	at := strings.IndexFunc(t.textIn(s), isAnswer)
	if at < 0 || !t.isOneOnly(s) {
		return -1
	}
	i := t.answerAt(s.from + at)
	for j := i - 1; j >= 0; j-- {
		if resultLead.MatchString(t.skeleton[t.sentences[t.all[j].sentence].from:t.all[j].at]) {
			if t.all[j].value == t.all[i].value && t.all[i].is == named {
				return i
			}
			return -1
		}
	}
	return -1
}

// oppositeOption returns which option a text of one sentence denies that offers true or false, or yes
// or no; -1 if it does not.
func (t *parsed) oppositeOption() int {
	if len(t.sentences) != 1 || len(t.all) != 1 || !t.all[0].words || len(t.form.labels) != 2 ||
		!denies.MatchString(strings.ToLower(strings.Join(t.form.texts, "/"))) {
		return -1
	}
	return slices.Index(t.form.labels, t.all[0].value)
}

var denies = newPattern(`^(?:true/false|false/true|correct/incorrect|incorrect/correct)$`)

// endsWithOwn reports whether the last sentence says that what is asked for is an option, by
// its words and its label.
func (t *parsed) endsWithOwn() bool {
	m := t.all[len(t.all)-1]
	s := t.sentences[m.sentence]
	return m.own && m.is == named && m.sentence == len(t.sentences)-1 && stating.MatchString(t.skeleton[s.from:m.at]) &&
		strings.Trim(t.skeleton[m.at+answerBytes:], " .!\"')"+boldOff) == ""
}

var (
	calculates = newPattern(`(?i)(?:` + answerRune + `[\s)]*(?:\^|[+*/×÷–-]\s*[(]?` + answerRune +
		`).*|^[\s$]*[a-z] *)=\s*[$€£~≈]?` + answerGroup + `(.*)$`)
	describesIt  = newPattern(`(?i)^(?:[^;:]* =|[^,;:]* (?:is|equals|ist|est|es|è|é|wynosi)) (?:about |approximately |roughly |exactly |etwa |environ |[$€£~≈] ?)*` + answerGroup + `(.*)$`)
	joined       = newPattern(`(?i)\b(?:and|there|each|every)\b`)
	numberedStep = newPattern(`(?i)^\W*(?:step|schritt|paso|étape|步骤) ?\d*`)
	tested       = newPattern(`(?i)\b(?:check|verif)\w*`)
	variables    = newPattern(`(?i)(?:^|[\s$])([a-z](?:_?[₀-₉\d])?) *= *` + answerRune)
)

// lastResult returns the number that a text ends with as the result of a calculation, or that
// its one sentence says something to be; -1 if it does not.
func (t *parsed) lastResult() int {
	if t.form.number == nil || len(t.sentences) == 0 {
		return -1
	}
	s := t.sentences[len(t.sentences)-1]
	text := strings.TrimSpace(t.textIn(s))
	m := calculates.FindStringSubmatch(text)
	if m == nil && len(t.sentences) == 1 && !joined.MatchString(text) {
		m = describesIt.FindStringSubmatch(text)
	}
	if i := t.repeatedResult(s); m == nil && i >= 0 {
		return i
	}
	if m == nil || !aloneUnits.MatchString(m[2]) || numberedStep.MatchString(text) || tested.MatchString(text) {
		return -1
	}
	all := variables.FindAllStringSubmatch(t.skeleton, -1)
	if slices.ContainsFunc(all, func(v []string) bool { return v[1] != all[0][1] }) {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(m[1])
	if i := int(r - firstAnswer); t.all[i].is == named || t.all[i].is == inferred {
		return i
	}
	return -1
}

// isBracketed reports whether a number is in brackets with more, which say how another comes about.
func (t *parsed) isBracketed(m mention) bool {
	s := t.sentences[m.sentence]
	lead := t.skeleton[s.from:m.at]
	open := strings.LastIndexByte(lead, '(')
	return open > 0 && !strings.Contains(lead[open:], ")") && strings.IndexFunc(lead[:open], isAnswer) >= 0 &&
		!m.bracket && !doubtsRest.MatchString(lead[open:])
}

// isOperand reports whether a number is part of an expression, and not its result.
func (t *parsed) isOperand(m mention) bool {
	return operator.MatchString(t.skeleton[m.at+answerBytes:]) || operand.MatchString(t.skeleton[:m.at])
}

// standsAlone reports whether a yes or no begins a sentence or ends it.
func standsAlone(lead, rest string) bool {
	lead, rest = strings.Trim(lead, " ❌"), strings.TrimSpace(rest)
	rest = strings.TrimLeft(rest, "\"'")
	ends := strings.TrimLeft(rest, ".! 。！)") == "" || rest == "です。" || rest == "です"
	begins := aloneLead.MatchString(lead)
	return begins && (ends || strings.ContainsAny(rest[:min(1, len(rest))], ",.-;:!") || strings.HasPrefix(rest, "、") ||
		strings.HasPrefix(rest, "(") && !doubtsRest.MatchString(rest) ||
		strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "—") || clauseOf.MatchString(rest)) ||
		ends && endsWithAnswer.MatchString(lead)
}

var (
	clauseOf       = newPattern(`(?i)^(?:it|he|she|they|we|you|i|this|that|these|those|there|the|a|an|as|because|since|but|based|according|given|not)\b`)
	endsWithAnswer = newPattern(`(?i)(?:,|:|\bso|\bsay|\bthink|\bsuggests|\bindicates|\bsupports|\bis|\ba|\btherefore|\bhence)$`)
)
