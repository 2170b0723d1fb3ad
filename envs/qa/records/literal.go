package records

import (
	"errors"
	"strconv"
	"strings"
)

// parseLiteral returns the value that a text writes in JSON, or as Python writes lists, tuples
// and mappings; nil if it writes none.
func parseLiteral(text string) any {
	if v, err := ParseJSON(text); err == nil {
		return v
	}
	p := &literal{rest: strings.TrimSpace(text)}
	if !strings.HasPrefix(p.rest, "[") && !strings.HasPrefix(p.rest, "(") && !strings.HasPrefix(p.rest, "{") {
		return nil
	}
	v, err := p.readValue(0)
	if err != nil || strings.TrimSpace(p.rest) != "" {
		return nil
	}
	return v
}

// literal reads a value from the beginning of a text.
type literal struct{ rest string }

var errLiteral = errors.New("no literal")

func (p *literal) readValue(depth int) (any, error) {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	if p.rest == "" || depth > 50 {
		return nil, errLiteral
	}
	switch c := p.rest[0]; c {
	case '[', '(':
		return p.list(map[byte]byte{'[': ']', '(': ')'}[c], depth)
	case '{':
		return p.readMapping(depth)
	case '\'', '"':
		return p.readText(c)
	}
	end := strings.IndexAny(p.rest, ",]):} \t\r\n")
	if end < 0 {
		return nil, errLiteral
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	switch word {
	case "None", "nan":
		return nil, nil
	case "True", "False":
		return word == "True", nil
	}
	return ParseJSON(word)
}

// takeByte reports whether a character comes next, and passes it.
func (p *literal) takeByte(c byte) bool {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *literal) list(end byte, depth int) (any, error) {
	p.rest = p.rest[1:]
	list := []any{}
	for !p.takeByte(end) {
		v, err := p.readValue(depth + 1)
		if err != nil {
			return nil, err
		}
		if list = append(list, v); !p.takeByte(',') && !strings.HasPrefix(p.rest, string(end)) {
			return nil, errLiteral
		}
	}
	return list, nil
}

func (p *literal) readMapping(depth int) (any, error) {
	p.rest = p.rest[1:]
	object := map[string]any{}
	for !p.takeByte('}') {
		key, err := p.readValue(depth + 1)
		if err != nil || !p.takeByte(':') {
			return nil, errLiteral
		}
		v, err := p.readValue(depth + 1)
		if err != nil {
			return nil, err
		}
		if object[scalarText(key)] = v; !p.takeByte(',') && !strings.HasPrefix(p.rest, "}") {
			return nil, errLiteral
		}
	}
	return object, nil
}

func (p *literal) readText(quote byte) (any, error) {
	p.rest = p.rest[1:]
	var b strings.Builder
	for p.rest != "" {
		if p.rest[0] == quote {
			p.rest = p.rest[1:]
			return b.String(), nil
		}
		if strings.HasPrefix(p.rest, `\'`) || strings.HasPrefix(p.rest, `\"`) {
			p.rest = p.rest[1:]
			b.WriteByte(p.rest[0])
			p.rest = p.rest[1:]
			continue
		}
		r, _, rest, err := strconv.UnquoteChar(p.rest, quote)
		if err != nil {
			r, rest = rune(p.rest[0]), p.rest[1:] // Python keeps what is not an escape
		}
		b.WriteRune(r)
		p.rest = rest
	}
	return nil, errLiteral
}
