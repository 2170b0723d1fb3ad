package reading

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Form is the form of the answers to a question.
type Form struct {
	labels  []string // of options, or of candidates of a vote
	texts   []string // the options' own words, by label; may be nil
	several bool
	yesNo   bool
	number  *numbers
	words   *pattern // finds the options' own words; nil if there are none
	byWords map[string]string
}

// numbers are how the question writes numbers.
type numbers struct{ comma bool }

// Options returns the form of one option's letter; texts are the options, in order.
func Options(texts []string) Form {
	f := Form{texts: texts}
	for i := range texts {
		f.labels = append(f.labels, string(rune('A'+i)))
	}
	return f.withWords()
}

// Several returns the form of any number of options' letters.
func Several(texts []string) Form {
	f := Options(texts)
	f.several = true
	return f
}

// Candidates returns the form of a vote for one of n candidates, numbered from 1.
func Candidates(n int) Form {
	f := Form{}
	for i := range n {
		f.labels = append(f.labels, strconv.Itoa(i+1))
	}
	return f
}

// YesNo returns the form of yes and no.
func YesNo() Form { return Form{yesNo: true} }

// Number returns the form of a decimal number. With comma, 1.234 is a whole number and
// 1,5 a fraction, as questions in many languages write them.
func Number(comma bool) Form { return Form{number: &numbers{comma}} }

var commaNumbers = newPattern(`\d,\d{1,2}(?:\D|$)|\d\.\d{3},\d`)
var pointNumbers = newPattern(`\d\.\d{1,2}(?:\D|$)|\d,\d{3}(?:\D|$)`)

// WritesComma reports whether a text writes numbers with a decimal comma.
func WritesComma(text string) bool {
	return commaNumbers.MatchString(text) && !pointNumbers.MatchString(text)
}

// withWords prepares to find the options' own words, the longest first. A word that is a
// label too, or stands for two options, is none.
func (f Form) withWords() Form {
	f.byWords = map[string]string{}
	var all []string
	for i, text := range f.texts {
		key := wordsKey(text)
		if _, double := f.byWords[key]; key == "" || double ||
			slices.Contains(f.labels, strings.ToUpper(strings.TrimSpace(text))) {
			f.byWords[key] = ""
			continue
		}
		f.byWords[key] = f.labels[i]
		all = append(all, key)
		for _, article := range []string{"the ", "a ", "an "} {
			if short, found := strings.CutPrefix(key, article); found && f.byWords[short] == "" {
				f.byWords[short] = f.labels[i]
				all = append(all, short)
			}
		}
	}
	all = slices.DeleteFunc(all, func(s string) bool { return f.byWords[s] == "" })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for i, s := range all {
		all[i] = strings.ReplaceAll(regexp.QuoteMeta(s), " ", `\s+`)
	}
	if len(all) > 0 {
		f.words = newPattern(`(?i)` + strings.Join(all, "|"))
	}
	return f
}

func wordsKey(text string) string {
	return strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(fold(text, false)), " "), ".,;:!? "))
}

var (
	// ordinals stand for options and candidates; in a short text bare ones do, too.
	ordinals     = newPattern(`(?i)\b((?:in|of|from) )?the (first|second|third|fourth|fifth|last) (solution|candidate|proposal|option|choice|alternative)(\b)`)
	bareOrdinals = newPattern(`(?i)\b((?:in|of|from) )?the (first|second|third|fourth|fifth|last)(?: one)?()([.,;:!)]|\s+(?:and|or|nor|but|is|fits|wins)\b|$)`)
	opensOrdinal = newPattern(`(?i)^\W*((?:first|second|third|fourth|fifth|last) (?:one|option|choice|alternative|candidate|solution|proposal))`)
	ordinal      = strings.Fields("first second third fourth fifth")
	// allApply is a text that names all options at once.
	allApply = newPattern(`(?i)^\W*(?:all (?:(?:the )?(two|three|four|five|six)(?: of them| options| answers)?|of (?:them|the above|these)|the (?:options|answers)|options|answers)|every(?:thing| option| answer| one)|each (?:option|answer|one))(?: listed| above)*(?: (?:apply|(?:are|is) (?:all )?(?:correct|right|true|valid)))?\W*$`)
)

const scaleWords = `(?:(?i:mio\.|mrd\.|(?:thousand|million(?:s|en)?|billion|trillion|tausend|milliarden?|milliards|millones|milhões|milioni|mille?|lakhs?|crores?)\b)|тыс\.|тысяч|миллион(?:а|ов)?|миллиардов|млн|млрд|百万|千|万|萬|億|亿)`

const shortText = 60 // bytes

// withOrdinals writes the second option as option B.
func (f Form) withOrdinals(text string) string {
	if len(f.labels) == 0 || slices.ContainsFunc(f.texts, bareOrdinals.MatchString) {
		return text
	}
	write := func(p *pattern) {
		text = p.ReplaceAllStringFunc(text, func(s string) string {
			m := p.FindStringSubmatch(s)
			i := slices.Index(ordinal, strings.ToLower(m[2]))
			if i < 0 {
				i = len(f.labels) - 1
			}
			if m[1] != "" || i >= len(f.labels) { // "in the first solution" says whose answers follow
				return s
			}
			return cmp.Or(m[3], "option") + " " + f.labels[i] + m[4]
		})
	}
	if len(text) <= shortText {
		text = opensOrdinal.ReplaceAllString(text, "the $1")
		write(bareOrdinals)
	}
	write(ordinals)
	return text
}

// found is an answer in a folded text.
type found struct {
	from, to int
	mention
}

// parse takes the answers out of a folded text.
func (f Form) parse(text string) *parsed {
	t := &parsed{form: f}
	all := f.find(text)
	if len(all) > mostAnswers {
		all = all[len(all)-mostAnswers:]
	}
	bolds := boldSpans.FindAllStringIndex(text, -1)
	var b strings.Builder
	at := 0
	for _, m := range all {
		b.WriteString(withoutMarks.Replace(text[at:m.from]))
		m.mention.at = b.Len()
		m.bold = slices.ContainsFunc(bolds, func(s []int) bool {
			return s[0] <= m.from && s[1] >= m.to &&
				(f.number != nil && endsText(text, s[1]) && len(f.findNumbers(text, s[0], s[1])) == 1 ||
					f.number != nil && strings.Trim(text[s[0]:m.from], boldOn+" ") == "" &&
						aloneUnits.MatchString(text[m.to:s[1]]) ||
					strings.Trim(text[s[0]:m.from]+text[m.to:s[1]], " .,!$%():"+boldOn+boldOff) == "")
		})
		b.WriteRune(firstAnswer + rune(len(t.all)))
		t.all = append(t.all, m.mention)
		at = m.to
	}
	b.WriteString(withoutMarks.Replace(text[at:]))
	t.skeleton = b.String()
	t.split()
	return t
}

