// Package reading finds the answer that a free text states: the label of an option, several of
// them, yes or no, or a number. One grammar, a table of rules in several languages (rules.go),
// serves all: it finds answers of the kind asked for, looks up what their clauses say of them,
// and takes the last one that the text states.
package reading

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// Way is how an answer was found in a text.
type Way string

// Values of Way, the surest first.
const (
	Stated Way = "stated" // after "the answer is", "so", "I choose" and the like, or before "is correct"
	Boxed  Way = "boxed"  // in \boxed{}
	Alone  Way = "alone"  // the whole text, or its first or last line or sentence
	Marked Way = "marked" // in bold or brackets, once or always the same
	Only   Way = "only"   // the only answer in the text, which neither hedges nor rejects it
	Words  Way = "words"  // an option's own words, stated, alone or the only ones
)

// Errors of Form.Read: why a text has no answer. Their texts can be shown to a model.
var (
	ErrNone     = errors.New("it does not state an answer")
	ErrOpen     = errors.New("it leaves open which of several answers it gives")
	ErrRejected = errors.New("it says what the answer is not")
	ErrDeclined = errors.New("it says that there is no answer")
	ErrCut      = errors.New("it was cut off before it stated an answer")
	ErrUnknown  = errors.New("the answer that it states is not one of those that can be given")
)

// Answer is what a text states.
type Answer struct {
	Text string // a label, labels without anything between them, yes or no, a decimal number
	Way  Way
}

// Read returns the answer that text states, or one of the errors above. With cut, text was cut
// off and only a statement counts.
func (f Form) Read(text string, cut bool) (Answer, error) {
	if len(text) > mostText {
		text = strings.ToValidUTF8(text[len(text)-mostText:], "")
	}
	if head, asksOn := beforeNextQuestion(text); asksOn {
		if a, err := f.Read(head, false); err == nil && a.Way != Only && a.Way != Marked {
			return a, nil
		}
	}
	text = fold(text, f.several)
	if m := allApply.FindStringSubmatch(text); m != nil && f.several && !cut && f.findWords(text) == nil &&
		(m[1] == "" || names[len(f.labels)] == strings.ToLower(m[1])) {
		return Answer{strings.Join(f.labels, ""), Words}, nil
	}
	if len(f.labels) > 0 && f.labels[0] == "1" && ranking.MatchString(text) {
		return Answer{}, ErrUnknown
	}
	t := f.parse(f.withOrdinals(text))
	t.cut = cut
	t.judge()
	a, err := t.decide()
	if err == nil && a.Text == "" { // a number that cannot be told
		return Answer{}, ErrUnknown
	}
	return a, err
}

// beforeNextQuestion returns what a text says before it goes on to a question of its own, as models do that
// have learnt from lists of questions and answers; false if it does not.
func beforeNextQuestion(text string) (string, bool) {
	m := nextQuestion.FindStringIndex(text)
	if m == nil || strings.TrimSpace(text[:m[0]]) == "" {
		return "", false
	}
	return text[:m[0]], true
}

var nextQuestion = newPattern(`(?im)^[\s*_#>]*(?:question|q|human|user|frage|pregunta|domanda|问题|問題)[*_]*[ \t]*[:：]`)

// ranking is a list that begins with two places and holds nothing else, which is no vote.
var ranking = newPattern(`(?i)^\s*1[.)] *(?:candidate|solution|option|proposal|answer)? *#?\d+\W*\n+\s*2[.)] *(?:candidate|solution|option|proposal|answer)? *#?\d+\W*(?:\n\s*\d+[.)][^\n]*)*\s*$`)

const mostText = 32 << 10 // bytes that are read, from the end

// standing is what a text says of an answer that it names.
type standing int

const (
	named    standing = iota
	stated            // claimed or endorsed
	inferred          // after "so" and the like
	open              // hedged, or one of several
	out               // excluded
	foreign           // another one's, supposed or asked
)

// mention is an answer that a text names.
type mention struct {
	value    string // "" if it looks like an answer and is none
	at       int    // its place in the skeleton
	is       standing
	boxed    bool
	bold     bool
	bracket  bool
	words    bool // an option's own words
	many     bool // claimed with others, of which one may be given
	endorsed bool // stated by what follows it
	item     bool // one of several lines that each hold an answer only
	own      bool // a label with its option's words
	weak     bool // may be no answer at all: a bare letter or number
	sentence int
}

// parsed is a text with its answers taken out.
type parsed struct {
	form      Form
	skeleton  string // each answer is one rune
	all       []mention
	sentences []span
	cut       bool
	broken    span // the sentence of breaks
	breaks    [][]int
	hedging   judged // the last clause that was asked about
	claiming  judged // the last sentence
}

type judged struct {
	span
	is bool
}

type span struct{ from, to int }

func (t *parsed) textIn(s span) string { return t.skeleton[s.from:s.to] }

// answerAt returns which answer stands at a place of the skeleton.
func (t *parsed) answerAt(at int) int {
	r, _ := utf8.DecodeRuneInString(t.skeleton[at:])
	return int(r - firstAnswer)
}

const answerBytes = 3 // of an answer in the skeleton

