package record

import "encoding/json"

// Sees returns the entries that the speaker was shown, as ranges [from, to) in their
// order; none if the column cannot be read.
func (t Turn) Sees() [][2]int32 {
	var ranges [][2]int32
	if json.Unmarshal([]byte(t.SeesJSON), &ranges) != nil {
		return nil
	}
	return ranges
}
