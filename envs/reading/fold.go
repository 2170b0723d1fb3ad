package reading

import (
	"strings"
	"unicode"
)

// Marks that folding leaves in a text for what is not one of its characters.
const (
	boxOn, boxOff   = "\uF000", "\uF001"
	boldOn, boldOff = "\uF002", "\uF003"
	answerRange     = `\x{E000}-\x{EFFF}` // an answer, by its index
	answerRune      = `[` + answerRange + `]`
	answerGroup     = `(` + answerRune + `)`
	firstAnswer     = '\uE000'
	mostAnswers     = 256 // that are looked at, from the end
)

// fold writes a text in the characters that the grammar knows: full-width, circled,
// mathematical and native letters and digits as ASCII, all brackets, quotes and minus
// signs as one, without invisible characters, LaTeX's fonts and HTML.
func fold(text string, several bool) string {
	text = mixed.ReplaceAllStringFunc(text, foldFraction)
	text = raised.ReplaceAllStringFunc(text, func(s string) string { return "^" + lower.Replace(s) })
	text = strings.Map(foldRune, text)
	text = homoglyphs.ReplaceAllStringFunc(text, func(s string) string { return lookAlikes.Replace(s) })
	text = circled.Replace(text)
	text = struck.ReplaceAllString(underscored.ReplaceAllString(text, "$1 $2"), "")
	text = tickedLine(text, several)
	for _, p := range phrases {
		text = p.is.ReplaceAllString(text, p.plain)
	}
	text = idioms.ReplaceAllString(html.Replace(text), "$1 except")
	text = tags.ReplaceAllString(text, "\nanswer: $1\n")
	text = fenced.ReplaceAllString(text, "\nanswer: $1\n")
	for range 4 {
		next := fonts.ReplaceAllString(text, "$1")
		if next == text {
			break
		}
		text = next
	}
	text = environments.ReplaceAllString(text, " ")
	text = fractions.ReplaceAllStringFunc(text, func(s string) string {
		m := fractions.FindStringSubmatch(s)
		return writeFraction(m[1], m[2]+m[4], m[3]+m[5])
	})
	text = latex.Replace(text)
	text = foldBoxes(text)
	text = bold.ReplaceAllString(text, boldOn+"$1$2"+boldOff)
	return strings.TrimSpace(emphasis.ReplaceAllString(text, "$1$2"))
}

// tickedLine reads lists and tables that tick one of their lines and cross the others: that
// line is the answer. In those that tick several, marks say nothing, unless several can be chosen.
func tickedLine(text string, several bool) string {
	text = ticksInLine.ReplaceAllStringFunc(text, func(s string) string {
		return strings.TrimRight(tickEnd.ReplaceAllString(s, "$1\n"), "\n")
	})
	lines := strings.Split(text, "\n")
	var on, off int
	for _, line := range lines {
		switch {
		case tick.MatchString(line):
			on++
		case cross.MatchString(line):
			off++
		case strings.HasPrefix(line, "|") && crossing.MatchString(line): // a column of what is wrong
			return text
		}
	}
	if on == 0 || off == 0 {
		return text
	}
	var chosen []string
	for i, line := range lines {
		if m := tick.FindStringSubmatch(line); m != nil {
			lines[i] = m[1] + m[2] + m[3]
			switch {
			case on == 1:
				lines[i] = "answer: " + lines[i]
			case several:
				chosen, lines[i] = append(chosen, strings.Trim(lines[i], " |-")), ""
			}
		} else if m := cross.FindStringSubmatch(line); m != nil {
			lines[i] = m[1] + m[2] + m[3]
		}
	}
	if len(chosen) > 0 {
		lines = append(lines, "answer: "+strings.Join(chosen, ", "))
	}
	return strings.Join(lines, "\n")
}

