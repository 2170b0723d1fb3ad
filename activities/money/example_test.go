package money_test

import (
	"fmt"

	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/analysis/lake/campaign"
)

// What a call costs, at prices for a million tokens. What the service read from its cache is
// a part of the input.
func ExampleCharge() {
	cached := 0.1
	price := campaign.Price{Input: 1, Output: 4, CachedInput: &cached}
	a := money.Charge(price, model.Usage{Input: 3000, CachedInput: 2000, Output: 500})
	fmt.Println(a.USD(), "US dollars for", a.Tokens, "tokens")
	// Output:
	// 0.0032 US dollars for 3500 tokens
}
