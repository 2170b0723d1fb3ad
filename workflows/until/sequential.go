package until

// A confidence sequence is a row of intervals of a mean that hold at all times at once,
// so data may be looked at after every value, and the looking may decide when to stop.
// The same values in the same order give the same intervals.

// Interval ranges from Low to High, both included.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Width returns High - Low.
func (i Interval) Width() float64 { return i.High - i.Low }

// sequence is a confidence sequence under way.
type sequence interface {
	// Add takes the next value. A value that cannot be is an error and changes nothing.
	Add(value float64) error
	// Interval returns what holds the mean so far; false if nothing is known yet.
	Interval() (Interval, bool)
	// Lacks says why there is no interval; "" if there is one.
	Lacks() string
	// Sign returns 1 or -1 once the mean is known to be above or below 0, else 0.
	Sign() int
}

func isLevel(alpha float64) bool { return alpha > 0 && alpha < 1 }