// phrases are written in the words that the grammar knows.
var phrases = []struct {
	is    *pattern
	plain string
}{
	{newPattern(`(?im)^(\W{0,4}\(?[A-Z])[.)]+ +((?:(?:in)?correct|wrong|right|true|false)\b|(?:no|yes)[.!;]?$)`), "$1: $2"},
	{newPattern(`(?i)(^|[.?!]\s+)(no) way([.!]|$)`), "$1$2$3"},
	{newPattern(`(?i)\b(yes) indeed\b`), "$1"},
	{newPattern(`(?i)^[^.:;\d\n]{0,30}between [\d.]+ and [\d.]+: *`), ""},
	{newPattern(`(?i)^\W*same (?:answer )?as [^.:\n]{1,30}:`), "answer:"},
	{newPattern(`(?i)\b(option|choice)_([a-z])\b`), "$1 $2"},
	{newPattern(`(?i)(?:cannot|can't) (choose|pick|select) any(?:thing|one| option)? (?:but|except|other than)\b`), "$1"},
	{newPattern(`(?i),? unless (?:i|we)(?:'m| am| are| have)? (?:mis\w+|missed|overlooked|wrong)[^.;:\n]*`), ""},
	{newPattern(`(?i)(^|[.!?]\s+)(?:now )?between (?:the )?(?:options? )?\(?[A-Z]\)?(?:, \(?[A-Z]\)?)*,? (?:and|or) \(?[A-Z]\)?, `), "$1"},
	{newPattern(`<<[^<>\n=]{1,80}=[^<>\n]{1,20}>>`), ""}, // a calculator's notes, as in GSM8K
	{newPattern(`(?i)(?:,? (?:written|given|put|stated))? in the (?:form|format)(?: of)? \(?x\)?(?:$|[\s,:;.])`), " "},
	{newPattern(`(?i) in the (?:requested|required|specified|given|correct|right|proper|following|desired) (?:form|format)\b`), ""},
	{newPattern(`(?i)\b(?:see|have|find) no reason to (?:change|switch|move)(?: (?:it|my (?:answer|vote|choice|mind)))? to\b`), "will not choose"},
	{newPattern(`(?i)\b(?:see|have|find) no reason to (?:abandon|leave|drop|doubt|give up|change)\b`), "keep"},
	{newPattern(`(?i)\b((?:stand by|stick (?:with|to)|keep|maintain|stay with|hold to|reaffirm|confirm)) my (?:(?:own|earlier|previous|initial|original|first|prior) )*(?:answer|choice|vote|position)\b(?: of|,|:)?`), "$1"},
	{newPattern(`(?i)\bif (?:i|we) (?:really )?(?:must|had to|have to|were (?:forced|asked) to) (?:choose|pick|guess|answer|decide|bet|say)(?: one| something)?,`), "I choose"},
	{newPattern(`(?i)\b(answer|choice)'s\s+`), "$1 is "},
	{newPattern(`(?m)^([ \t]*)[*•‣◦▪] +`), "$1- "},
	{newPattern(`(?i)\bjibu(?: (?:sahihi|la mwisho|langu))*(?: ni\b|\s*:)`), "answer:"},
	{newPattern(`(?i)(^\s*|[:=]\s*|\b(?:is|be|gives|get|ist|est|es|é|è)\s+)(?:minus|negative|moins|menos|meno) (\d)`), "$1-$2"},
}

// foldFraction writes a fraction of one sign as a quotient.
func foldFraction(s string) string {
	m := mixed.FindStringSubmatch(s)
	over, under, _ := strings.Cut(quotients.Replace(m[2]), "/")
	return writeFraction(m[1], over, under)
}

// writeFraction keeps a fraction apart from the whole number before it.
func writeFraction(whole, over, under string) string {
	if whole != "" {
		whole += " "
	}
	return whole + over + "/" + under
}

