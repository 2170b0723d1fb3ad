package bucket

import (
	"strings"
	"testing"
)

func TestParseS3(t *testing.T) {
	for at, want := range map[string]bool{"s3://bucket/a?path_style=true": true, "s3://bucket/a?path_style=false": false} {
		l, err := parseS3(at)
		if err != nil || l.pathStyle == nil || *l.pathStyle != want || l.bucket != "bucket" || l.prefix != "a/" {
			t.Errorf("%s: %+v, %v", at, l, err)
		}
	}
	for n, fits := range map[int]bool{maxPrefix: true, maxPrefix + 1: false} {
		if _, err := parseS3("s3://bucket/" + strings.Repeat("a", 99) + "/" + strings.Repeat("a", 99) + "/" + strings.Repeat("a", n-200)); (err == nil) != fits {
			t.Errorf("a prefix of %d bytes: %v", n, err)
		}
	}
	if l, err := parseS3("s3://bucket/a"); err != nil || l.pathStyle != nil {
		t.Errorf("%+v, %v", l, err)
	}
}
