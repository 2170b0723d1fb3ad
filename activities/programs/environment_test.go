package programs

import (
	"slices"
	"testing"
)

func TestProgramsGetNoKeys(t *testing.T) {
	got := withoutSecrets([]string{
		"PATH=/bin", "OPENAI_API_KEY=sk-1", "AWS_PROFILE=me", "AWS_SESSION_TOKEN=x", "HF_TOKEN=x", "db_password=x", "HOME=/root", "MONKEY=1", "ROUNDTABLE_PROGRAMS=*",
	})
	if want := []string{"PATH=/bin", "HOME=/root", "MONKEY=1", "ROUNDTABLE_PROGRAMS=*"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
