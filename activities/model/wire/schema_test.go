package wire_test

import (
	"testing"

	"roundtable/activities/model/wire"
)

// Keywords go, properties of their name stay, and so does the order.
func TestWithout(t *testing.T) {
	const schema = `{"type":"object","properties":{"z":{"type":"array","items":{"type":"integer","maximum":3},"maxItems":2,"uniqueItems":true},"maximum":{"anyOf":[{"type":"number","maximum":1},{"type":"null"}]}},"required":["z","maximum"]}`
	const want = `{"type":"object","properties":{"z":{"type":"array","items":{"type":"integer"},"maxItems":2},"maximum":{"anyOf":[{"type":"number"},{"type":"null"}]}},"required":["z","maximum"]}`
	if got := string(wire.Without([]byte(schema), "maximum", "uniqueItems")); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := string(wire.Without([]byte(schema), "minimum")); got != schema {
		t.Errorf("nothing is to go: %s", got)
	}
}
