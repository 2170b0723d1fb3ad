package table

import "testing"

// A small p-value is not 0, and nothing is minus 0.
func TestCellsForPeople(t *testing.T) {
	small, none, some, half := 0.00004, -1e-17, 0.03125, 0.00005
	for want, c := range map[string]Cell{
		"<0.0001":     PValue(&small),
		"0.0312":      PValue(&some),
		"0.0001":      PValue(&half),
		"":            PValue(nil),
		"0.00":        Number(none, 2),
		"-0.5":        Number(-0.5, 1),
		"0":           Number(-0.2, 0),
		"0.00 (0.00)": {Value: &none, SE: &small, N: 3, Decimals: 2},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if text, _ := PValue(&small).MarshalJSON(); string(text) != "0.00004" {
		t.Errorf("JSON has %s", text)
	}
}
