package throttle_test

import (
	"context"
	"fmt"

	"roundtable/activities/model"
	"roundtable/activities/throttle"
)

// Before each call the gate is entered, and told how the call went: it learns how many calls
// at once the service takes.
func ExampleThrottle() {
	gate := throttle.New(throttle.Ceiling{})
	pass, err := gate.Enter(context.Background(), nil, throttle.Call{Campaign: "talk"})
	if err != nil {
		panic(err)
	}
	pass.Answered(model.Usage{Input: 100, Output: 20}, model.Limits{})
	fmt.Printf("%q\n", gate.Waiting("talk").For)
	// Output:
	// ""
}