func foldRune(r rune) rune {
	switch {
	case r < 0x80:
		return r
	case r >= 0xFF01 && r <= 0xFF5E:
		return foldRune(r - 0xFEE0)
	case r >= 0xE000 && r <= 0xF8FF: // ours
		return -1
	case r >= 0x1D7CE && r <= 0x1D7FF:
		return '0' + (r-0x1D7CE)%10
	case r >= 0x1D400 && r <= 0x1D6A3:
		if n := (r - 0x1D400) % 52; n >= 26 {
			return 'a' + n - 26
		} else {
			return 'A' + n
		}
	case unicode.Is(unicode.Nd, r):
		return foldDigit(r)
	case unicode.Is(unicode.Zs, r):
		return ' '
	case unicode.Is(unicode.Cf, r), r == '\uFE0F', r == '\u20E3': // how the sign before looks
		return -1
	case r == '🤷' || r == '🤔' || r == '😕' || r == '🥇': // what a person reads in them
	case r == '👎':
		return '❌'
	case r >= 0x1F300 && r <= 0x1FAFF, r == '⭐', r == '★', r == '✨':
		return ' '
	}
	switch r {
	case '✔':
		return '✓'
	case '✘', '✖':
		return '✗'
	case '−', '‐', '‑', '﹣':
		return '-'
	case '“', '”', '„', '«', '»', '「', '」', '『', '』':
		return '"'
	case '‘', '’', '‚', '‹', '›':
		return '\''
	case '【', '〔', '〈', '《':
		return '['
	case '】', '〕', '〉', '》':
		return ']'
	case '⋅', '·':
		return '×'
	case '،', '、':
		return ','
	case '।', '۔':
		return '.'
	case '؛':
		return ';'
	case '؟':
		return '?'
	case '➡', '👉', '⟶', '➜':
		return '→'
	case '☑', '☒', '🗹':
		return '☑'
	}
	return r
}

// foldDigit returns a digit of another script as ASCII: their tables have runs of ten.
func foldDigit(r rune) rune {
	for _, run := range unicode.Nd.R16 {
		if r >= rune(run.Lo) && r <= rune(run.Hi) {
			return '0' + (r-rune(run.Lo))%10
		}
	}
	for _, run := range unicode.Nd.R32 {
		if r >= rune(run.Lo) && r <= rune(run.Hi) {
			return '0' + (r-rune(run.Lo))%10
		}
	}
	return r
}

