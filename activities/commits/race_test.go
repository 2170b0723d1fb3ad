//go:build race

package commits_test

// With the race detector the runtime ends the program where the Parquet library
// makes a slice of damaged lengths; without it that is a panic, which we catch.
const raceDetector = true
