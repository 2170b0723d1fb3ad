package envtest

import "testing"

func TestFirstDifference(t *testing.T) {
	if line, a, b, same := firstDifference("x\ny\nz", "x\nq\nz"); same || line != 2 || a != "y" || b != "q" {
		t.Error(line, a, b, same)
	}
	if line, _, b, same := firstDifference("x\ny", "x"); same || line != 2 || b != "(end)" {
		t.Error(line, b, same)
	}
	if _, _, _, same := firstDifference("x", "x"); !same {
		t.Error("equal texts differ")
	}
}
