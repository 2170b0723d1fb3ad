package reading

import (
	"encoding/json"
	"strings"
)

// nouns name an answer before a colon or "is", in texts whose answers are words.
const nouns = `(?:(?:the|my|die|la|a|het) )?(?:(?:final|correct|best|right|bonne|meilleure|mejor|beste|richtige|korrekte|finale|正确|最终|правильный|सही) ?)*(?:answer|antwort|respuesta|réponse|risposta|resposta|antwoord|odpowiedź|cevap|jawaban|svar|答案|答え|回答|解答|정답|답|ответ|الإجابة|الجواب|उत्तर)(?: (?:final|finale|correcta|correcte|corretta|correta))?["*_]*`

var (
	// afterColon is the rest of a line after a noun with a colon, afterVerb after "The answer is".
	afterColon = newPattern(`(?im)(?:(?:^|[^\pL"'])` + nouns +
		`[ \t]*(?:is|ist|lautet|es|est|è|é)?[ \t]*[:：=]|^[\s*_>#]*` + nouns + `[ \t]+[–—-][ \t])[*_]*[ \t]*([^\n]*)`)
	afterVerb = newPattern(`(?im)(?:^[\s*_">#]*|[.!?] +)(?:(?:so|therefore|thus|hence|also|donc|quindi|no|wait|actually|i (?:think|believe|guess|would say)(?: that)?),? )*` + nouns + `(?:[ \t]*(?:is|ist|lautet|es|est|è|é|은|는)[ \t]+|[ \t]*(?:是|为|は|은|는)[ \t]*)([^\n]*)`)
	// heading is a line that holds no more than the noun; below it is the next line.
	heading = newPattern(`(?im)^[\s*_#>]*` + nouns + `[ \t]*[:：]?[*_ \t]*\n\s*([^\n]+)(\n?)`)
	endMark = newPattern(`(?i)(?:^|[^\pL])` + nouns +
		`[ \t]*[:：][*_\s]*$|<(?:final_?)?answer>\s*(?:</(?:final_?)?answer>\s*)?$`)
	member = newPattern(`(?i)["'](?:final[ _]?)?answer["']\s*:\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(-?[\d.]+))`)
	// nextSentence follows an answer that the line goes on after.
	nextSentence = newPattern(`\.["'*)$]*\s+(?:It|This|That|These|The|He|She|They|I|We|You|There|Its|His|Her|Their|In|As|Since|Because|However|Note|Explanation|Reason|Let me|Hope|Although|While|Both|Therefore|No)[\s,:'’][^.!?]*\pL|\.["'*)$]*\s+\p{Lu}\pL+(?:\s+\S+){3,}[.!?]\s*$|,["*_]*\s+(?:because|since)\s|\s\((?:because|since)\s|["*_]+,\s+(?:because|since|as)\s`)
	abbreviation = newPattern(`(?:^|[^\pL])(?:\pL|St|Mt|Mr|Mrs|Ms|Dr|Prof|No|vs|Jr|Sr|Inc|Ltd|Co|Ft|Gen|Lt|Col|Sgt|Rev)$`)
	// tellsMore begins a sentence even after a letter: Malcolm X. He was born.
	tellsMore = newPattern(`^\.\s+(?:It|He|She|They|This|That) (?:is|was|are|were|has|had)\b`)
	politeEnd = newPattern(`(?:です|である|입니다|이다)?[。.]?$`)
)

