package embedded

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"go.temporal.io/server/common/log/tag"
)

// Loggers made from one another write their own tags and those before, and no others'.
func TestServerLogKeepsTags(t *testing.T) {
	var out bytes.Buffer
	l := newServerLog(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelError})))
	base := l.(serverLog).With(tag.NewInt("a", 1))
	first := base.(serverLog).With(tag.NewInt("b", 2))
	_ = base.(serverLog).With(tag.NewInt("c", 3))
	first.Warn("unsaid", tag.NewInt("d", 4))
	first.Error("said", tag.NewInt("e", 5))
	if got := out.String(); !strings.HasSuffix(got, "level=ERROR msg=said a=1 b=2 e=5\n") || strings.Contains(got, "unsaid") {
		t.Errorf("the log is %q", got)
	}
}
