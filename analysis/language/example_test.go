package language_test

import (
	"context"
	"fmt"

	"roundtable/analysis/language"
)

// Texts with words in common are closer.
func ExampleHashed() {
	vectors, err := language.Hashed{}.Embed(context.Background(), []string{"we should raise the price", "raise the price, I say", "the weather is fine"})
	if err != nil {
		panic(err)
	}
	near, _ := language.Similarity(vectors[:2])
	far, _ := language.Similarity(vectors[1:])
	fmt.Println(near > far)
	// Output:
	// true
}