var (
	withoutMarks = strings.NewReplacer(boxOn, " ", boxOff, " ", boldOn, "", boldOff, "")
	boldSpans    = newPattern(boldOn + "[^" + boldOff + "]*" + boldOff)
	boxSpans     = newPattern(boxOn + "[^" + boxOff + "]*" + boxOff)
)

// endsText reports whether nothing but punctuation follows a place.
func endsText(text string, at int) bool {
	return strings.IndexFunc(text[at:], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) < 0
}

// find returns the answers of a folded text, in order.
func (f Form) find(text string) (all []found) {
	at := 0
	for _, box := range boxSpans.FindAllStringIndex(text, -1) {
		all = append(all, f.findPlain(text, at, box[0])...)
		all = append(all, found{box[0], box[1],
			mention{value: f.inBox(text[box[0]+len(boxOn) : box[1]-len(boxOff)]), boxed: true}})
		at = box[1]
	}
	return append(all, f.findPlain(text, at, len(text))...)
}

// inBox returns the answer that a box holds; "" if it is none.
func (f Form) inBox(text string) string {
	values := map[string]bool{}
	var joined strings.Builder
	ms := f.findPlain(text, 0, len(text))
	if _, after, is := strings.Cut(text, "="); is && f.number != nil {
		ms = f.findPlain(after, 0, len(after))
	}
	for _, m := range ms {
		if !values[m.value] {
			joined.WriteString(m.value)
		}
		values[m.value] = true
	}
	if !f.several && len(values) != 1 {
		return ""
	}
	return joined.String()
}

// findPlain returns the answers between two places of a text.
func (f Form) findPlain(text string, from, to int) []found {
	switch {
	case f.number != nil:
		return f.findNumbers(text, from, to)
	case f.yesNo:
		return findYesNo(text, from, to)
	case len(f.labels) > 0 && f.labels[0] == "1":
		return f.findCandidates(text, from, to)
	}
	return f.findOptions(text, from, to)
}

var (
	bracketed = newPattern(`[(\[{]["'` + boldOn + `\s]*(?i:(?:option|choice|answer)\s+)?([A-Za-z])["'.` +
		boldOff + `\s]*[)\]}]`)
	bareUpper = newPattern(`[A-Z]`)
	bareLower = newPattern(`(?i:(?:is|option|choice|letter|answer|ans|pick|choose|select|respuesta|réponse|resposta|risposta|antwort|alternativa|letra|letter|ответ)[:\s"'` + boldOn + `]+)([a-z])(?:[).]|["'\s]*$|["']*\s*[,}\]\n])`)
	lowerItem = newPattern(`(?:^|\n)\s*([a-z])[).:]\s`)
	lowerList = newPattern(`(?im)answers?["\s]*(?:[:=]|is|are)\s*([a-z](?:\s*(?:[,;/&]|and)+\s*[a-z])+)[.\s]*$`)
	letters   = newPattern(`[A-Z]{2,8}`)
	// attached brackets belong to what is before them, as in Rule 12(b)(6) or f(3).
	attached = newPattern(`(?:[0-9]|(?:^|[^A-Za-z])[A-Za-z]{1,2})(?:\([^()\s]{1,3}\))*$`)
	// turkish endings follow a letter after an apostrophe.
	turkish = newPattern(`^'(?:[dt][ıiuü]r|y[ıiea]|[ıi]|[ea]|n[ıi]n)(?:$|[^\pL])`)
	// goesOn follows a letter that is a word: A thermometer, I think.
	goesOn   = newPattern(`^['` + boldOff + `]* ?['-]?[a-z]`)
	function = newPattern(`^['"` + boldOff +
		`]* (?:is|are|was|it|or|and|not|because|as|since|but|porque|parce|car|perché|pois|denn|which|with|for|here|in|would|seems?|over|instead|rather|fits|applies|apply|must|has|can|cannot|could|might|may|does|if|ist|oder|und|sind|weil|es|o|y|est|ou|et|è|e|é|niet|nicht|no|to|from|corresponds|matches|should|correct|holds|remains|then|on|too|also)\b`)
)

