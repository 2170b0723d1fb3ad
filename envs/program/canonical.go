package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Bounds of JSON that a program is given or gives.
const (
	mostProposal = 64 << 10 // bytes
	mostDepth    = 32
	mostDigits   = 40 // characters of a number
)

// Canonical returns a JSON object with its keys sorted and no spaces. It returns an error for
// data of more than most bytes, duplicate keys, deep nesting or numbers out of range.
func Canonical(data []byte, most int) (json.RawMessage, error) {
	text, err := canonicalJSON(data, most)
	if err == nil && text[0] != '{' {
		return nil, errors.New("it is not a JSON object")
	}
	return text, err
}

// canonicalJSON is Canonical of any value.
func canonicalJSON(data []byte, most int) (json.RawMessage, error) {
	switch {
	case len(data) > most:
		return nil, fmt.Errorf("it has %d bytes; expected at most %d", len(data), most)
	case !utf8.Valid(data):
		return nil, errors.New("it is not valid UTF-8")
	case !json.Valid(data):
		return nil, errors.New("it is not one JSON value")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	value, err := readValue(d, 0)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, errors.New("it is not one JSON value")
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// readValue reads the next value; reading tokens shows doubled keys, which a map hides.
func readValue(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, errors.New("it is not one JSON value")
	}
	switch token := token.(type) {
	case json.Number:
		if _, err := strconv.ParseFloat(token.String(), 64); err != nil || len(token) > mostDigits {
			return nil, fmt.Errorf("the number %.20s… is out of range", token)
		}
		return token, nil
	case json.Delim:
		if depth == mostDepth {
			return nil, fmt.Errorf("it is nested more than %d deep", mostDepth)
		}
		if token == '[' {
			return readList(d, depth)
		}
		return readObject(d, depth)
	}
	return token, nil
}

func readList(d *json.Decoder, depth int) (any, error) {
	list := []any{}
	for d.More() {
		v, err := readValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

func readObject(d *json.Decoder, depth int) (any, error) {
	object := map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name := fmt.Sprint(key)
		if _, twice := object[name]; twice {
			return nil, fmt.Errorf("the key %.40q is there twice", name)
		}
		if object[name], err = readValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return object, err
}
