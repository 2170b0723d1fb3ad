package cli

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
)

// What may not be written or read is told with what helps, however deep the system said so.
func TestExplainDenied(t *testing.T) {
	for err, helps := range map[error]bool{
		&fs.PathError{Op: "open", Path: "lake/x", Err: syscall.EACCES}: true,
		&fs.PathError{Op: "open", Path: "lake/x", Err: syscall.EROFS}:  true,
		&os.PathError{Op: "open", Path: "lake/x", Err: syscall.ENOENT}: false,
	} {
		if text := ExplainDenied(fmt.Errorf("lock: %w", err)).Error(); strings.Contains(text, "--lake") != helps || !strings.HasPrefix(text, "lock: open lake/x") {
			t.Errorf("%v: %s", err, text)
		}
	}
}
