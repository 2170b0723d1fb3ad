package reading

import (
	"regexp"
	"strings"
)

// nouns name an answer before a colon or "is", in texts whose answers are words.
const nouns = `(?:(?:the|my|die|la|a|het) )?(?:(?:final|correct|richtige|korrekte|finale|正确|最终|правильный|सही) ?)*(?:answer|antwort|respuesta|réponse|risposta|resposta|antwoord|odpowiedź|cevap|jawaban|svar|答案|答え|回答|解答|정답|답|ответ|الإجابة|الجواب|उत्तर)(?: (?:final|finale|correcta|correcte|corretta|correta))?["*_]*`

var (
	// afterColon is the rest of a line after a noun with a colon, afterVerb after "The answer is".
	afterColon = regexp.MustCompile(`(?i)(?:^|[^\pL])` + nouns + `[ \t]*(?:is|ist|lautet|es|est|è|é)?[ \t]*[:：][*_]*[ \t]*([^\n]*)`)
	afterVerb  = regexp.MustCompile(`(?im)(?:^[\s*_">#]*|[.!?] +)(?:(?:so|therefore|thus|hence|also|donc|quindi),? )?` + nouns + `[ \t]*(?:is|ist|lautet|es|est|è|é|是|为|は|은|는)[ \t]+([^\n]*)`)
	endMark    = regexp.MustCompile(`(?i)(?:^|[^\pL])` + nouns + `[ \t]*[:：][*_\s]*$`)
)

// AfterMark returns what follows the last "Answer:" or "The answer is" of a text, up to the
// end of its line, or what stands in its last <answer> or box. Of a text that was cut off
// the last line does not count.
func AfterMark(text string, cut bool) (string, bool) {
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
	colon, verb := lastOfAll(afterColon, text), lastOfAll(afterVerb, text)
	switch {
	case colon != nil:
		return plainText(colon[1])
	case verb != nil:
		return plainText(verb[1])
	}
	return "", false
}

// EndsWithMark reports whether a text ends with "Answer:" and nothing after it.
func EndsWithMark(text string) bool { return endMark.MatchString(text) }

func lastOfAll(pattern *regexp.Regexp, text string) []string {
	all := pattern.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

func plainText(text string) (string, bool) {
	text = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(text), "*_"))
	return text, text != ""
}
