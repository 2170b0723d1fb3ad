package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"roundtable/cmd/internal/screentest"
)

// TestFullDisk fills a disk in mid-run, to its last byte or its last inode: what is paid
// is kept, nothing more is bought, status says why, and the run goes on by itself once
// there is room.
func TestFullDisk(t *testing.T) {
	for _, x := range []struct {
		name, disk string
		fill       func(t *testing.T, dir string)
	}{
		{"bytes", "size=400m", fillBytes},
		{"inodes", "size=400m,nr_inodes=8000", fillInodes},
	} {
		t.Run(x.name, func(t *testing.T) {
			if x.name == "inodes" && !*long {
				t.Skip("-long")
			}
			t.Parallel()
			checkFullDisk(t, x.disk, x.fill)
		})
	}
}

func checkFullDisk(t *testing.T, options string, fill func(t *testing.T, dir string)) {
	t.Helper()
	service, disk, quiet := newShop(t), t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, options); err != nil {
		t.Skipf("a small disk needs root: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	for _, dir := range []string{disk, quiet} {
		save(t, dir, "kills.yaml", killedCampaign)
	}
	ends(t, 0, quiet, service.at(), "run", "kills.yaml")
	sold, _ := service.vendor.books()
	from := len(service.arrivals())
	service.latency = 200 * time.Millisecond

	b := starts(t, disk, service.at(), "run", "kills.yaml")
	screentest.Until(t, "a dozen calls", func() bool { return b.over() || len(service.arrivals()) > from+12 })
	filler := filepath.Join(disk, "filler")
	noError(t, os.Mkdir(filler, 0o700))
	fill(t, filler)
	filled := time.Now()
	screentest.Until(t, "the reason in status", func() bool {
		return b.over() || strings.Contains(command(t, disk, nil, "status", "kills").out, "before another answer is bought")
	})
	t.Logf("status says it after %v", time.Since(filled).Round(time.Millisecond))
	time.Sleep(3 * time.Second)
	if b.over() {
		t.Fatalf("it has ended\n%s", &b.said)
	}
	for _, a := range service.arrivals() {
		if late := a.at.Sub(filled); late > time.Second {
			t.Errorf("a call began %v after the disk was full", late)
		}
	}

	noError(t, os.RemoveAll(filler))
	if code := b.code(t); code != 0 {
		t.Fatalf("it ends with code %d\n%s", code, &b.said)
	}
	if got, want := digestBy(t, disk, "kills"), digestBy(t, quiet, "kills"); got != want {
		t.Errorf("digest %s, on a disk with room %s", got, want)
	}
	if both, _ := service.vendor.books(); both.nanoUSD != 2*sold.nanoUSD {
		t.Errorf("the service billed %d nano-dollars, %d for the same with room", both.nanoUSD-sold.nanoUSD, sold.nanoUSD)
	}
}

// fillBytes writes a file until nothing more can be written.
func fillBytes(t *testing.T, dir string) {
	t.Helper()
	f, err := os.Create(filepath.Join(dir, "0"))
	noError(t, err)
	defer f.Close()
	for chunk := make([]byte, 1<<20); len(chunk) > 0; {
		if _, err := f.Write(chunk); err != nil {
			chunk = chunk[:len(chunk)/2]
		}
	}
}

// fillInodes makes files until no other can be made.
func fillInodes(_ *testing.T, dir string) {
	for i := 0; ; i++ {
		if os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600) != nil {
			return
		}
	}
}