// findOptions returns labels, alone or in brackets, and options' own words.
func (f Form) findOptions(text string, from, to int) (all []found) {
	part := text[from:to]
	add := func(at, end int, m mention) { all = append(all, found{from + at, from + end, m}) }
	taken := func(at int) bool {
		return slices.ContainsFunc(all, func(m found) bool { return m.from <= from+at && from+at < m.to })
	}
	for _, m := range bracketed.FindAllStringSubmatchIndex(part, -1) {
		if !attached.MatchString(lastOf(text[:from+m[0]], 64)) {
			add(m[0], m[1], mention{value: f.label(part[m[2]:m[3]]), bracket: true})
		}
	}
	for _, m := range f.findWords(part) {
		if confidence.MatchString(lastOf(text[:from+m[0]], 40)) {
			continue
		}
		if !taken(m[0]) && !taken(m[1]-1) {
			add(m[0], m[1], mention{value: f.byWords[wordsKey(part[m[0]:m[1]])], words: true})
		}
	}
	for _, m := range bareUpper.FindAllStringIndex(part, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:from+m[0]])
		after, _ := utf8.DecodeRuneInString(text[from+m[1]:])
		letter := part[m[0]:m[1]]
		switch next := text[from+m[1] : min(len(text), from+m[1]+24)]; {
		case taken(m[0]) || isLatin(before) || isLatin(after) || before == '\'' && isLatinAt(text, from+m[0]-2) ||
			before == '$' && after != '$':
		case (letter == "I" || letter == "A") && goesOn.MatchString(next) &&
			!labelled.MatchString(lastOf(text[:from+m[0]], 24)) &&
			(!function.MatchString(next) || letter == "I" && !strings.HasPrefix(strings.TrimSpace(next), "is")) &&
			!f.ownWordsFollow(letter, text[from+m[1]:]):
		case after == '\'' && isWordAt(text, from+m[1]+1) && !turkish.MatchString(text[from+m[1]:]):
		case isRange(text, from+m[0], from+m[1]) || f.isDialogue(text, from+m[0], from+m[1]):
		default:
			add(m[0], m[1], mention{value: f.label(letter), weak: true})
		}
	}
	for _, m := range bareLower.FindAllStringSubmatchIndex(part, -1) {
		if !taken(m[2]) {
			add(m[2], m[3], mention{value: f.label(part[m[2]:m[3]]), weak: true})
		}
	}
	for _, m := range lowerItem.FindAllStringSubmatchIndex(part, -1) {
		if letter := part[m[2]:m[3]]; !taken(m[2]) && f.ownWordsFollow(strings.ToUpper(letter), part[m[1]:]) {
			add(m[2], m[3], mention{value: f.label(letter), weak: true})
		}
	}
	if whole := strings.Trim(part, " .)("+boldOn+boldOff); len(whole) == 1 && !taken(strings.Index(part, whole)) &&
		isLatin(rune(whole[0])) {
		at := strings.Index(part, whole)
		add(at, at+1, mention{value: f.label(whole), weak: true})
	}
	if f.several {
		for _, m := range lowerList.FindAllStringSubmatchIndex(part, -1) {
			for i := m[2]; i < m[3]; i++ {
				if isLatinAt(part, i) && !isLatinAt(part, i-1) && !isLatinAt(part, i+1) && !taken(i) {
					add(i, i+1, mention{value: f.label(part[i : i+1]), weak: true})
				}
			}
		}
		for _, m := range letters.FindAllStringIndex(part, -1) {
			run := part[m[0]:m[1]]
			if value := f.ascendingLabels(run); value != "" && !isLatinAt(text, from+m[0]-1) &&
				!isLatinAt(text, from+m[1]) && !taken(m[0]) {
				add(m[0], m[1], mention{value: value, weak: true})
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int { return a.from - b.from })
	return f.joinWords(text, all)
}

// ascendingLabels returns a run of labels in their order, such as AC; "" if it is none.
func (f Form) ascendingLabels(run string) string {
	for i := range run {
		if f.label(run[i:i+1]) == "" || i > 0 && run[i] <= run[i-1] {
			return ""
		}
	}
	return run
}

// label returns the label that a letter is; "" if it is none.
func (f Form) label(letter string) string {
	if letter = strings.ToUpper(letter); slices.Contains(f.labels, letter) {
		return letter
	}
	return ""
}

// ownWordsFollow reports whether the words of a label's option follow it.
func (f Form) ownWordsFollow(letter, rest string) bool {
	i := slices.Index(f.labels, letter)
	return i >= 0 && i < len(f.texts) && f.texts[i] != "" &&
		strings.HasPrefix(strings.ToLower(strings.TrimSpace(rest)), wordsKey(f.texts[i]))
}

// isDialogue reports whether a letter opens a line of questions and answers: "A: (B)".
func (f Form) isDialogue(text string, from, to int) bool {
	return strings.HasPrefix(text[to:], ": (") && strings.TrimSpace(text[:from]) == ""
}

var rangeEnd = newPattern(`^ ?(?:-|–|to|through|bis|hasta) ?\(?[A-Z](?:$|[^\pL])`)
var rangeBegin = newPattern(`(?:^|[^\pL])[A-Z]\)? ?(?:-|–|to|through|bis|hasta) ?\(?$`)

// isRange reports whether a letter is an end of A-J or A to J.
func isRange(text string, from, to int) bool {
	if movesFrom.MatchString(lastOf(text[:from], 24)) {
		return false
	}
	return rangeEnd.MatchString(text[to:min(len(text), to+16)]) || rangeBegin.MatchString(lastOf(text[:from], 16))
}

var movesFrom = newPattern(`(?i)\b(?:from|prefer\w*) `)

// findWords returns where the options' own words stand, as words of their own.
func (f Form) findWords(text string) (all [][]int) {
	if f.words == nil {
		return nil
	}
	for from := 0; from < len(text); {
		m := f.words.FindStringIndex(text[from:])
		if m == nil {
			return all
		}
		at, end := from+m[0], from+m[1]
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		first, _ := utf8.DecodeRuneInString(text[at:])
		last, _ := utf8.DecodeLastRuneInString(text[:end])
		exact := end-at > 2 || slices.Contains(f.texts, text[at:end])
		if exact && !(isWord(before) && isWord(first)) && !(isWord(after) && isWord(last)) &&
			!(unicode.IsDigit(last) && decimals.MatchString(text[end:])) {
			all = append(all, []int{at, end})
			from = end
			continue
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		from = at + size
	}
	return all
}

var decimals = newPattern(`^[.,]\d`)

// isWord reports whether a character is of a word in a script that puts spaces between words.
func isWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

var betweenWords = newPattern(`^["'` + boldOn + boldOff + `]*[).\]]?["'` + boldOn + boldOff +
	`]*\s*[:,(=–—-]?\s*["'` + boldOn + boldOff + `]*$`)

// joinWords makes a label and the words of its option one answer; with the words of another
// option it is none.
func (f Form) joinWords(text string, all []found) []found {
	out := all[:0:0]
	for _, m := range all {
		if n := len(out); n > 0 && m.words && !out[n-1].words {
			prior := &out[n-1]
			between := text[prior.to:m.from]
			if betweenWords.MatchString(between) && !(prior.bracket && strings.Contains(between, ".")) {
				if prior.value == m.value {
					prior.to, prior.own, prior.weak = m.to, true, false
					continue
				}
				if !strings.ContainsAny(between, ",\n") && !prior.weak {
					prior.value, prior.to = "", m.to
					continue
				}
			}
		}
		if n := len(out); n > 0 && !m.words && out[n-1].words && out[n-1].value == m.value &&
			wordsThenLabel.MatchString(text[out[n-1].to:m.from]) {
			out[n-1].to, out[n-1].own = m.to, true
			continue
		}
		out = append(out, m)
	}
	return out
}

// wordsThenLabel stands between an option's words and its label: "Rome, which is option B".
var wordsThenLabel = newPattern(`(?i)^["'` + boldOn + boldOff +
	`]*(?:,? (?:i\.e\.,?|that is,?|which is|which corresponds to|corresponding to|c'est-à-dire|то есть)|\s?[,:=→–—-]+)?\s*(?:the )?(?:options?|choice|letter|answer|вариант)?\s*["'(` + boldOn + `]*$`)

// Yes and no, in which a "no" that goes on with a noun is none.
var (
	yesNoWords = newPattern(`(?i)(?:^|[^\pL])(yes|vâng|đúng|không|ndiyo|hapana|yep|yeah|yup|no|nope|nah|true|false|ja|nein|oui|non|sí|sì|sim|não|nee|tak|nie|да|нет|نعم|لا|हाँ|हां|नहीं|hay[iı]r|evet|네|예|так|ні|ano|ναι|όχι|כן|לא|igen|kyllä|nej|بله|خیر|ya|tidak|ใช่|হ্যাঁ|না)(?:$|[^\pL])`)
	yesNoHan   = newPattern(`(?:^|[:："'，,。\s]|答案是|答案应该是|回答是|答案为)(是的|是|不是的|不是|否|对的|对|不对|不|正确|错误|肯定的|否定的)(?:$|[。，,.!"'\s])`)
	yesNoKana  = newPattern(`はいいえ|はい|いいえ|아니요|아니오|아뇨`)
	asYes      = []string{"yes", "yep", "yeah", "yup", "true", "ja", "oui", "sí", "sì", "sim", "tak", "да", "نعم",
		"हाँ", "हां", "evet", "是的", "是", "对的", "对", "正确", "はい", "네", "예", "так", "ano", "ναι", "כן", "igen", "kyllä",
		"بله", "ya", "ใช่", "হ্যাঁ", "vâng", "đúng", "ndiyo", "肯定的"}
	noun     = newPattern(`^(?:[^\S\n]+[\pL\pN]|-[\pL\pN]|\s*\n[a-z])`)
	hyphened = newPattern(`^-\pL`)
	joins    = newPattern(`(?i)^\s+(?:and|und|y|et|or|oder|ou|и|или|to|but|instead|is|would|needs?|sondern)\b`)
	offers   = newPattern(`(?i)^,? ?(?:right\b|sure\b|i (?:can|could|will|would)(?: (?:gladly|happily|surely|certainly|be (?:happy|glad) to|love to))? (?:help|assist|do that|try|explain|walk|go)\b|i (?:understand|hear)\b|i'(?:ll|d be)\b|let me\b|let's\b|let us\b|ich (?:verstehe|kann|werde|helfe)\b|(?:claro[,.!]* (?:puedo|te|le|voy|posso|vou)|entiendo|comprendo|entendo|capisco|je (?:comprends|peux|vois)|bien sûr,? je (?:peux|vais|comprends|vois)|posso|puedo)\b|(?:я )?(?:понимаю|понял)|我?(?:(?:明白|理解)(?:了|你|您|\PL|$)|知道了|可以帮)|(?:わかりました|分かりました|承知|了解|考え))`)
	numbered = newPattern(`^\. ?\d`)
	// wholeYesNo are texts that say yes, or no if the second group matches.
	wholeYesNo = newPattern(`(?i)^[^\pL\pN]*(?:(y|absolutely|definitely|certainly|of course|indeed|(?:indeed |yes )?(?:he|she|it|they) (?:did|does|do|was|were|is|are|has|had|could|can)(?: indeed)?|(?:the answer is (?:in the )?)?affirmative|(?:indeed |absolutely )?(?:correct|right)|(?:that|this|it|the (?:statement|claim))(?:'s| is)(?: indeed| absolutely)? (?:correct|right|the case|so))|(n|(?:he|she|it|they) (?:did|does|do|was|were|is|are|has|had|could|can)(?:n't| ?not)(?: have)?|(?:the answer is (?:in the )?)?negative|(?:absolutely|definitely|certainly|of course|surely|probably|most likely|likely) not|not at all|(?:(?:that|this|it|the (?:statement|claim)) (?:is not|isn't)|(?:that|it)'s not|not) ?(?:correct|right|true|the case|so)|(?:(?:that|this|it|the (?:statement|claim))(?:'s| is))? ?(?:incorrect|wrong|untrue)))[^\pL\pN]*$`)
	firmNo     = newPattern(`(?i)[.?!\n][^\pL\pN]*((?:absolutely|definitely|certainly|of course|surely) not)[^\pL\pN]*$`)
	echoes     = newPattern(`(?i)\b(?:yes(?:[ -]or[ -]|/)no|no(?:[ -]or[ -]|/)yes)\b`)
)

func findYesNo(text string, from, to int) (all []found) {
	part := echoes.ReplaceAllStringFunc(text[from:to], func(s string) string { return strings.Repeat("-", len(s)) })
	add := func(at, end int) {
		word := strings.ToLower(strings.TrimFunc(part[at:end],
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }))
		value := "no"
		if slices.Contains(asYes, word) {
			value = "yes"
		}
		rest := text[from+end:]
		if offers.MatchString(rest) {
			return
		}
		if hyphened.MatchString(rest) {
			return
		}
		if noun.MatchString(rest) && !joins.MatchString(rest) && !clauseOf.MatchString(strings.TrimSpace(rest)) &&
			(value == "no" || word != "yes") || numbered.MatchString(rest) {
			return
		}
		all = append(all, found{from + at, from + end, mention{value: value, weak: word == "true" || word == "false"}})
	}
	for at := 0; at < len(part); { // words may share the space between them
		m := yesNoWords.FindStringSubmatchIndex(part[at:])
		if m == nil {
			break
		}
		add(at+m[2], at+m[3])
		at += m[3]
	}
	for at := 0; at < len(part); {
		m := yesNoHan.FindStringSubmatchIndex(part[at:])
		if m == nil {
			break
		}
		add(at+m[2], at+m[3])
		at += m[3]
	}
	for _, m := range yesNoKana.FindAllStringIndex(part, -1) {
		if part[m[0]:m[1]] == "はいいえ" {
			m[0] += len("は")
		}
		add(m[0], m[1])
	}
	if m := firmNo.FindStringSubmatchIndex(part); m != nil {
		all = append(all, found{from + m[2], from + m[3], mention{value: "no"}})
	}
	if m := wholeYesNo.FindStringSubmatchIndex(part); m != nil && len(part) == len(text) { // no box is beside it
		value := "yes"
		if m[4] >= 0 {
			value = "no"
		}
		return []found{{from, to, mention{value: value}}}
	}
	slices.SortFunc(all, func(a, b found) int { return a.from - b.from })
	return all
}

var candidates = newPattern(`(?i)(?:(?:solutions?|candidates?|options?|proposals?|answers?|lösung|kandidat|vorschlag|solution|soluci[oó]n|solução|soluzione|oplossing|решение|вариант|解答|回答|propuesta|candidat[oe]?|rozwiązani[ea]|çözüm|(?:ال|لل)حل|समाधान|해결책|후보|方案|候选人|选项|提案|候補)\s*#?\s*)?(\d+)|(?:number|candidate|solution|proposal) (one|two|three|four|five|six)\b`)

// findCandidates returns numbers of candidates; those without the word are weak.
func (f Form) findCandidates(text string, from, to int) (all []found) {
	for _, m := range candidates.FindAllStringSubmatchIndex(text[from:to], -1) {
		number := strings.TrimLeft(submatchText(text[from:to], m, 1), "0")
		if m[4] >= 0 {
			number = strconv.Itoa(slices.Index(names, strings.ToLower(text[from+m[4]:from+m[5]])))
		}
		value := ""
		if slices.Contains(f.labels, number) {
			value = number
		}
		if isLatinAt(text, from+m[0]-1) || decimals.MatchString(text[from+m[1]:]) {
			continue
		}
		all = append(all, found{from + m[0], from + m[1], mention{value: value, weak: m[0] == m[2]}})
	}
	return all
}

var (
	numeral = newPattern(`((?:[+-] ?)?[$€£¥₹]?(?:10\^\{?-?\d{1,3}\}?|\d+ \d{1,3}/\d{1,3}|\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:[ '’]\d{3})+(?:[.,]\d+)?|\d+/\d+|\d+(?:[.,]\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?)` +
		`(?: ?[×x*] ?10\^?\{?(-?\d{1,2})\}?)?(?: ?([kKmMbB]|bn|mn)\b| ?(` + scaleWords + `))?(?: ?± ?\d+(?:[.,]\d+)?)?`)
	scales = map[string]int{"k": 3, "m": 6, "b": 9, "bn": 9, "mn": 6, "thousand": 3, "tausend": 3, "mille": 3, "mil": 3,
		"тысяч": 3, "тыс.": 3, "千": 3, "万": 4, "萬": 4, "lakh": 5, "lakhs": 5,
		"million": 6, "millionen": 6, "millions": 6, "millones": 6, "milhões": 6, "milioni": 6, "mio.": 6, "миллион": 6,
		"миллиона": 6, "миллионов": 6, "млн": 6, "百万": 6, "crore": 7, "crores": 7, "億": 8, "亿": 8,
		"billion": 9, "milliarden": 9, "milliards": 9, "mrd.": 9, "миллиардов": 9, "млрд": 9, "trillion": 12}
	spelled = newPattern(`(?i)(?:^|[^\pL-])(zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)(?:$|[^\pL-])`)
	names   = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen " +
		"fourteen fifteen sixteen seventeen eighteen nineteen twenty")
	counted   = newPattern(`(?i)(?:agents?|section|chapter|page|line|version|exercise|problem|example|rule|step|schritt|paso|étape|question|round|option|part|equation|eq\.|figure|table|智能体|步骤|第|agente|エージェント)\s*[#(]?$`)
	pronoun   = newPattern(`(?i)\b(?:each|every|this|that|which|no|any|other|another|some|the|only|first|last)\s*$`)
	scaled    = newPattern(`(?i)^[ -](?:of|and an? (?:half|third|quarter)|hundred|hal(?:f|ves)|thirds?|quarters?|fourths?|fifths?|tenths?|dozen)\b`)
	lineStart = newPattern(`(?:^|\n)\s*$`)
	// besides are members of an object that are no answer; onlyBeside is one that is what was asked for
	// if the object has no other, as endsObject says.
	besides    = newPattern(`(?i)"(?:confidence|certainty|probability|score|step|steps|round|id)"\s*:\s*"?$`)
	confidence = newPattern(`(?i)(?:\bwith (?:\pL+ )?(?:confidence|certainty)(?: level| score)?(?: is| of|=)*\s*$|\b(?:my|with an?) (?:\pL+ )?(?:confidence|certainty)(?: level| score)?(?: is| of|:|=)*\W*$|(?:^|[\n(,;])\W*(?:confidence|certainty)\W*[:=])\W*$`)
	onlyBeside = newPattern(`(?i)\{\s*"(?:probability|score)"\s*:\s*"?$`)
	endsObject = newPattern(`^[^,{}]*\}`)
)

