package cli

import (
	"io"
	"os"

	"github.com/mattn/go-isatty"
)

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	if c, ok := stream.(*Counter); ok {
		stream = c.Writer
	}
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// Counter counts what is written.
type Counter struct {
	io.Writer
	N int64
}

// Write implements io.Writer.
func (c *Counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.N += int64(n)
	return n, err
}
