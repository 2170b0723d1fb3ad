package store_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"roundtable/analysis/lake/store"
)

// The first who stores under a name wins: two workers cannot both record an answer.
func ExampleStore() {
	dir, err := os.MkdirTemp("", "lake")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s, err := store.NewLocal(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	fmt.Println(s.PutIfAbsent(ctx, "answers/1", []byte("first")))
	fmt.Println(errors.Is(s.PutIfAbsent(ctx, "answers/1", []byte("second")), store.ErrExists))
	data, err := s.Get(ctx, "answers/1")
	fmt.Printf("%s %v\n", data, err)
	// Output:
	// <nil>
	// true
	// first <nil>
}
