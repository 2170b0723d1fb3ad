package sql

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Statement is one SQL statement as it was written.
type Statement struct {
	Text string // without the semicolon
	Line int    // where it begins in what it is from, from 1; error messages count from there
}

// withLinesBefore returns the text with as many lines before it as there were.
func (s Statement) withLinesBefore() string { return strings.Repeat("\n", max(0, s.Line-1)) + s.Text }

// asSubquery returns a SELECT to be put into another statement. One with a semicolon, in a
// text or a comment, is put there as a text, so that nobody can take it for two.
func (s Statement) asSubquery() string {
	if strings.Contains(s.Text, ";") {
		return "FROM query(" + encodeText(s.Text) + ")"
	}
	return s.withLinesBefore()
}

// encodeText returns an expression of a text in which nothing of it can be seen.
func encodeText(s string) string { return fmt.Sprintf("decode(from_hex('%x'))", s) }

// trimComments returns the text without the space and the comments before it.
func trimComments(s string) string {
	for {
		s = strings.TrimSpace(s)
		if !strings.HasPrefix(s, "--") && !strings.HasPrefix(s, "/*") {
			return s
		}
		n, _ := tokenLength(s, 0)
		s = s[n:]
	}
}

// Split splits text, whose first line has the number line, into the statements that semicolons end and rest,
// what follows the last semicolon. Pieces with only space and comments are left out; rest.Text may be blank.
//
// DuckDB parses each statement again before it runs, so a mistake here becomes an error there, and no
// statement runs unseen.
func Split(text string, line int) (statements []Statement, rest Statement) {
	for {
		end, blank := scanStatement(text)
		if end == len(text) {
			if blank {
				text = ""
			}
			return statements, Statement{text, line}
		}
		if !blank {
			statements = append(statements, Statement{text[:end], line})
		}
		line += strings.Count(text[:end+1], "\n")
		text = text[end+1:]
	}
}

// scanStatement finds the first semicolon outside of quotes and comments, or the end;
// blank says that there is nothing but space and comments before it.
func scanStatement(s string) (end int, blank bool) {
	blank = true
	for i := 0; i < len(s); {
		n, word := tokenLength(s, i)
		switch {
		case n > 0:
			i += n
		case s[i] == ';':
			return i, blank
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			i, word = i+size, !unicode.IsSpace(r)
		}
		blank = blank && !word
	}
	return len(s), blank
}

// tokenLength returns the length of the quote, name or comment that begins at i, as far
// as it is there; 0 if none does. word is false for comments.
func tokenLength(s string, i int) (n int, word bool) {
	rest := s[i:]
	switch {
	case strings.HasPrefix(rest, "--"):
		return lengthThrough(rest, 2, "\n"), false
	case strings.HasPrefix(rest, "/*"):
		return commentLength(rest), false
	case rest[0] == '\'', rest[0] == '"':
		return lengthThrough(rest, 1, rest[:1]), true
	case strings.HasPrefix(rest, "e'"), strings.HasPrefix(rest, "E'"):
		return escapedLength(rest), true
	case rest[0] == '$':
		if tag := dollarQuote(rest); tag != "" {
			return lengthThrough(rest, len(tag), tag), true
		}
	case isNameByte(rest[0]):
		n = 1
		for n < len(rest) && (isNameByte(rest[n]) || rest[n] == '$') {
			n++
		}
		return n, true
	}
	return 0, true
}

// lengthThrough returns the length up to and with the mark, which is looked for from a place on.
func lengthThrough(s string, from int, mark string) int {
	if at := strings.Index(s[from:], mark); at >= 0 {
		return from + at + len(mark)
	}
	return len(s)
}

// commentLength returns the length of a comment; comments may hold others.
func commentLength(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(s[i:], "*/"):
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(s)
}

// escapedLength returns the length of E'…', in which a backslash hides the next byte.
func escapedLength(s string) int {
	for i := 2; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '\'':
			return i + 1
		}
	}
	return len(s)
}

// dollarQuote returns $$ or $tag$ if the text begins so.
func dollarQuote(s string) string {
	i := 1
	for i < len(s) && isNameByte(s[i]) && (i > 1 || s[i] < '0' || s[i] > '9') {
		i++
	}
	if i < len(s) && s[i] == '$' {
		return s[:i+1]
	}
	return ""
}

func isNameByte(b byte) bool {
	return b == '_' || b >= utf8.RuneSelf || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}
