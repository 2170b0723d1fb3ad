package exchange_test

import (
	"fmt"

	"roundtable/envs/exchange"
)

// Three agents share three goods. Each gets what it values most: the greatest total.
func ExampleEconomy() {
	economy, err := exchange.New(exchange.Defaults())
	if err != nil {
		panic(err)
	}
	fmt.Println(economy.Observe(0))
	_, err = economy.Parse([]byte(`{"Alex": {"apples": 200}}`))
	fmt.Println(err)
	// Output:
	// {[Alex Blake Casey] [{apples 100} {bread 100} {cloth 100}] [0.8 0.1 0.1] false}
	// the share of Alex leaves out bread; it names every good: apples, bread, cloth
}
