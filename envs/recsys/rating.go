package recsys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"roundtable/envs"
)

// Ratings, in stars.
const (
	lowest  = 1
	highest = 5
)

const (
	maxText = 64 << 10
	example = `a proposal is like {"rating": 3.5}`
)

// parseRating reads {"rating": 3.5} or a bare 3.5, rounded to two decimals. It reads
// tokens, because decoding into a struct would hide doubled and misspelt names.
func parseRating(text []byte) (float64, error) {
	if len(text) > maxText {
		return 0, fmt.Errorf("the proposal has %d bytes; at most %d are read", len(text), maxText)
	}
	if !json.Valid(text) {
		return 0, errors.New("the proposal is not valid JSON; " + example)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	token, err := d.Token()
	if err != nil {
		return 0, errors.New("the proposal is not valid JSON; " + example)
	}
	if token != json.Delim('{') {
		return parseStars(token)
	}
	return parseMember(d)
}

// parseMember reads the inside of {"rating": 3.5}.
func parseMember(d *json.Decoder) (float64, error) {
	found, v := false, 0.0
	for d.More() {
		name, err := d.Token()
		switch {
		case err != nil:
			return 0, errors.New("the proposal is not valid JSON; " + example)
		case name != "rating":
			return 0, fmt.Errorf("the proposal has an unknown member %s; %s", quoteForeign(fmt.Sprint(name)), example)
		case found:
			return 0, errors.New("the proposal has two ratings; " + example)
		}
		token, err := d.Token()
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, errors.New("the proposal is not valid JSON; " + example)
		}
		if v, err = parseStars(token); err != nil {
			return 0, err
		}
		found = true
	}
	if !found {
		return 0, errors.New("the proposal has no rating; " + example)
	}
	return v, nil
}

func parseStars(token json.Token) (float64, error) {
	n, ok := token.(json.Number)
	if !ok {
		return 0, fmt.Errorf("the rating is not a number; it is a number from %d to %d, and %s", lowest,
			highest, example)
	}
	v, err := n.Float64()
	if err != nil || !(v >= lowest && v <= highest) {
		return 0, fmt.Errorf("the rating is %s; it is a number from %d to %d", quoteForeign(n.String()),
			lowest, highest)
	}
	return float64(toHundredths(v)) / 100, nil
}

func toHundredths(v float64) int { return int(math.Round(v * 100)) }

// formatRating returns the canonical text.
func formatRating(v float64) envs.Proposal {
	return envs.Proposal(`{"rating":` + strconv.FormatFloat(v, 'f', -1, 64) + `}`)
}