// findNumbers returns numbers, but not those of steps, agents and lists.
func (f Form) findNumbers(text string, from, to int) (all []found) {
	part := text[from:to]
	for _, m := range numeral.FindAllStringSubmatchIndex(part, -1) {
		at, end := from+m[0], from+m[1]
		before := text[:at]
		if last, _ := utf8.DecodeLastRuneInString(before); isLatin(last) &&
			!strings.ContainsAny(part[m[0]:m[0]+1], "+-") || last == '_' || last == '^' ||
			strings.HasSuffix(before, "^{") || last == '.' && strings.HasSuffix(before, "..") {
			continue
		}
		isBeside := confidence.MatchString(lastOf(before, 40)) || besides.MatchString(lastOf(before, 24)) &&
			!(onlyBeside.MatchString(lastOf(before, 24)) && endsObject.MatchString(text[end:]))
		if counted.MatchString(lastOf(before, 24)) || isBeside ||
			lineStart.MatchString(before) && listItem.MatchString(text[end:]) ||
			attached.MatchString(strings.TrimSuffix(lastOf(before, 64), "(")) && strings.HasSuffix(before, "(") {
			continue
		}
		number := submatchText(part, m, 1)
		if submatchText(part, m, 3) == "m" && !strings.ContainsAny(number, currencies) { // metres
			end = from + len(strings.TrimRight(part[:m[6]], " "))
			m[6] = -1
		}
		// a difference
		if sign := strings.TrimLeft(number, " "); (sign[0] == '-' || sign[0] == '+') &&
			endsOperand.MatchString(before) {
			at += strings.IndexAny(number, "-+") + 1
			number = number[strings.IndexAny(number, "-+")+1:]
		}
		power, scale := submatchText(part, m, 2), cmp.Or(submatchText(part, m, 3), submatchText(part, m, 4))
		value := f.decimalText(number, power, scale)
		bracket := strings.HasSuffix(strings.TrimRight(before, " "), "(") &&
			strings.HasPrefix(strings.TrimLeft(text[end:], " %"), ")")
		all = append(all, found{at, end, mention{value: value, bracket: bracket}})
	}
	for _, m := range spelled.FindAllStringSubmatchIndex(part, -1) {
		rest := text[from+m[3]:]
		if pronoun.MatchString(lastOf(part[:m[2]], 16)) || scaled.MatchString(rest) {
			continue
		}
		value := strconv.Itoa(slices.Index(names, strings.ToLower(part[m[2]:m[3]])))
		if !slices.ContainsFunc(all, func(o found) bool { return o.from < from+m[3] && from+m[2] < o.to }) {
			all = append(all, found{from + m[2], from + m[3], mention{value: value, weak: true}})
		}
	}
	slices.SortFunc(all, func(a, b found) int { return a.from - b.from })
	return all
}

