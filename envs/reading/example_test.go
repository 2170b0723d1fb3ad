package reading_test

import (
	"fmt"

	"roundtable/envs/reading"
)

// A text counts as the answer that it states. One that only weighs options states none.
func ExampleForm_Read() {
	cities := reading.Options([]string{"Paris", "Rome", "Oslo"})
	for _, text := range []string{
		"It could be A, but the Tiber flows there. The answer is (B).",
		"The capital of Norway is Oslo.",
		"Perhaps A, perhaps C.",
	} {
		answer, err := cities.Read(text, false)
		fmt.Println(answer.Text, answer.Way, err)
	}
	number, err := reading.Number(false).Read("12 + 30 = 42, so the answer is 42.", false)
	fmt.Println(number.Text, number.Way, err)
	// Output:
	// B stated <nil>
	// C words <nil>
	//   it leaves open which of several answers it gives
	// 42 stated <nil>
}
