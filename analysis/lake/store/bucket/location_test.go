package bucket

import "testing"

func TestParseS3(t *testing.T) {
	for at, want := range map[string]bool{"s3://bucket/a?path_style=true": true, "s3://bucket/a?path_style=false": false} {
		l, err := parseS3(at)
		if err != nil || l.pathStyle == nil || *l.pathStyle != want || l.bucket != "bucket" || l.prefix != "a/" {
			t.Errorf("%s: %+v, %v", at, l, err)
		}
	}
	if l, err := parseS3("s3://bucket/a"); err != nil || l.pathStyle != nil {
		t.Errorf("%+v, %v", l, err)
	}
}