var (
	listItem    = newPattern(`^[.)] `)
	endsOperand = newPattern(`(?:[\d)\]}]|(?:^|[^\pL])[a-z]) ?$`)
)

func submatchText(text string, m []int, n int) string {
	if m[2*n] < 0 {
		return ""
	}
	return text[m[2*n]:m[2*n+1]]
}

const currencies = "$€£¥₹"

// decimalText returns a number as plain decimal text; "" if it cannot be told.
func (f Form) decimalText(number, power, scale string) string {
	whole, over, under := "", "", ""
	if m := quotient.FindStringSubmatch(number); m != nil {
		whole, over, under = m[1], m[2], m[3]
	}
	isMoney := strings.ContainsAny(number, currencies)
	switch {
	case isMoney && len(scale) == 1:
		scale = strings.ToLower(scale)
	case scale == "K" || scale == "M" || scale == "b" || scale == "B" || over != "" && power+scale != "":
		return "" // 300K and 0.1M are temperatures and concentrations, too
	}
	if over != "" {
		return decimalFraction(whole, over, under)
	}
	number = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" '’$€£¥₹+{}", r) {
			return -1
		}
		return r
	}, number)
	if base, exponent, is := strings.Cut(number, "^"); is {
		return raisePower(base, exponent)
	}
	point, comma := strings.LastIndexByte(number, '.'), strings.LastIndexByte(number, ',')
	switch {
	case comma >= 0 && point < 0 && !f.number.comma && !thousands.MatchString(number):
		return "" // 2,5 is 2.5 where the question writes numbers so
	case point >= 0 && comma > point || comma >= 0 && point < 0 && f.number.comma:
		number = strings.Replace(strings.ReplaceAll(number, ".", ""), ",", ".", 1)
	case comma < 0 && pointThousands.MatchString(number) && (f.number.comma || strings.Count(number, ".") > 1):
		number = strings.ReplaceAll(number, ".", "")
	default:
		number = strings.ReplaceAll(number, ",", "")
	}
	exponent := scales[strings.ToLower(scale)]
	if n, err := strconv.Atoi(power); err == nil {
		exponent += n
	}
	if mantissa, e, has := strings.Cut(strings.ToLower(number), "e"); has {
		n, err := strconv.Atoi(e)
		if err != nil {
			return ""
		}
		number, exponent = mantissa, exponent+n
	}
	if len(number) > 60 || exponent > 60 || exponent < -60 {
		return ""
	}
	r, ok := new(big.Rat).SetString(number)
	if !ok {
		return ""
	}
	if exponent == 0 {
		return number
	}
	scaled := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil))
	if exponent < 0 {
		scaled.Inv(scaled)
	}
	text := r.Mul(r, scaled).FloatString(60)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// raisePower returns a power of whole numbers; "" if it is too long.
