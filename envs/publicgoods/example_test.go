package publicgoods_test

import (
	"fmt"

	"roundtable/envs/publicgoods"
)

// An environment deals instances; an instance reads proposals and says what they are worth.
func ExampleGame() {
	game, err := publicgoods.New(publicgoods.Params{Agents: 3, Endowment: 10, Return: 0.5})
	if err != nil {
		panic(err)
	}
	instance, err := game.Instance(1, 0)
	if err != nil {
		panic(err)
	}
	proposal, err := instance.Parse([]byte(`{"Casey": 0, "Alex": 10, "Blake": 10.0}`))
	if err != nil {
		panic(err)
	}
	score := instance.Score(proposal)
	fmt.Println(proposal)
	fmt.Printf("%.2f %v\n", score.Value, score.Utilities)
	// Output:
	// {"Alex":10,"Blake":10,"Casey":0}
	// 0.67 [10 10 20]
}
