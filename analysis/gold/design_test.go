package gold

import (
	"math"
	"testing"
)

// Deviations of n drawn units from their own mean are too small by √((n−1)/n).
func TestSpread(t *testing.T) {
	var units []Unit
	for i := range 7 {
		u := Unit{Cluster: i}
		if i < 4 {
			u.Gold = &Moments{}
		}
		units = append(units, u)
	}
	d, err := newDesign(units)
	if err != nil || len(d.groups) != 1 || d.groups[0].units != 7 || d.groups[0].drawn != 4 || math.Abs(d.groups[0].spread-math.Sqrt(4./3)) > 1e-12 || d.dof != 3 {
		t.Errorf("%+v, %v", d, err)
	}
}