// AfterMark returns what stands in the last <answer> or \boxed{} of a text, else what follows its
// last "Answer:" or "The answer is", up to the end of the sentence, else its last JSON member
// "answer"; false if there is none. With cut, text was cut off and its last line is ignored.
func AfterMark(text string, cut bool) (string, bool) {
	text = lastOf(text, mostText)
	if head, asksOn := beforeNextQuestion(text); asksOn {
		if found, ok := AfterMark(head, false); ok {
			return found, ok
		}
	}
	if cut {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	if m := lastOfAll(tags, text); m != nil {
		return plainText(m[1])
	}
	if at := boxes.FindAllStringIndex(text, -1); at != nil {
		inside, _, closed := cutBraces(text[at[len(at)-1][1]:])
		if closed && strings.TrimSpace(inside) != "" {
			return plainText(fonts.ReplaceAllString(inside, "$1"))
		}
	}
	text, value := cutMember(text)
	if m := lastOfAll(heading, text); m != nil &&
		lastOfAll(afterColon, text[strings.LastIndex(text, m[0])+len(m[0]):]) == nil {
		if isShort := len(strings.Fields(m[1])) <= 5; isShort ||
			strings.HasSuffix(strings.TrimSpace(text), strings.TrimSpace(m[1])) {
			return firstSentence(m[1])
		}
	}
	colon, verb := lastIn(afterColon, text), lastIn(afterVerb, text)
	switch {
	case colon != nil:
		if inner := lastIn(afterVerb, colon[1]); inner != nil && !strings.Contains(inner[0], "Answer") { // no title
			colon = inner
		}
		return firstSentence(colon[1])
	case verb != nil:
		return firstSentence(verb[1])
	}
	return plainText(value)
}

// cutMember returns the value of the last member "answer" of a text that the text does not call
// another one's, and what follows its object.
func cutMember(text string) (rest, value string) {
	rest = text
	for _, m := range member.FindAllStringSubmatchIndex(text, -1) {
		line := text[strings.LastIndexByte(text[:m[0]], '\n')+1 : m[0]]
		line, _, _ = strings.Cut(line, "{")
		if !quoted.MatchString(line) && !previous.MatchString(line) {
			value = unescapeJSON(submatchText(text, m, 1) + submatchText(text, m, 2) + submatchText(text, m, 3))
			rest = text[m[1]:]
			rest = rest[strings.LastIndexByte(rest, '}')+1:]
		}
	}
	return rest, value
}

var previous = newPattern(`(?i)\b(?:previous|earlier|former|prior|old|initial|original|first|wrong|not)\b`)

// unescapeJSON returns a JSON string's text; LaTeX whose backslashes were not escaped stays.
func unescapeJSON(s string) string {
	var text string
	if !strings.Contains(s, `\`) || json.Unmarshal([]byte(`"`+s+`"`), &text) != nil ||
		strings.ContainsAny(text, "\b\f\t\r") {
		return s
	}
	return text
}

// firstSentence returns the rest of a line without the sentences after its first one.
func firstSentence(line string) (string, bool) {
	for from := 0; from < len(line); {
		m := nextSentence.FindStringIndex(line[from:])
		if m == nil {
			break
		}
		if end := from + m[0]; !abbreviation.MatchString(line[:end]) || tellsMore.MatchString(line[end:]) {
			line = line[:end]
			break
		}
		from += m[0] + 1
	}
	line = besidesText.ReplaceAllString(line, "")
	text, ok := plainText(line)
	if asian.MatchString(text) {
		text = politeEnd.ReplaceAllString(text, "")
	}
	return text, ok && text != ""
}

var asian = newPattern(`(?:です|である|입니다|이다)[。.]?$|。$`)

// besidesText is what an answer is not: "Paris, not Lyon".
var besidesText = newPattern(`(?:, (?:and )?| \()(?:not|rather than|nicht|pas|et non|не) \pL[^,;()]*\)?\.?$`)

// EndsWithMark reports whether a text ends with "Answer:" and nothing after it.
func EndsWithMark(text string) bool { return endMark.MatchString(text) }

func lastOfAll(p *pattern, text string) []string {
	all := p.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// lastIn returns the last match of a mark; one may stand in the rest of the line of another.
func lastIn(p *pattern, text string) []string {
	last := lastOfAll(p, text)
	for range 8 {
		if last == nil {
			break
		}
		inner := lastOfAll(p, last[1])
		if inner == nil {
			break
		}
		last = inner
	}
	return last
}

func plainText(text string) (string, bool) {
	text = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text), "*_"))
	return text, text != ""
}
