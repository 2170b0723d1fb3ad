// Package hostiletest makes files of strangers, for tests of those who read them. It is apart from envtest, whose
// flag -update other tests define themselves.
package hostiletest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ReadFiles calls read with n files that a stranger could have made of valid ones: cut, repeated,
// nested, with numbers, signs and bytes that nobody expects. They are the same ones each time. No
// call may take more than 5 s of its process, or more than 300 MB of memory at once.
func ReadFiles(t *testing.T, n int, valid []string, read func(data []byte)) {
	t.Helper()
	for seed := range n {
		ReadBounded(t, Corrupt(seed, valid), read)
	}
}

// ReadBounded calls read with one file, within the limits of ReadFiles.
func ReadBounded(t *testing.T, data []byte, read func(data []byte)) {
	t.Helper()
	if took, peak, ok := Measure(func() { read(data) }); !ok {
		t.Errorf("%v and %d MB for %d bytes: %.100q", took, peak>>20, len(data), data)
	}
}

// Measure returns the time and the memory that do takes; ok if they are within the limits of ReadFiles.
func Measure(do func()) (took time.Duration, peak uint64, ok bool) {
	began, busy := time.Now(), processorTime()
	peak = peakOf(do)
	took = min(time.Since(began), processorTime()-busy) // others at work on this machine do not count
	return took, peak, took <= 5*time.Second && peak <= 300<<20
}

// processorTime returns what this process has taken so far.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// peakOf returns how many bytes are in use at once while something is done, about; if all that
// is asked for is little, no more than that is known.
func peakOf(do func()) uint64 {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	asked, before := now.TotalAlloc, now.HeapAlloc
	end, peak := make(chan struct{}), make(chan uint64)
	go func() {
		most, tick := uint64(0), time.NewTicker(50*time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				peak <- most
				return
			case <-tick.C:
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
		}
	}()
	do()
	close(end)
	most := <-peak
	runtime.ReadMemStats(&now)
	return min(now.TotalAlloc-asked, max(most, before)-before)
}

var (
	openings = []string{"[", "{", `{"a":`, "{a: ", "- ", "? ", "&a [", "(", "{{if .}}", "{{range .Agents}}", "{{(",
		"\"", "\\", "'", "  "}
	oddities = []string{"\x00", "\ufeff", "\u202e", "\xff\xfe", "\r", "\u2028", "*a", "!!binary ", "%YAML 9.9\n",
		"---\n", "<<: *a\n", "NaN", "\"\"\"", "{{template \"x\" .}}", "$(id)", "`", "\x1b]0;x\a"}
	numbers = []string{"1e400", "-9223372036854775809", "99999999999999999999", "0x7fffffffffffffff", "1e-400", "-1",
		"010", "2147483648", "1_000", "-0"}
)

const largest = 1 << 20

// Corrupt returns one of the valid files with one to four changes, the same ones for the same seed.
func Corrupt(seed int, valid []string) []byte {
	r := rand.New(rand.NewPCG(uint64(seed), 0))
	text := valid[r.IntN(len(valid))]
	place := func() int { return r.IntN(len(text) + 1) }
	part := func() (from, to int) {
		from = place()
		return from, from + r.IntN(min(len(text)-from, 200)+1)
	}
	for range 1 + r.IntN(4) {
		from, to := part()
		switch r.IntN(9) {
		case 0:
			text = text[:from]
		case 1: // other bytes
			b := []byte(text)
			for range min(len(b), 1+r.IntN(8)) {
				b[r.IntN(len(b))] = byte(r.Uint32())
			}
			text = string(b)
		case 2: // the same again, and again
			text = text[:to] + strings.Repeat(text[from:to], r.IntN(largest)/(to-from+1)) + text[to:]
		case 3: // nested
			opening := openings[r.IntN(len(openings))]
			text = text[:from] + strings.Repeat(opening, r.IntN(100_000)/len(opening)) + text[from:]
		case 4:
			text = text[:from] + oddities[r.IntN(len(oddities))] + text[to:]
		case 5: // another number
			if at := slices.IndexFunc([]byte(text[from:]), func(b byte) bool { return '0' <= b && b <= '9' }); at >= 0 {
				text = text[:from+at] + numbers[r.IntN(len(numbers))] + strings.TrimLeft(text[from+at:], "0123456789.")
			}
		case 6: // a line that does not end
			text = text[:from] + strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(largest)) + text[from:]
		case 7: // many lines, each another
			var b strings.Builder
			for i := range r.IntN(20_000) {
				fmt.Fprintf(&b, "%sk%d: %d\n", strings.Repeat(" ", r.IntN(4)), i, i)
			}
			text = text[:from] + b.String() + text[from:]
		case 8: // parts change places
			text = text[to:] + text[:from] + valid[r.IntN(len(valid))]
		}
		text = text[:min(len(text), 2*largest)]
	}
	return []byte(text)
}
