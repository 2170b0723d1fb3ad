//go:build !race

package commits_test

const raceDetector = false
