package language

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// DistanceHeard returns the information distance of a round as it is known at its end: the mean
// over its messages of their distances from the round before. said is what was said up to then, by
// round. It differs from what Method.Of measures only for embedders that learn from the other texts
// of a call (Hashed): only what was said up to then counts. It is nil where one of the two rounds
// says nothing, rounded to 1e-9.
func DistanceHeard(ctx context.Context, by Embedder, said [][]string) (*float64, error) {
	if len(said) < 2 {
		return nil, nil
	}
	if _, learns := by.(Hashed); !learns {
		said = said[len(said)-2:]
	}
	var texts []string
	var from []int // where each round's texts begin
	for _, round := range said {
		from = append(from, len(texts))
		for _, text := range round {
			if strings.TrimSpace(text) != "" {
				texts = append(texts, text)
			}
		}
	}
	before, now := from[len(from)-2], from[len(from)-1]
	if before == now || now == len(texts) {
		return nil, nil
	}
	vectors, err := by.Embed(ctx, texts)
	if err == nil && len(vectors) != len(texts) {
		err = fmt.Errorf("%s gave %d vectors for %d messages", by.Name(), len(vectors), len(texts))
	}
	if err != nil {
		return nil, err
	}
	sum, n := 0.0, 0
	for _, d := range Distances(vectors[before:now], vectors[now:]) {
		if d != nil {
			sum, n = sum+*d, n+1
		}
	}
	if n == 0 {
		return nil, nil
	}
	return new(math.Round(sum/float64(n)*1e9) / 1e9), nil
}
