package wording

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// canSteer reports whether a character could steer a terminal or turn the reading direction.
func canSteer(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// SafeLine returns s on one line: a space replaces each character that could steer a terminal or
// break the line.
func SafeLine(s string) string {
	return strings.Map(func(r rune) rune {
		if canSteer(r) || breaksLine(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// SafeLines returns s with its line breaks: tabs become spaces, and a visible mark replaces each
// other character that could steer a terminal or turn the reading direction.
func SafeLines(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	if strings.IndexFunc(s, isMarked) < 0 {
		return strings.ReplaceAll(s, "\t", " ")
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case isMarked(r):
			b.WriteString(markOf(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isMarked(r rune) bool {
	return r != '\n' && r != '\t' && (canSteer(r) || breaksLine(r))
}

// markOf returns what is shown for a character: its picture if it has one, as ␛ for
// Escape, or else its number, as \u202e.
func markOf(r rune) string {
	switch {
	case r < ' ':
		return string('\u2400' + r)
	case r == '\x7f':
		return "␡"
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// EscapeJSON returns JSON in which all that could steer a terminal is escaped; JSON itself
// requires that of some control characters only. Line breaks between tokens stay.
func EscapeJSON(data []byte) []byte {
	out := make([]byte, 0, len(data))
	for _, r := range string(data) {
		if r != '\n' && canSteer(r) {
			out = fmt.Appendf(out, `\u%04x`, r) // it can only be inside a string
		} else {
			out = append(out, string(r)...)
		}
	}
	return out
}

// IsFormula reports whether a spreadsheet could take s for a formula; full-width signs count, as
// some programs read them like the ordinary ones.
func IsFormula(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("=+-@＝＋－＠", first)
}

func breaksLine(r rune) bool { return r == '\u2028' || r == '\u2029' }