// longestSentence in bytes; longer ones are none, and are read in parts.
const longestSentence = 800

var ends = newPattern(`[.!?]+["')\]` + boldOff + `]*(?:\s|$)|[。！？।؟]["')\]]*|\n+`)

// split finds the sentences of the skeleton, and which one each answer is in.
func (t *parsed) split() {
	from := 0
	cut := func(to int) {
		for to-from > longestSentence {
			at := from + longestSentence
			for !utf8.RuneStart(t.skeleton[at]) {
				at--
			}
			t.sentences = append(t.sentences, span{from, at})
			from = at
		}
		if strings.Trim(t.skeleton[from:to], " \n\t-=_*~") != "" { // a rule is no sentence
			t.sentences = append(t.sentences, span{from, to})
		}
		from = to
	}
	for _, end := range ends.FindAllStringIndex(t.skeleton, -1) {
		before := t.skeleton[from:end[0]]
		if len(before) > longestSentence { // of many lines that go on
			before = "x" + lastOf(before, longestSentence)
		}
		before = strings.TrimRight(before, " \""+boldOff)
		goesOn := unfinished.MatchString(before) || t.skeleton[end[0]] == '\n' && headed.MatchString(before)
		goesOn = goesOn || t.skeleton[end[0]] == '!' && strings.HasPrefix(t.skeleton[end[1]:], "=") // a factorial
		if goesOn && end[1] < len(t.skeleton) {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(t.skeleton[end[1]:]); next >= 'a' && next <= 'z' &&
			t.skeleton[end[1]-1] == ' ' {
			continue
		}
		cut(end[1])
	}
	cut(len(t.skeleton))
	s := 0
	for i := range t.all {
		for s < len(t.sentences)-1 && t.all[i].at >= t.sentences[s].to {
			s++
		}
		t.all[i].sentence = s
	}
}

// unfinished lines go on on the next, as "Answer:" and "Answer." do; a line that is headed "Final answer", too.
var (
	unfinished = newPattern(`(?i)(?:[:：]|^[\s#*` + boldOn + `]*(?:final |correct )?answer` + boldOff +
		`?|\bans|\bvs|\bi\.e|\be\.g|^\s*\d+)$`)
	headed = newPattern(`(?i)(?:^|[#*\s])(?:final |correct )?answer` + boldOff + `?$`)
)

// judge finds what each sentence says of its answers.
func (t *parsed) judge() {
	for i, s := range t.sentences {
		if strings.IndexFunc(t.textIn(s), isAnswer) < 0 {
			continue
		}
		t.judgeExceptions(s)
		t.judgeClaims(s)
		t.judgeEndorsements(s)
		t.judgeRest(i)
	}
	t.retractStatements()
	t.readReplies()
}

// excepted are sentences about all options but some.
var excepted = newPattern(`(?i)^\W*(?:all|every(?:thing|one)?|each)(?: one)?(?: of (?:them|the above|these|the (?:other )?(?:options?|choices|answers)))?(?: (?:the )?(?:other )?(?:options?|choices?|answers?|statements?))?,? (?:except(?: for)?|but|other than|apart from|besides) (?:options? |choices? )?(` + answerRune + `[^.;:\n]*?)((?:,? (?:is|are|can be|can all be|must be) [^.;:\n` + answerRange + `]*)?)[.!\s]*$`)

// judgeExceptions states what all options but some are: those where the others are wrong,
// the others where they are right or nothing is said and several can be chosen.
func (t *parsed) judgeExceptions(s span) {
	m := excepted.FindStringSubmatchIndex(t.textIn(s))
	if m == nil || t.form.number != nil || t.form.yesNo {
		return
	}
	i := t.answerAt(s.from + m[2])
	list, alternative := t.listFrom(i, s)
	predicate := t.skeleton[s.from+m[4] : s.from+m[5]]
	wrong := rejected.MatchString(predicate)
	if alternative || t.all[list[len(list)-1]].at+answerBytes < s.from+m[3]-len(" )") || !wrong && !t.form.several ||
		len(list) > 1 && !t.form.several {
		return
	}
	rest := slices.Clone(t.form.labels)
	for _, j := range list {
		t.all[j].is = foreign
		if wrong {
			t.all[j].is = stated
		}
		rest = slices.DeleteFunc(rest, func(l string) bool { return strings.Contains(t.all[j].value, l) })
	}
	if !wrong {
		t.all[i].is, t.all[i].value = stated, strings.Join(rest, "")
	}
}

// clauseAround returns the part of a sentence around a place, up to the words that break it.
func (t *parsed) clauseAround(s span, at int) span {
	c := s
	if t.broken != s {
		t.broken, t.breaks = s, breaks.FindAllStringIndex(t.textIn(s), -1)
		t.breaks = slices.DeleteFunc(t.breaks, func(b []int) bool {
			return t.isList(s.from+b[0], s.from+b[1]) || goesOnAfter.MatchString(t.skeleton[s.from+b[1]:s.to])
		})
	}
	for _, b := range t.breaks {
		from, to := s.from+b[0], s.from+b[1]
		if to <= at {
			c.from = to
		} else if from > at {
			c.to = from
			break
		}
	}
	return c
}

// goesOnAfter a comma a clause is what the one before says.
var goesOnAfter = newPattern(`^\s*(?:что|dass|that|que|che|że|which (?:gives|yields|makes|leads))\s`)

// isList reports whether a break stands between two answers of a list.
func (t *parsed) isList(from, to int) bool {
	if strings.Trim(t.skeleton[from:to], ",， ") != "" {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(t.skeleton[:from], " )\"'"+boldOff))
	after := connectedAnswer.MatchString(t.skeleton[to:])
	return isAnswer(before) && after
}

var connectedAnswer = newPattern(`(?i)^[\s"'(` + boldOn +
	`]*(?:and |or |und |oder |y |o |et |ou |e |и |или |also )?(?:options? |choice )?` + answerRune)

func isAnswer(r rune) bool { return r >= firstAnswer && r < firstAnswer+mostAnswers }

// withoutPhrases returns a clause without the phrases that sound like a hedge and are none.
func withoutPhrases(text string) string { return withoutBut.ReplaceAllString(text, " ") }

// judgeClaims finds what a sentence claims.
func (t *parsed) judgeClaims(s span) {
	text := t.textIn(s)
	var spans [][]int
	for _, m := range corrected.FindAllStringSubmatchIndex(text, -1) {
		spans = append(spans, []int{m[0], m[2]})
	}
	corrections := len(spans)
	for _, p := range []*pattern{opening, ordered} {
		if m := p.FindStringSubmatchIndex(text); m != nil {
			spans = append(spans, []int{m[0], m[2]})
		}
	}
	for from := 0; from < len(text); {
		m := claimed.FindStringSubmatchIndex(text[from:])
		if m == nil {
			break
		}
		spans = append(spans, []int{from + m[0], from + m[2]})
		from += m[2]
	}
	inference := len(spans)
	for _, m := range concluded.FindAllStringSubmatchIndex(text, -1) {
		spans = append(spans, []int{m[0], m[2]})
	}
	for n, m := range spans {
		from, at := s.from+m[0], t.resultAfter(s.from+m[1], s)
		if n >= corrections && t.isAside(s, from) {
			continue
		}
		is := stated
		if n >= inference {
			if is = inferred; n > 0 && butThen.MatchString(text[:m[0]]) {
				is = stated
			}
			if describes.MatchString(t.skeleton[at+answerBytes : s.to]) {
				continue
			}
		}
		t.claimAnswers(s, from, at, is)
	}
}

// butThen stands before what a sentence puts in place of what it claims.
var butThen = newPattern(answerRune + `[^:;]*\bbut$`)

// isAside reports whether a place is in brackets after an answer that the sentence states, or
// in what explains the answer that it begins with.
func (t *parsed) isAside(s span, at int) bool {
	lead := t.skeleton[s.from:at]
	first := strings.IndexFunc(lead, isAnswer)
	if first < 0 {
		return false
	}
	if open := strings.LastIndexByte(lead, '('); open > first && !strings.Contains(lead[open:], ")") {
		return t.all[t.answerAt(s.from+first)].is == stated || aloneLead.MatchString(lead[:first])
	}
	return explains.MatchString(lead[first+answerBytes:]) && aloneLead.MatchString(lead[:first])
}

// explains stands between an answer and what it is: "42 — that's 6 × 7".
var explains = newPattern(`^["')` + boldOff + `]*\s*[—–-]\s*$`)

// describes follows an answer that is only explained: "so A is Athens".
var describes = newPattern(`^ (?:is|means|stands for|says) [A-Z` + answerRange + `]`)

// claimAnswers sets the standing of the answers that begin at a place, and are claimed before it.
func (t *parsed) claimAnswers(s span, from, at int, is standing) {
	i := t.answerAt(at)
	if t.all[i].is != named || eachOf.MatchString(withoutPhrases(t.skeleton[s.from:from+1])) &&
		!startsAnew.MatchString(t.skeleton[from:at]) {
		return
	}
	list, alternative := t.listFrom(i, s)
	if t.saysMore(t.skeleton[from:at], t.skeleton[t.all[list[len(list)-1]].at+answerBytes:s.to]) {
		return
	}
	if prefers.MatchString(t.skeleton[s.from:at]) && overTo.MatchString(t.skeleton[at+answerBytes:s.to]) {
		t.all[i+1].is = out
		list, alternative = list[:1], false
	}
	around := span{t.clauseAround(s, from).from, t.clauseAround(s, at).to}
	before, whole := withoutPhrases(t.skeleton[around.from:from]), t.textIn(around)
	tail := withoutPhrases(t.skeleton[from:at])
	sentence := strings.TrimSpace(t.textIn(s))
	switch {
	case t.isForeign(s, around, at):
		is = foreign
	case strings.HasSuffix(strings.TrimRight(sentence, "\"' )"+boldOff), "?"):
		is = foreign
	case denied.MatchString(tail) || deniesClaim.MatchString(before) || deniesClaim.MatchString(tail):
		is = out
	case gerund.MatchString(tail) && consequence.MatchString(t.skeleton[at+answerBytes:]):
		is = foreign
	case t.form.isHedged(whole):
		is = open
	case guessed.MatchString(whole) && is == inferred && !t.isOneOnly(s):
		is = open
	case t.isRejectedAfter(list[len(list)-1], s):
		is = out
	case alternative || len(list) > 1 && !t.form.several && !t.nameSame(list) ||
		t.isOtherwise(s, from) || t.wavers(i-1, s) || t.wavers(i, s) || t.isOneOfVariables(s, at):
		is, t.all[i].many = open, true
	case !t.form.isWhole(t, list[len(list)-1], s) || is == inferred && t.all[i].words &&
		t.isOneOfTwo(list[len(list)-1], s):
		is = open
	case t.cut && t.isUnfinished(list[len(list)-1]):
		is = open
	}
	for _, j := range list {
		if t.all[j].is == named {
			t.all[j].is = is
		}
	}
}

// isOtherwise reports whether a claim comes after an answer of its sentence and "or".
func (t *parsed) isOtherwise(s span, from int) bool {
	lead := t.skeleton[s.from:from]
	return orBefore.MatchString(lead) && strings.IndexFunc(lead, isAnswer) >= 0
}

var orBefore = newPattern(`(?i)[\s,](?:or|oder|ou|или|或)\s*$`)

// wavers reports whether a sentence names an answer and ends with "but also" and another one.
func (t *parsed) wavers(i int, s span) bool {
	return i >= 0 && t.all[i].at >= s.from && i+1 < len(t.all) && t.all[i+1].value != t.all[i].value &&
		butAgain.MatchString(t.skeleton[t.all[i].at+answerBytes:s.to])
}

var butAgain = newPattern(`(?i)^[^.;:` + answerRange + `]*\bbut(?: then(?: again)?| also| equally| just as well| on the other hand),? ` +
	answerRune + `[)\s.!]*$`)

// isOneOfVariables reports whether a sentence gives a variable the value at a place, and another variable another one.
func (t *parsed) isOneOfVariables(s span, at int) bool {
	all := variables.FindAllStringSubmatchIndex(t.textIn(s), -1)
	return t.form.number != nil && slices.ContainsFunc(all, func(v []int) bool { return s.from+v[1] == at+answerBytes }) &&
		slices.ContainsFunc(all, func(v []int) bool { return t.textIn(s)[v[2]:v[3]] != t.textIn(s)[all[0][2]:all[0][3]] })
}

// saysMore reports whether what a text thinks or what something means goes on after an answer, which
// then is a subject only: "I think A is a trap".
func (t *parsed) saysMore(lead, rest string) bool {
	if t.form.number != nil {
		return opines.MatchString(lead) && !endsNumber.MatchString(rest)
	}
	return (opines.MatchString(lead) || chosen.MatchString(lead)) && !endsOpinion.MatchString(rest)
}

var (
	// chosen is what a text does with an answer that it takes, or with one that it only looks at.
	chosen      = newPattern(`(?is)^\W*(?:(?:i|we|you|one|let us|let's)(?:['’ ].*?)?\b(?:say|(?:'d|would|'ll|will|i|we) answer|get|obtain|keep|take|hold|conclude|mark|tick|choose|chose|pick|select|going with|go with|with|agree with [^.;!?\n` + answerRange + `]*)|certain|confident|convinced)(?: that)?[\s"'(:` + boldOn + boldOff + `]*$`)
	opines      = newPattern(`(?i)\b(?:would be|think|guess|believe|propose|support|favou?r|endorse|submit|supports|favou?rs|suggests?|indicates?|implies|confirms|yields|gives|means|points? to|leads? to|speaks? for)(?: that)?[\s"'(:` + boldOn + boldOff + `]*(?:(?:options?|choice|candidate|solution|number|it's|it is|answer)[\s"'(:]+)?$`)
	endsOpinion = newPattern(`(?i)^["')\]\s` + boldOff +
		`]*(?:$|[.;:!?\n—–-]|, (?:it|he|she|they|this|that|the others?)\b[^,]*$|,? (?:because|since|as (?:it|he|she|they|this|that|the (?:correct|right|best|only|answer))|given|not|rather|instead|over|as (?:the|my|our) (?:\pL+ )?(?:answer|choice|option|pick|solution|vote|selection)|to be (?:correct|right|true|the)|is what (?:i|we|you)\b|only\b|(?:on|to) this|in the end|without (?:any )?(?:hesitation|doubt)|for (?:the|these|this|my|several|two|three)|based|due|here|too|also|with|then|and (?:not|i|reject|nothing|exclude)|but|though|although)\b|,? (?:is|are)(?: (?:the|clearly|definitely|indeed|also|most|a|likely))* (?:correct|right|best|true|answers?|choice))`)
	endsNumber = newPattern(`^["')%°$\s` + boldOff +
		`]*(?:[\pL/²³]{1,15} ?){0,2}(?:$|[.,;:!?\n(—–-]|[+*/×÷^=])`)
)

// isOneOfTwo reports whether a clause goes on to another option in its own words: "true for
// some and false for others".
func (t *parsed) isOneOfTwo(i int, s span) bool {
	clause := t.clauseAround(s, t.all[i].at)
	for j := i + 1; j < len(t.all) && t.all[j].at < clause.to; j++ {
		if t.all[j].words && t.all[j].value != t.all[i].value &&
			!denied.MatchString(t.skeleton[t.all[i].at+answerBytes:t.all[j].at]) {
			return true
		}
	}
	return false
}

// who prefers one answer to another names two.
var (
	prefers = newPattern(`(?i)\bprefer\w*[^,.;:` + answerRange + `]*$`)
	overTo  = newPattern(`^["')\s]*to\b`)
)

// gerunds claim, but for what choosing would do.
var (
	gerund      = newPattern(`(?i)^\W*choosing\b`)
	consequence = newPattern(`(?i)^[\s"')]*(?:would|might|could|may|will|means|makes|is|breaks|leads)\b`)
)

// contrasts lead from an answer that is denied to the one that is claimed.
var contrasts = newPattern(`(?i)^[\s"'` + boldOff + `)]*(?:after all|any ?more)?(?:, (?:as|which|that|wie|como|comme|come|как) [^,.;` +
	answerRange + `]{1,40})?[\s,]*(?:but(?: rather)?|sondern|sino|mais|ma|mas|bensì|lecz|ale|maar|а|но|але|ci|hanem|vaan|utan|men|αλλά|אלא|แต่|而是|是|ではなく|(?:가|이)? ?아니라|بل|(?:नहीं,? )?बल्कि|değil,?|[;:—–])[\s,"'` + boldOn + `(]*(?:option |choice |la |the )?` + answerGroup)

// eachOf stands before what is not a claim: "each option:".
var (
	eachOf     = newPattern(`(?i)(?:^|[^\pL])(?:each|every|all|any|per|this|that|following|other|jede|chaque|cada|ogni)[^\pL]*$`)
	startsAnew = newPattern(`(?i)^\W*(?:it|the|i|we|this)\b`)
)

// deniesClaim stands before a claim and says that what follows is not the answer.
var deniesClaim = newPattern(`(?i)(?:\bnot|\bcannot|n['’]t|\bnever|\bnor(?: can| do| would| could)?|\bno way|\bno (?:evidence|reason|proof|grounds)|\bimpossible|\bunlikely|\bdoubt|\bwrong|\bincorrect|\bfalse|\bleast likely|\bless likely|\bworst|\bsecond[- ]best|\bopposite|\b(?:mistake|error|foolish|refuse|unable) to|\bfalsche|\bincorrecta|\bmauvaise|\bsbagliata|错误的?|\bdisagree|nicht|\bno\b|\bpas|n'est pas|\bnon\b|\bnão|不是|不|не |ليس|لا أعتقد أن|لا أظن أن|नहीं लगता(?: कि)?|nie (?:sądzę|uważam|myślę),? (?:że|żeby|aby)|no creo que|pense pas que|não acho que|non (?:credo|penso) che|glaube nicht,? dass)(?:\s+(?:think|believe|say|claim|agree|mean|sure|convinced|the case|true|possible|that|the|with|final|correct|right|i|we|you|one|should|can|could|suggests|to|is|la|die))*[\s"'{\[(:]*$`)

// isUnfinished reports whether a text was cut off right after an answer.
func (t *parsed) isUnfinished(i int) bool {
	rest := strings.TrimSpace(t.skeleton[t.all[i].at+answerBytes:])
	return rest == "" && (t.form.number != nil || t.all[i].words) || dangling.MatchString(rest) || rest == "" &&
		t.all[i].weak && !t.all[i].bold
}

var dangling = newPattern(`(?i)^[,\s]*(?:or|oder|o|ou|und|and|或|または)?[,\s]*$`)

// nameSame reports whether mentions all name the same answer.
func (t *parsed) nameSame(list []int) bool {
	for _, i := range list {
		if t.all[i].value != t.all[list[0]].value {
			return false
		}
	}
	return true
}

// listFrom returns the answers of the list that begins with one, and whether it is one of alternatives.
func (t *parsed) listFrom(i int, s span) (list []int, alternative bool) {
	list = []int{i}
	for j := i + 1; j < len(t.all) && t.all[j].at < s.to; j++ {
		between := t.skeleton[t.all[j-1].at+answerBytes : t.all[j].at]
		switch {
		// how it comes about, another list
		case strings.Contains(between, "("), strings.Contains(between, ";") && j > i+1 &&
			!strings.Contains(t.skeleton[t.all[j-2].at:t.all[j-1].at], ";"):
			return list, alternative
		case alternatives.MatchString(between) && !(t.form.number != nil && strings.Trim(between, " ()") == "/"):
			alternative = alternative || t.all[j].value != t.all[i].value
		case !connections.MatchString(between) || strings.TrimSpace(between) == "" && !t.form.several && t.all[j].words:
			return list, alternative
		}
		list = append(list, j)
	}
	if rest := t.skeleton[t.all[list[len(list)-1]].at+answerBytes : s.to]; trailingOr.MatchString(rest) &&
		(t.cut || rest[0] != ',') {
		alternative = true
	}
	return list, alternative
}

var trailingOr = newPattern(`(?i)^[\s,]*(?:or|oder|ou|或|или)\s`)

// isForeign reports whether what is claimed in a clause is another one's, supposed or asked.
func (t *parsed) isForeign(s, clause span, at int) bool {
	before := t.skeleton[clause.from:at]
	if assumed.MatchString(t.skeleton[s.from:at]) || supposed.MatchString(before) &&
		!strings.Contains(strings.ToLower(before), "as if") {
		return true
	}
	if rest := t.skeleton[at+answerBytes : clause.to]; conditional.MatchString(rest) ||
		attributed.MatchString(t.skeleton[at+answerBytes:s.to]) {
		return true
	}
	lead := t.skeleton[s.from:at]
	if counterfactual.MatchString(lead) || t.isQuotedLine(at) {
		return true
	}
	if agreesAfter.MatchString(t.skeleton[at+answerBytes : s.to]) {
		return false
	}
	if speaker.MatchString(lead) && !agreed.MatchString(lead) {
		return true
	}
	if said := quoted.FindStringIndex(heard.ReplaceAllString(before, " ")); said != nil {
		return !agreed.MatchString(lead) || disagreed.MatchString(lead)
	}
	if s.from > 0 { // a line before it that says whose answers follow
		prior := strings.TrimRight(t.skeleton[:s.from], " \n")
		prior = prior[strings.LastIndexByte(prior, '\n')+1:]
		return strings.HasSuffix(strings.TrimRight(prior, boldOff+" "), ":") &&
			(speaker.MatchString(prior) || quoted.MatchString(prior)) && !agreed.MatchString(prior)
	}
	return false
}

// isQuotedLine reports whether a place is in a line quoted as in a mail, beside lines that are not.
func (t *parsed) isQuotedLine(at int) bool {
	line := t.skeleton[strings.LastIndexByte(t.skeleton[:at], '\n')+1:]
	return strings.HasPrefix(line, "> ") && unquoted.MatchString(t.skeleton)
}

var (
	// heard is what others say where it only comes before the text's own answer.
	heard = newPattern(`(?i)\b(?:after|having|upon)\b[^,.;:` + answerRange +
		`]*?\b(?:solutions?|answers?|responses?|arguments?|reasoning|explanations?|opinions?|votes?)\b`)
	agreesAfter    = newPattern(`(?i)^[^.;!?\n` + answerRange + `]{0,40}` + iAgree)
	unquoted       = newPattern(`(?m)^[^>\s]`)
	counterfactual = newPattern(`(?i)(?:^|[;,])\W*(?:and |but )?(?:if\b[^;]*\b(?:had|were)\b|had\b|were\b)[^;]*\bwould\b[^;]*$`)
	assumed        = newPattern(`(?i)^\W*(?:assuming|suppose|supposing|for example|for instance)\b[^;]*$`)
	speaker        = newPattern(`(?i)^[\s"'` + boldOn +
		`#>-]*(?:[^:,\n]{0,40}\b(?:agents?|experts?|others?|peers?)\b[^:,\n]{0,30}:|[^:,\n]{0,20}\b(?:agente?n?|expert|agenti)\s*\d*\s+(?:says?|said|thinks?|wrote|claims?|sagte?|meinte?|dit|dice|diz|disse)[,:]|(?:智能体|エージェント|에이전트)\s*\d*[^:,\n]{0,10}:|(?:according to|laut|selon|según|secondo|segundo)\b[^,\n]*,|[^:,\n]{0,20}\b(?:format|example|form)\b[^:,\n]{0,20}:|as [^,\n]*\b(?:put it|wrote|said|says|claims?|claimed),|in (?:the|their|his|her) (?:first|second|third|other|previous|last) (?:solution|answer|response|round)[^,\n]*,)`)
	attributed = newPattern(`(?i)^["')` + boldOff +
		`.]*(?: (?:is|was) what|,? (?:is |was )?(?:says?|said|wrote|writes|claims?|claimed|argues?|argued|according to|given as|meant as|shown as|used as|(?:chosen|proposed|suggested|claimed|stated|picked|given) by))(?: (?:the |an? |most |all |many |some |my )?(?:other|agent|expert|peer|majority|people|they|he|she|everyone)|(?: an?)? (?:sample|example|format|placeholder))`)
	conditional = newPattern(`(?i)^[^,;.]*\b(?:if|only if|unless)\s|^[^,;.]*in the (?:last|previous|first) (?:round|turn)|なら|라면|かどうか|是不是`)
)

// isRejectedAfter reports whether the clause rejects an answer after naming it.
func (t *parsed) isRejectedAfter(i int, s span) bool {
	at := t.all[i].at
	after := t.skeleton[at+answerBytes : t.clauseAround(s, at).to]
	if deniedAfter.MatchString(t.skeleton[at+answerBytes : s.to]) {
		return true
	}
	if t.form.yesNo && !subject.MatchString(after) {
		return false
	}
	if next := strings.IndexFunc(after, isAnswer); next >= 0 {
		if !connections.MatchString(after[:next]) {
			after = after[:next]
			if other := denied.FindStringIndex(after); other != nil { // the next one is rejected
				after = after[:other[0]]
			}
		} else {
			after = ""
		}
	}
	return rejected.MatchString(withoutPhrases(after))
}

var (
	deniedAfter = newPattern(`(?i)^["')]*:? ?(?:- )?no(?:$|[.\n,;])|^["'` + boldOff +
		`)\]]*\s*(?:(?:では|じゃ)(?:な|あり)|(?:가|이|은|는)? ?(?:아니|아닙|아닌|정답이 아)|नहीं|değil)`)
	subject = newPattern(`(?i)^["']?\s+(?:is|are|was|would|cannot|can't|can|needs?|ist|es|est)\b`)
)

// judgeEndorsements finds what a sentence endorses: "(B) is correct".
func (t *parsed) judgeEndorsements(s span) {
	for i := range t.all {
		m := &t.all[i]
		if m.at < s.from || m.at >= s.to || m.is != named {
			continue
		}
		rest := strings.TrimLeft(t.skeleton[m.at+answerBytes:s.to], boldOff)
		if !endorsed.MatchString(rest) || startsRejected.MatchString(rest) || t.form.number != nil &&
			resultLead.MatchString(t.skeleton[s.from:m.at]) {
			continue
		}
		clause := t.clauseAround(s, m.at)
		text := withoutPhrases(t.textIn(clause))
		list := t.listBack(i, s)
		is := stated
		switch {
		case t.isForeign(s, clause, m.at) || strings.HasSuffix(strings.TrimSpace(t.textIn(s)), "?") ||
			wouldBe.MatchString(rest):
			is = foreign
		case t.noneOf(clause, m.at) || denied.MatchString(t.skeleton[clause.from:m.at]) ||
			deniesClaim.MatchString(withoutPhrases(t.skeleton[clause.from:m.at])):
			is = out
		case t.form.isHedged(text):
			is = open
		case len(list) > 1 && !t.form.several && !t.nameSame(list):
			is = open
		}
		for _, j := range list {
			if t.all[j].is == named {
				t.all[j].is, t.all[j].endorsed = is, true
			}
		}
	}
}

// resultLead comes before a result, whose tick says that the calculation is right.
var resultLead = newPattern(answerRune + `[^=]*=[\s$]*$`)

// wouldBe right is what is not: "would be right for fashion, but".
var wouldBe = newPattern(`(?i)^["')]* (?:would|might|could) (?:be|have been)\b[^.;]*\b(?:but|however|if|had)\b|^["')]* would be (?:right|correct|true) (?:in|for|of) [^t]`)

// startsRejected is an endorsement that is denied: "is not correct".
var startsRejected = newPattern(`(?i)^[\s"']*(?:\S+ )?(?:is|are|was)?(?:n't| not) |^ ?(?:\pL+ ){0,5}(?:distractors|decoys)\b|^ ?(?:\pL+ ){0,4}(?:(?:best|better) known|suitable for an?)\b|^[^.,;\n]*\b(?:distractor|decoy|trap|in (?:your|their|his|her) (?:eyes|view|opinion)|also an? (?:valid|suitable|good|correct)|answer to the (?:last|previous|other|first)|of (?:most|the wrong)|(?:right|correct) (?:for the wrong|about|to (?:mention|say|point|note)))\b|^[^.,;\n]*\b(?:correct|right|true|valid) (?:in \d{3}|until|only (?:in|for|if|when)|(?:for|of) [^.,;\n]* only\b)|^[^.,;\n]*\b(?:answer|choice|solution)s? of (?:agent|others|the other|most|many|some)|^[^.,;\n` + answerRange + `]{0,24}(?:아니|아닙|아닌|ではな|ではあり|じゃな|くありません|くない|नहीं|değil)`)

// listBack returns the answers of the list that ends with one.
func (t *parsed) listBack(i int, s span) []int {
	list := []int{i}
	for j := i - 1; j >= 0 && t.all[j].at >= s.from; j-- {
		if !connections.MatchString(t.skeleton[t.all[j].at+answerBytes:t.all[j+1].at]) ||
			denied.MatchString(t.skeleton[s.from:t.all[j].at]) {
			break
		}
		list = append(list, j)
	}
	return list
}

// judgeRest finds which of the answers that a sentence only names are excluded, open or another one's.
func (t *parsed) judgeRest(n int) {
	s := t.sentences[n]
	question := strings.HasSuffix(strings.TrimRight(t.textIn(s), " \n\"')"+boldOff), "?") ||
		asked.MatchString(t.textIn(s))
	for i := range t.all {
		m := &t.all[i]
		if m.at < s.from || m.at >= s.to {
			continue
		}
		clause := t.clauseAround(s, m.at)
		before := t.skeleton[clause.from:m.at]
		prior := i > 0 && t.all[i-1].at >= s.from && connections.MatchString(t.skeleton[t.all[i-1].at+answerBytes:m.at])
		excluded := denied.MatchString(before) || deniesClaim.MatchString(withoutPhrases(before)) ||
			t.noneOf(clause, m.at) || prior && t.all[i-1].is == out || t.isRejectedAfter(t.lastOfList(i, s), s)
		if m.is != named {
			t.claimContrast(m, s)
			continue
		}
		switch {
		case question || t.isForeign(s, clause, m.at) || supposedFirst.MatchString(t.textIn(s)):
			m.is = foreign
		case excluded:
			m.is = out
		case t.isOpen(clause, s):
			m.is = open
		case t.isAlternative(i, s) || t.wavers(i-1, s) || t.wavers(i, s):
			m.is = open
		}
		t.claimContrast(m, s)
	}
}

// isOpen reports whether a clause hedges or guesses; its answers ask one after another.
func (t *parsed) isOpen(clause, s span) bool {
	if t.hedging.span != clause {
		t.hedging.span, t.hedging.is = clause, t.form.isHedged(t.textIn(clause)) ||
			guessed.MatchString(t.textIn(clause)) && !t.isOneOnly(s)
	}
	return t.hedging.is
}

// isOneOnly reports whether a sentence names one answer only: a guess at one is an answer.
func (t *parsed) isOneOnly(s span) bool {
	value := ""
	for _, m := range t.all {
		if m.at < s.from || m.at >= s.to {
			continue
		}
		if value != "" && m.value != value {
			return false
		}
		value = m.value
	}
	return true
}

// claimContrast claims what a sentence puts in place of an answer that it excludes.
func (t *parsed) claimContrast(m *mention, s span) {
	if next := contrasts.FindStringSubmatchIndex(t.skeleton[m.at+answerBytes : s.to]); next != nil && m.is == out {
		t.claimAnswers(s, m.at+answerBytes+next[2], m.at+answerBytes+next[2], stated)
	}
}

// isAlternative reports whether an answer is one of several that are joined by "or".
func (t *parsed) isAlternative(i int, s span) bool {
	if i > 0 && t.all[i-1].at >= s.from && t.all[i-1].is == open &&
		alternatives.MatchString(t.skeleton[t.all[i-1].at+answerBytes:t.all[i].at]) {
		return true
	}
	_, alternative := t.listFrom(i, s)
	return alternative
}

var supposedFirst = newPattern(`(?i)^\W*(?:and |but |so )?(?:if|suppose|assuming|unless|wenn|falls|si|se|如果|假如|もし|만약|если|إذا|अगर|यदि|eğer|jeśli|czy|nếu|αν|אם|ถ้า)(?:$|[^\pL]|\p{Han}|\p{Hiragana})`)

var asked = newPattern(`(?:吗|か)[。？?\s]*$`)

// lastOfList returns the last answer of the list that an answer is in.
func (t *parsed) lastOfList(i int, s span) int {
	list, _ := t.listFrom(i, s)
	return list[len(list)-1]
}

// noneOf reports whether a clause has said "none of" before a place.
func (t *parsed) noneOf(c span, at int) bool {
	before := withoutPhrases(t.skeleton[c.from:at])
	m := none.FindStringIndex(before)
	return m != nil && !noneEnds.MatchString(before[m[1]:])
}

var (
	none     = newPattern(`(?i)\b(?:none|neither) of\b|weder|\bneither\b`)
	noneEnds = newPattern(`(?i)\b(?:but|except|so|therefore|hence|thus|besides|apart from)\b`)
)

// retractStatements takes back statements that the next sentence without an answer calls wrong.
func (t *parsed) retractStatements() {
	for n, s := range t.sentences {
		text := t.textIn(s)
		if n == 0 || len(t.all) == 0 || strings.IndexFunc(text, isAnswer) >= 0 || !retracted.MatchString(text) ||
			!rejected.MatchString(withoutPhrases(text)) {
			continue
		}
		for i := len(t.all) - 1; i >= 0; i-- {
			if m := &t.all[i]; m.at < s.from {
				if t.nameSame(t.listBack(i, t.sentences[m.sentence])) || m.is == stated {
					m.is = out
					t.excludeEarlier(i)
				}
				break
			}
		}
	}
}

// readReplies claims the one answer that a text asks about and says yes to: "(A)? No. (B)? Yes."
func (t *parsed) readReplies() {
	yes, no := -1, 0
	for i := range t.all {
		m := t.all[i]
		if t.form.yesNo || m.is != foreign {
			continue
		}
		rest := t.skeleton[m.at+answerBytes:]
		switch {
		case saysYes.MatchString(rest) && yes >= 0:
			return
		case saysYes.MatchString(rest):
			yes = i
		case saysNo.MatchString(rest):
			no++
		}
	}
	if yes >= 0 && no > 0 {
		t.all[yes].is = stated
	}
}

var (
	saysYes = newPattern(`(?i)^["')]*\?["')]*\s*(?:yes|ja|oui|sí|sì|sim|да|✅|✓)(?:$|[^\pL])`)
	saysNo  = newPattern(`(?i)^["')]*\?["')]*\s*(?:[^.?!\n]{0,20}\bno|nein|non|não|нет|❌|✗)(?:$|[^\pL])`)
)

// excludeEarlier excludes the same answer wherever it stood before.
func (t *parsed) excludeEarlier(i int) {
	for j := range i {
		if t.all[j].value == t.all[i].value && t.all[j].is != foreign {
			t.all[j].is = out
		}
	}
}
