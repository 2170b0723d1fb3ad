package qa

import (
	"strconv"
	"strings"
	"unicode"
)

// lastBoxed returns what stands in the last \boxed{} or \fbox{} of a text, or the word after "\boxed ".
func lastBoxed(text string) (string, bool) {
	at, open := strings.LastIndex(text, `\boxed`), len(`\boxed`)
	if at < 0 {
		if at, open = strings.LastIndex(text, `\fbox`), len(`\fbox`); at < 0 {
			return "", false
		}
	}
	rest := text[at+open:]
	if word, isWord := strings.CutPrefix(rest, " "); isWord && !strings.HasPrefix(strings.TrimSpace(rest), "{") {
		word, _, _ = strings.Cut(word, "$")
		return strings.TrimSpace(word), strings.TrimSpace(word) != ""
	}
	rest = strings.TrimLeft(rest, " ")
	depth := 0
	for i, r := range rest {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			inside := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(rest[:i+1], "{"), "}"))
			return inside, i > 0 && inside != ""
		}
	}
	return "", false // it is never closed
}

// stripWrapping takes away what writers of MATH put around an answer: dollar signs,
// \( and \), \[ and \], and the full stop or comma of its sentence.
func stripWrapping(latex string) string {
	for {
		s := strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(latex, `\$`, ""), "$", ""))
		for _, marks := range [][2]string{{`\(`, `\)`}, {`\[`, `\]`}} {
			if inner, ok := strings.CutPrefix(s, marks[0]); ok && strings.HasSuffix(inner, marks[1]) {
				s = strings.TrimSuffix(inner, marks[1])
			}
		}
		s = strings.TrimSuffix(strings.TrimSpace(s), ".")
		if end := strings.TrimRight(s, ",;"); !strings.HasSuffix(end, `\`) { // \, and \; are spaces
			s = end
		}
		if s == latex {
			return s
		}
		latex = s
	}
}

// Normalise returns an answer in LaTeX in the form in which MATH compares answers (Hendrycks et
// al. 2021): no spaces, units, dollar and percent signs; \frac and \sqrt with braces; simple
// quotients and 0.5 as \frac.
func Normalise(latex string) string {
	s := dropped.Replace(latex)
	s = strings.ReplaceAll(s, `\\`, `\`)
	s = strings.ReplaceAll(strings.ReplaceAll(s, "tfrac", "frac"), "dfrac", "frac")
	s = ornaments.Replace(s)
	if number, unit, found := strings.Cut(s, `\text{ `); found && !strings.Contains(unit, `\text{ `) && isUnit(unit) {
		s = number
	}
	s = strings.ReplaceAll(s, `\%`, "")
	s = strings.ReplaceAll(s, " .", " 0.")
	s = strings.ReplaceAll(s, "{.", "{0.")
	if strings.HasPrefix(s, ".") {
		s = "0" + s
	}
	if name, value, found := strings.Cut(s, "="); found && isVariable(name) && !strings.Contains(value, "=") {
		s = value
	}
	s = strings.ReplaceAll(braceRoots(s), " ", "")
	s = braceFractions(s)
	if s == "0.5" {
		return `\frac{1}{2}`
	}
	return fractionOf(s)
}

// isUnit reports whether a text in LaTeX ends an answer, and is not part of it as in
// 5 \text{ or } 7.
func isUnit(text string) bool {
	words, rest, _ := strings.Cut(text, "}")
	word := strings.TrimSpace(words)
	return word != "or" && word != "and" && word != "to" && (rest == "" || strings.HasPrefix(rest, "^"))
}

// isVariable reports whether it is the name of one number, as in x = 5 and not in ab = 5.
func isVariable(name string) bool {
	name = strings.TrimSpace(name)
	return len([]rune(name)) <= 1 || len([]rune(name)) == 2 &&
		!(unicode.IsLetter([]rune(name)[0]) && unicode.IsLetter([]rune(name)[1]))
}

var (
	dropped   = strings.NewReplacer("\n", "", `\!`, "")
	ornaments = strings.NewReplacer(`\left`, "", `\right`, "", `^{\circ}`, "", `^\circ`, "", `\$`, "")
)

// untilUnchanged normalises until nothing changes, so that an answer in normal form is its own.
func untilUnchanged(latex string, normalise func(string) string) string {
	for range 16 {
		next := normalise(latex)
		if next == latex {
			break
		}
		latex = next
	}
	return latex
}

// braceRoots writes \sqrt3 as \sqrt{3}.
func braceRoots(s string) string {
	parts := strings.Split(s, `\sqrt`)
	for i, part := range parts[1:] {
		if part != "" && part[0] != '{' && part[0] != '[' {
			first, rest := splitFirst(part)
			parts[i+1] = "{" + first + "}" + rest
		}
	}
	return strings.Join(parts, `\sqrt`)
}

// braceFractions writes \frac12 and \frac1{2} as \frac{1}{2}.
func braceFractions(s string) string {
	parts := strings.Split(s, `\frac`)
	for i, part := range parts[1:] {
		if strings.HasPrefix(part, "{") {
			continue
		}
		above, rest := splitFirst(part)
		below, after := splitFirst(rest)
		if below == "" {
			return s // half a fraction: nothing is sure
		}
		if below != "{" {
			rest = "{" + below + "}" + after
		}
		parts[i+1] = "{" + above + "}" + rest
	}
	return strings.Join(parts, `\frac`)
}

// splitFirst returns the first character and the rest.
func splitFirst(s string) (first, rest string) {
	for i := range s {
		if i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

// fractionOf writes a quotient of whole numbers as \frac.
func fractionOf(s string) string {
	above, below, found := strings.Cut(s, "/")
	if !found || !isWhole(above) || !isWhole(below) {
		return s
	}
	return `\frac{` + above + "}{" + below + "}"
}

func isWhole(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && strconv.Itoa(n) == s
}
