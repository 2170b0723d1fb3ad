package crossval

import "roundtable/analysis/statistics"

// measured is a measure of collaborations, summed by unit in the order in which
// units come: collaborations of one unit depend on each other.
type measured struct {
	at   []int32      // place of a unit's sums, from 1; 0 is none yet
	sums [][2]float64 // of the measure, and of what it is a share of
	n    int          // collaborations
}

// newMeasured returns a measure of nothing yet.
func (d *Data) newMeasured() measured {
	return measured{at: make([]int32, d.units), sums: make([][2]float64, 0, d.units)}
}

// add a collaboration's value.
func (m *measured) add(unit int, value float64) { m.addOf(unit, value, 1) }

// addOf adds a collaboration's share of something.
func (m *measured) addOf(unit int, value, of float64) {
	if m.at[unit] == 0 {
		m.sums = append(m.sums, [2]float64{})
		m.at[unit] = int32(len(m.sums))
	}
	i := m.at[unit] - 1
	m.sums[i][0], m.sums[i][1] = m.sums[i][0]+value, m.sums[i][1]+of
	m.n++
}

// ratioOfSums of the sums, with its standard error over units; nil of nothing.
func (m *measured) ratioOfSums() *statistics.Ratio { return statistics.RatioOf(m.sums) }

// meanAndError and its standard error over units; nil where they are not defined.
func (m *measured) meanAndError() (mean, se *float64) {
	if r := m.ratioOfSums(); r != nil {
		return &r.Value, r.SE
	}
	return nil, nil
}