var (
	// homoglyphs stand alone: what is the first letter in both alphabets.
	homoglyphs = newPattern(`(?:^|[^\pL])[АΑ](?:$|[^\pL])|(?:^|[^\pL])Β(?:$|[^\pL])`)
	lookAlikes = strings.NewReplacer("А", "A", "Α", "A", "Β", "B")
	html       = strings.NewReplacer("<b>", "**", "</b>", "**", "<strong>", "**", "</strong>", "**", "<br>", "\n",
		"<br/>", "\n", "<p>", "\n", "</p>", "\n", "&nbsp;", " ")
	tags   = newPattern(`(?is)<(?:final|(?:final_?)?(?:answer|choice|vote|decision|selection))>(.*?)(?:</(?:final|(?:final_?)?(?:answer|choice|vote|decision|selection))>|$)`)
	struck = newPattern(`~~[^~\n]+~~`)
	// underscored names of fields are words.
	underscored = newPattern(`(?i)\b(final|correct|my|best|chosen|selected|right|new|updated|revised|previous|old|initial)_(answer|choice|option|vote|letter)\b`)
	tick        = newPattern(`(?i)^\W{0,6}?(?:\[x\]|☑|✅|✔|✓)\s*([^\n|]+)$|^\|?([^|\n]+)\|\s*\**(?:✅|✔|✓|(?:yes|correct|true|right)\b)[^|\n?]*\|?\s*$|^([^|\n]{1,200}?)\s*[✅✔✓]\s*$`)
	cross       = newPattern(`(?i)^\W{0,6}?(?:\[ ?\]|☐|❌|✗|✘|✖)\s*([^\n|]+)$|^\|?([^|\n]+)\|\s*\**(?:❌|✗|✘|✖|(?:no|incorrect|false|wrong)\b)[^|\n?]*\|?\s*$|^([^|\n]{1,200}?)\s*[❌✗✘✖]\s*$`)
	crossing    = newPattern(`(?i)exclud|eliminat|reject|rule[sd]? out|wrong|incorrect|false|problem|error|impossible`)
	// ticksInLine is a line of labels that are ticked or crossed: A ✓ B ✗.
	ticksInLine  = newPattern(`(?m)^(?:\(?[A-Z]\)?:? ?[✓✔✅✗✘❌]+[,;]? *){2,}$`)
	tickEnd      = newPattern(`([✓✔✅✗✘❌]+)[,;]? *`)
	environments = newPattern(`\\(?:begin|end)\{\w+\*?\}`)
	fenced       = newPattern("(?m)^```[a-z]*\n([^`\n{]{1,40})\n```$")
	idioms       = newPattern(`(?i)\b((?:any|every|no)thing|anyone|all) but\b`)
	fractions    = newPattern(`(\d?)\s*\\[dt]?frac\s*(?:\{(\d+)\}\s*\{(\d+)\}|(\d)\s*(\d))`)
	// mixed numbers are whole ones with a fraction of one sign: 2½.
	mixed     = newPattern(`(\d?)([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])`)
	quotients = strings.NewReplacer("½", "1/2", "⅓", "1/3", "⅔", "2/3", "¼", "1/4", "¾", "3/4", "⅕", "1/5", "⅖", "2/5",
		"⅗", "3/5", "⅘", "4/5", "⅙", "1/6", "⅚", "5/6", "⅛", "1/8", "⅜", "3/8", "⅝", "5/8", "⅞", "7/8")
	raised = newPattern(`[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+`)
	lower  = strings.NewReplacer("⁺", "", "⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶",
		"6", "⁷", "7", "⁸", "8", "⁹", "9")
	fonts = newPattern(`\\(?:text|textbf|textit|textrm|texttt|mathrm|mathbf|mathsf|mathit|operatorname|emph|boldsymbol|bm)\s*\{([^{}]*)\}`)
	latex = strings.NewReplacer(`\left`, "", `\right`, "", `\(`, " ", `\)`, " ", `\[`, " ", `\]`, " ", `\$`, "$",
		`\%`, "%", `\,`, "", `\;`, " ", `\!`, "", `\ `, " ", "{,}", ",", `\times`, "×", `\cdot`, "×", `\approx`, "≈",
		`\rightarrow`, "→", `\Rightarrow`, "=>", `\quad`, " ")
	bold     = newPattern(`\*\*([^*\n]{1,80})\*\*|__([^_\n]{1,80})__`)
	emphasis = newPattern("(^|[^\\s\\d*_])[*_`]+|[*_`]+([^\\s\\d*_]|\\d)")
	circled  = strings.NewReplacer(circledLetters()...)
)

// circledLetters returns Ⓐ, ⓐ, ⒜, 🄐 and 🅐, and ① to ⑨, with what they are.
func circledLetters() (pairs []string) {
	for _, first := range []rune{0x24B6, 0x24D0, 0x249C, 0x1F110, 0x1F150, 0x1F170} {
		for i := range rune(26) {
			pairs = append(pairs, string(first+i), "("+string('A'+i)+")")
		}
	}
	for i := range rune(9) {
		pairs = append(pairs, string('①'+i), "("+string('1'+i)+")")
	}
	return pairs
}

// foldBoxes puts marks around what stands in \boxed{} and \fbox{}.
func foldBoxes(text string) string {
	var b strings.Builder
	for {
		at := boxes.FindStringIndex(text)
		if at == nil {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at[0]])
		inside, rest, closed := cutBraces(text[at[1]:])
		if !closed {
			b.WriteString(rest)
			return b.String()
		}
		b.WriteString(boxOn + strings.TrimSpace(inside) + boxOff)
		text = rest
	}
}

var boxes = newPattern(`\\(?:boxed|fbox)\s*\{`)

// cutBraces cuts a text at the brace that closes one before it.
func cutBraces(text string) (inside, rest string, closed bool) {
	depth := 1
	for i, r := range text {
		switch r {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[:i], text[i+1:], true
			}
		}
	}
	return "", text, false
}
