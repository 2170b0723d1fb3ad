package embedding_test

import (
	"context"
	"fmt"

	"roundtable/analysis/embedding"
)

// Texts with words in common are closer.
func ExampleHashed() {
	vectors, err := embedding.Hashed{}.Embed(context.Background(), []string{"we should raise the price", "raise the price, I say", "the weather is fine"})
	if err != nil {
		panic(err)
	}
	near, _ := embedding.Similarity(vectors[:2])
	far, _ := embedding.Similarity(vectors[1:])
	fmt.Println(near > far)
	// Output:
	// true
}
