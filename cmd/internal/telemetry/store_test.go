package telemetry

import (
	"context"
	"testing"

	"roundtable/analysis/lake/store"
)

// TestCountedStoreCanDoTheSame: a store whose requests are counted links, lists and looks
// at its disk as before; without that no answer waits for room on a full disk.
func TestCountedStoreCanDoTheSame(t *testing.T) {
	local, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	s := New().Store(local)
	if disk, ok := store.As[interface {
		Free() (int64, error)
		Reserve(bytes int64) error
		Unreserve() error
	}](s); !ok {
		t.Error("it does not know its disk")
	} else if free, err := disk.Free(); err != nil || free <= 0 {
		t.Errorf("%d bytes free: %v", free, err)
	}
	if _, ok := store.As[store.Hasher](s); !ok {
		t.Error("it does not hash")
	}
	if _, ok := store.As[interface {
		Keys(context.Context, string) ([]string, error)
		Folders(context.Context, string) ([]string, error)
	}](s); !ok {
		t.Error("it does not list names")
	}
	linker, ok := store.As[store.Linker](s)
	if _, counted := linker.(linkingStore); !ok || !counted {
		t.Errorf("links go to %T", linker)
	}
}
