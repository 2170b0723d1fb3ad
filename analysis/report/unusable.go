package report

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"roundtable/analysis/lake/record"
)

// Unusable is an answer, as it was received, that could not be used.
type Unusable struct {
	Ask   int    // from 0
	Fault string // why
	Raw   []byte
}

// longest is how much of an unusable answer is shown.
const longest = 8 << 10

// Text returns the answer as readable text: invalid parts are replaced, and long answers are cut.
func (u Unusable) Text() string {
	if len(u.Raw) <= longest {
		return strings.ToValidUTF8(string(u.Raw), "\uFFFD")
	}
	end := longest
	for end > longest-utf8.UTFMax && !utf8.RuneStart(u.Raw[end]) { // between letters
		end--
	}
	return fmt.Sprintf("%s… (%d bytes; all of it is in the lake)",
		strings.ToValidUTF8(string(u.Raw[:end]), "\uFFFD"), len(u.Raw))
}

// Number returns the answer's number, from 1.
func (u Unusable) Number() int { return u.Ask + 1 }

// unusableEntries returns the entries of a collaboration with answers that could not be used.
func unusableEntries(turns []record.Turn) []int {
	var entries []int
	for _, t := range turns {
		if t.Kind == "ask" && (t.Asks > 1 || t.Status == "invalid") {
			entries = append(entries, int(t.Entry))
		}
	}
	return entries
}