func raisePower(base, exponent string) string {
	b, whole := new(big.Int).SetString(base, 10)
	e, err := strconv.Atoi(exponent)
	if !whole || err != nil || e < 0 || len(base)*e > 60 {
		return ""
	}
	return b.Exp(b, big.NewInt(int64(e)), nil).String()
}

// decimalFraction returns a quotient of whole numbers, after a whole one or none; "" if it is not a decimal.
func decimalFraction(whole, over, under string) string {
	if strings.Trim(under, "0") == "" || len(whole)+len(over)+len(under) > 60 {
		return ""
	}
	sign, whole := strings.HasPrefix(whole, "-"), strings.Trim(whole, "-+$€£¥₹ ")
	r, ok := new(big.Rat).SetString(over + "/" + under)
	w, known := new(big.Rat).SetString(cmp.Or(whole, "0"))
	if !ok || !known {
		return ""
	}
	r.Add(r, w)
	if sign {
		r.Neg(r)
	}
	places, exact := r.FloatPrec()
	if !exact {
		return ""
	}
	return r.FloatString(places)
}

var (
	quotient       = newPattern(`^([+-]? ?[$€£¥₹]?(?:\d+ )?)(\d+)/(\d+)$`)
	thousands      = newPattern(`^-?(?:\d{1,3}|\d{1,2}(?:,\d{2})+)(?:,\d{3})+(?:\.\d+)?(?:[eE].*)?$`)
	pointThousands = newPattern(`^-?\d{1,3}(?:\.\d{3})+$`)
)

// isLatin reports whether a character continues a Latin word.
func isLatin(r rune) bool {
	return r == '_' || unicode.Is(unicode.Latin, r) || r >= '0' && r <= '9'
}

func isWordAt(text string, at int) bool {
	r, _ := utf8.DecodeRuneInString(text[at:])
	return isWord(r)
}

// runeAround returns the character that a byte belongs to.
func runeAround(text string, at int) rune {
	for !utf8.RuneStart(text[at]) && at > 0 {
		at--
	}
	r, _ := utf8.DecodeRuneInString(text[at:])
	return r
}

func isLatinAt(text string, at int) bool {
	return at >= 0 && at < len(text) && isLatin(runeAround(text, at))
}

