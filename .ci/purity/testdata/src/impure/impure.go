// want package:"1. non-determ"

// Package impure does, one by one, what a pure package may not do.
package impure

import (
	crand "crypto/rand"
	"fmt"
	"io/fs"
	"maps"
	oldrand "math/rand"
	"math/rand/v2"
	"os"
	"slices"
	"time"
)

func clock() (time.Time, time.Duration, time.Duration) {
	now := time.Now()                            // want `uses time.Now, impure`
	time.Sleep(1)                                // want `uses time.Sleep, impure`
	return now, time.Since(now), time.Until(now) // want `uses time.Since, impure` `uses time.Until, impure`
}

func timers() {
	time.NewTimer(1)             // want `uses time.NewTimer, impure`
	time.NewTicker(1)            // want `uses time.NewTicker, impure`
	time.AfterFunc(1, func() {}) // want `uses time.AfterFunc, impure`
	time.After(1)                // want `uses time.After, impure`
	time.Tick(1)                 // want `uses time.Tick, impure`
}

func zone(t time.Time) time.Time {
	time.Unix(0, 0)       // want `uses time.Unix, which is not for a pure package`
	time.LoadLocation("") // want `uses time.LoadLocation, which is not for a pure package`
	_ = time.Local        // want `uses time.Local, which is not for a pure package`
	return t.Local()      // want `uses \(time.Time\).Local, which is not for a pure package`
}

// The clock as a value, called elsewhere or never.
var now = time.Now // want `uses time.Now, impure`

func passed(f func() time.Time) { passed(time.Now) } // want `uses time.Now, impure`

func random() {
	rand.Int()                                                              // want `uses math/rand/v2.Int, impure`
	rand.IntN(3)                                                            // want `uses math/rand/v2.IntN, impure`
	rand.Int32()                                                            // want `uses math/rand/v2.Int32, impure`
	rand.Int32N(3)                                                          // want `uses math/rand/v2.Int32N, impure`
	rand.Int64()                                                            // want `uses math/rand/v2.Int64, impure`
	rand.Int64N(3)                                                          // want `uses math/rand/v2.Int64N, impure`
	rand.Uint()                                                             // want `uses math/rand/v2.Uint, impure`
	rand.UintN(3)                                                           // want `uses math/rand/v2.UintN, impure`
	rand.Uint32()                                                           // want `uses math/rand/v2.Uint32, impure`
	rand.Uint32N(3)                                                         // want `uses math/rand/v2.Uint32N, impure`
	rand.Uint64()                                                           // want `uses math/rand/v2.Uint64, impure`
	rand.Uint64N(3)                                                         // want `uses math/rand/v2.Uint64N, impure`
	rand.N(time.Second)                                                     // want `uses math/rand/v2.N, impure`
	rand.Float32()                                                          // want `uses math/rand/v2.Float32, impure`
	rand.Float64()                                                          // want `uses math/rand/v2.Float64, impure`
	rand.NormFloat64()                                                      // want `uses math/rand/v2.NormFloat64, impure`
	rand.ExpFloat64()                                                       // want `uses math/rand/v2.ExpFloat64, impure`
	rand.Perm(3)                                                            // want `uses math/rand/v2.Perm, impure`
	rand.Shuffle(3, func(i, j int) {})                                      // want `uses math/rand/v2.Shuffle, impure`
	oldrand.Intn(3)                                                         // want `uses math/rand.Intn, impure`
	crand.Text()                                                            // want `uses crypto/rand.Text, which is not for a pure package`
	slices.IndexFunc([]int{1}, func(int) bool { return rand.IntN(2) == 0 }) // want `uses math/rand/v2.IntN, impure`
}

func files(fsys fs.FS) {
	os.ReadFile("x")             // want `uses os.ReadFile, which is not for a pure package`
	os.Getenv("x")               // want `uses os.Getenv, which is not for a pure package`
	fs.ReadFile(fsys, "x")       // want `uses io/fs.ReadFile, impure`
	fsys.Open("x")               // want `uses \(io/fs.FS\).Open, impure`
	fmt.Println("x")             // want `uses fmt.Println, impure`
	fmt.Fprintln(os.Stderr, "x") // want `uses os.Stderr, which is not for a pure package`
}

func order(m map[string]int) (out []string) {
	for k := range m { // want `goes through a map in no fixed order`
		out = append(out, k)
	}
	for k := range maps.Keys(m) { // want `uses maps.Keys, impure`
		out = append(out, k)
	}
	slices.Collect(maps.Values(m))                                      // want `uses maps.Values, impure`
	slices.SortedFunc(maps.Keys(m), func(a, b string) int { return 0 }) // want `uses maps.Keys, impure`
	return out
}

type named map[string]int

func generic[M ~map[string]int, N named](m M, n N) {
	for range m { // want `goes through a map in no fixed order`
	}
	for range n { // want `goes through a map in no fixed order`
	}
}

// A package variable, which is not a declared function.
var first = func(m map[string]int) string {
	for k := range m { // want `goes through a map in no fixed order`
		return k
	}
	return ""
}

func concurrent(c chan int) int {
	go clock()    // want `starts a goroutine`
	c <- 1        // want `sends on a channel`
	for range c { // want `receives from a channel`
	}
	select { // want `selects among channels`
	case n := <-c: // want `receives from a channel`
		return n
	default:
		return <-c // want `receives from a channel`
	}
}

func allowed() { time.Now() }

type box struct{}

func (*box) open() { time.Now() }

func caller() { allowed() } // want `uses impure.allowed, which is impure by exception`

func unexplained() {
	/* want `say why after` */ //workflowcheck:ignore
	time.Now()
}