// lastOf returns up to n last bytes of a text, in whole characters.
func lastOf(text string, bytes int) string {
	at := max(0, len(text)-bytes)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// bounds say that a number is a limit and not the answer.
var bounds = newPattern(`(?i)\b(?:at least|at most|more than|less than|fewer than|up to|no more than|greater than|mindestens|höchstens|close to|guessed|somewhere|(?:an?|first|rough|crude) (?:\pL+ )?estimate)\b|\b(?:high|low|larg|small|bigg|long|short|old|young|heavi|light|earli|lat|fast|slow)er than ` + answerRune + `|(?:[<≤≥]|: ?>) ?` + answerRune)

// chances are what is asked for where a number is.
var chances = newPattern(`(?i)\b(?:probability|chance)\b`)

// isHedged reports whether a clause leaves open what it names.
func (f Form) isHedged(clause string) bool {
	clause = withoutPhrases(clause)
	if f.number != nil {
		clause = chances.ReplaceAllString(clause, " ")
	}
	return hedged.MatchString(clause) || f.number != nil && bounds.MatchString(clause)
}

var (
	operator = newPattern(`^[\s)]*[+*/×÷^]|^! ?[=×*/+-]|^:` + answerRune + `|^\s*[-–—] ?` + answerRune +
		`|^\s*=|^ ?times (?:the )?` + answerRune + `|^ ?x(?:[^\pL]|$)|^[yzn](?:[^\pL]|$)|^ ?\\`)
	operand  = newPattern(`(?:[+*/×÷^]|\b(?:times|plus|minus|divided by|mal|durch|por|fois))\s*[(]?$|\d ?- ?$|[a-z)]\s*(?:[<>≤≥]=?|\\[gl]eq?)\s*$|` + answerRune + ` ?[:–—-] ?$`)
	equals   = newPattern(`=\s*[$€£"'` + boldOn + `(]*` + answerGroup)
	wordEnds = newPattern(`^["'` + boldOff +
		`)\]]*(?:$|[^\pL\s\pN-]|\s*\n|\s+(?:is|are|was|it|or|and|not|because|as|since|but|which|with|for|here|in|would|over|instead|rather|ist|oder|und|weil|by|rather|at|today|then)\b|\s*[^\pL\s\pN-])`)
)

// isWhole reports whether what is claimed is an answer and not the beginning of something longer.
func (f Form) isWhole(t *parsed, i int, s span) bool {
	rest := t.skeleton[t.all[i].at+answerBytes : s.to]
	switch {
	case f.number != nil:
		return !operator.MatchString(rest)
	case t.all[i].words:
		return wordEnds.MatchString(rest)
	}
	return true
}

// resultAfter returns where the result of an expression stands that begins at a place.
func (t *parsed) resultAfter(at int, s span) int {
	if t.form.number == nil || !operator.MatchString(t.skeleton[at+answerBytes:s.to]) {
		return at
	}
	all := equals.FindAllStringSubmatchIndex(t.skeleton[at:s.to], -1)
	if all == nil {
		return at
	}
	return at + all[len(all)-1][2]
}

var (
	aloneLead = newPattern(`(?i)^[\s"'` + boldOn + boldOff +
		`#<>|/$€£≈~=→(\[✅-]*(?:q\d*: )?(?:the |both |an? |a: |[a-z] ?= ?)?(?:\d+\. |[a-z]\)\s*)?(?:(?:probably|most likely|likely|presumably),? ?)?(?:options?|choice|letter|answer|candidate|solution|number|lösung|opción|alternativa|opção|letra|lettre|lettera|buchstabe|optie|选项|方案|вариант)?[\s"':` + boldOn + boldOff + `(]*$`)
	aloneRest = newPattern(`(?i)^[\s"'$` + boldOff +
		`>|/).,:!\]✅✓]*(?:(?:hands down|no question|no doubt|no contest|for sure|definitely|obviously|clearly|by far|of course|final answer|alone|only|then|is|— ?\d+ ?% (?:sure|certain)|for me|all the way|with (?:\pL+ ){0,2}(?:confidence|certainty)(?: of)?(?: [\d.]+ ?%?)?|\(?\d+ ?%\)?|\(confidence:? ?[\d.]+ ?%?\))[.!\s]*)?$|^[)"'` + boldOff + `]*(?:です|だ|입니다|이다|का|है)[\s.。]*$`)
	explained = newPattern(`^[\s"'` + boldOff + `)%°$]*(?:\pL{1,15})?["'` + boldOff +
		`]* [—–-] ?["']?\pL|^["'` + boldOff +
		`]* ?(?:\pL{1,15}(?: \pL{1,15})?)? (?:\([^()]*\)|\[[^\[\]]*\])[.\s]*$|^ ?(?:\pL{1,15})?,? (?:since|because|with an?) `)
	doubtsRest  = newPattern(`(?i)\b(?:or|maybe|perhaps|possibly|probably|no|not|if|unless|wait|but|wrong|incorrect|guess|suppose|sure)\b`)
	opensAside  = newPattern(`^["'\s]*(?:\pL{1,15})?(?:\s*[(—–]|\s-\s)`)
	tooMuch     = newPattern(`(?i)^ (?:is|was|seems|looks|would be) (?:clearly |far |much |way )*(?:too|wrong|low|high|off)\b`)
	becauseRest = newPattern(`(?i)^[\s"')]*,? (?:because|since|as|weil|porque|car|perché|given)\b`)
	aloneUnits  = newPattern(`^[\s"'` + boldOff + `)%°$]*(?:\pL{1,15}(?:[ /]\pL{1,15})?)?(?: in (?:total|all))?[\s"'` +
		boldOff + `).!$]*$`)
)

// isAlone reports whether a sentence holds no more than an answer.
func (f Form) isAlone(lead, rest string) bool {
	if !aloneLead.MatchString(lead) || f.number != nil && strings.HasSuffix(strings.ToLower(lead), "the ") ||
		f.yesNo && strings.TrimSpace(lead) != "" && !f.isYesNoLead(lead) {
		return false
	}
	if f.number != nil {
		return aloneUnits.MatchString(rest) || explained.MatchString(rest) && !doubtsRest.MatchString(rest) ||
			rejectsRest.MatchString(rest)
	}
	if strings.IndexFunc(rest, isAnswer) >= 0 {
		return rejectsRest.MatchString(rest) || becauseRest.MatchString(rest)
	}
	return aloneRest.MatchString(rest) || becauseRest.MatchString(rest)
}

func (f Form) isYesNoLead(lead string) bool { return !strings.Contains(lead, "the ") }

// rejectsRest excludes the other answers of a sentence: "B, not C".
var rejectsRest = newPattern(`(?i)^(?:, (?:obviously|clearly|certainly|definitely|of course))?(?:[,;]| [–—-])? \(?(?:and |but )?(?:not|nicht|no|pas|non|não|rather than|instead of|over|except|but not) [\s("']*(?:options? )?` + answerRune + `(?:[\s,;]*(?:and|or|nor|und|oder|noch|y|o|ni|et|ou|e|,)?\s*(?:not )?(?:options? )?` + answerRune + `)*[\s)"'.]*$`)

// countsWeak reports whether what may be no answer counts as the only one.
func (f Form) countsWeak(t *parsed, i int) bool {
	return !f.yesNo && f.number == nil &&
		(labelled.MatchString(t.skeleton[:t.all[i].at]) || t.endsWith(i) || t.isPredicate(i))
}

// isPredicate reports whether a text's last sentence says that something is an answer: "La
// correcta es la B".
func (t *parsed) isPredicate(i int) bool {
	m := t.all[i]
	s := t.sentences[m.sentence]
	lead := t.skeleton[s.from:m.at]
	return !m.words && m.sentence == len(t.sentences)-1 &&
		strings.Trim(t.skeleton[m.at+answerBytes:s.to], " .!)\n\"'"+boldOff) == "" &&
		copulaEnd.MatchString(lead) && !supposing.MatchString(lead) && !strings.ContainsAny(lead, ",;:")
}

// countsOnly reports whether the only answer of a text is its subject or its end: "(B) Rome
// is the capital", "In my view, (B)", "he has 42 left", "the capital is Rome".
func (f Form) countsOnly(t *parsed, i int) bool {
	m := t.all[i]
	s := t.sentences[m.sentence]
	lead, rest := t.skeleton[s.from:m.at], t.skeleton[m.at+answerBytes:s.to]
	switch {
	case f.several || f.yesNo || len(f.labels) > 0 && f.labels[0] == "1" && !t.endsWith(i):
		return false
	case f.number != nil:
		return m.sentence == len(t.sentences)-1 && !assigned.MatchString(lead) &&
			!(opensAside.MatchString(rest) && doubtsRest.MatchString(rest)) && !tooMuch.MatchString(rest) &&
			!(countsParts.MatchString(rest) && plans.MatchString(lead+rest)) &&
			!(ofSome.MatchString(lead) && strings.IndexFunc(lead, isAnswer) >= 0) && !listing.MatchString(lead) &&
			!lacks.MatchString(lead) && !(opensTime.MatchString(lead) && strings.HasPrefix(rest, ",")) &&
			!goesNowhere.MatchString(rest)
	case m.words:
		return !slices.ContainsFunc(t.all, func(o mention) bool { return o.is != foreign && o.at != m.at }) &&
			m.sentence == len(t.sentences)-1 && strings.Trim(rest, " .!\"')"+boldOff) == "" &&
			stating.MatchString(lead) && !supposing.MatchString(lead)
	}
	if listing.MatchString(lead) {
		return false
	}
	if t.endsWith(i) || t.isPredicate(i) {
		return true
	}
	if aloneLead.MatchString(lead) {
		return (m.own || strings.IndexFunc(rest, isAnswer) >= 0 || backed.MatchString(rest)) &&
			!describing.MatchString(rest)
	}
	return (m.own && !describing.MatchString(rest) || strings.Trim(rest, " .!\"')"+boldOff) == "") &&
		clauseEnd.MatchString(lead)
}

var (
	assigned = newPattern(`(?i)(?:^|[^\pL])[a-z]_?[₀-₉\d]? *= *["'` + boldOn + `$]*` + answerRune +
		`[^=]{0,12}(?:[,;&]|and|or) *["'` + boldOn + `$]*[a-z]_?[₀-₉\d]? *= *["'` + boldOn + `$]*$`)
	countsParts = newPattern(`(?i)^ (?:\pL+ ){0,2}?(?:steps?|parts?|methods|ways|approaches|cases|unknowns|equations|numbers|facts|conditions|digits|hints|clues|things to)\b`)
	labelled    = newPattern(`(?i)(?:option|choice|letter|candidate|solution|lösung|opción|alternativa|letra|选项|选|選択肢|вариант)[\s"':(` + boldOn + `]*$`)
	backed      = newPattern(`(?i)^,? (?:by|under|per|final answer|for me)\b`)
	describing  = newPattern(`(?i)^[\s"')` + boldOff + `]*[:–—-]`)
	opensTime   = newPattern(`(?i)^\W*(?:in|by|since|on|from|until|at|before|after)\s*$`)
	goesNowhere = newPattern(`(?i)(?:[,:]|\b(?:so|and|or|then|thus|therefore|because|but|is|are|the|a|to|of|we))\s*$`)
	lacks       = newPattern(`(?i)\b(?:(?:i|we|you) (?:\pL+ )?(?:need|require|know)|let me|let us|let's|(?:are|were) given)\b`)
	plans       = newPattern(`(?i)\b(?:i|we|us|me|let's|problem|question|solution|answer|proof|puzzle|exercise|argument|to (?:solve|find|compute|calculate|answer|consider|check|get))\b`)
	ofSome      = newPattern(`\pL of $`)
	copulaEnd   = newPattern(`(?i)(?:^|\s)(?:is|es|é|è|ist|est|это|c'est|jest|je|on|är|er|adalah|là)\s+(?:la |a |el |the |letra |option |il )*["'(]*$`)
	supposing   = newPattern(`(?i)\b(?:would|could|should|might|may)\b`)
	stating     = newPattern(`(?i)^\pL[^,;:]* (?:is|are|was|were|has|have|measures?|means|called|by|of|in|the|a|an|at|to|for|ist|es|est|è|é|heißt|=)\s*["']?$|^\W*(?:it|he|she|they|this|that)\s$|=\s*$`)
	listing     = newPattern(`(?i)^\W*(?:step|next|now|first|firstly|second|secondly|third|then)\b`)
	clauseEnd   = newPattern(`(?i)(?:[,;]|^(?:in|after|by|on) [^.,;:` + answerRange +
		`]*),?\s*(?:options? |choice )?$`)
)
