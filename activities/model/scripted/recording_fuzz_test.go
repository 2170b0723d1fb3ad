package scripted

import (
	"bytes"
	"strings"
	"testing"
)

// A file of recorded answers is read, or refused with the line that is wrong.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"collaboration":"a","entry":0,"text":"x"}`, `{"condition":"c","instance":0,"replicate":1,"entry":2,"ask":1,"base64":"//8="}`,
		"{\"collaboration\":\"a\",\"entry\":0,\"text\":\"x\"}\n\n{\"collaboration\":\"a\",\"entry\":0,\"text\":\"y\"}", `{"entry":-1}`, `{"entry":0,"text":null,"more":1}`, "[", "\xff",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ReadRecording(bytes.NewReader(data))
		if err != nil {
			if !strings.Contains(err.Error(), "line ") {
				t.Errorf("%q does not say where", err)
			}
			return
		}
		if lines := bytes.Count(data, []byte("\n")) + 1; len(file.answers) > lines {
			t.Errorf("%d answers in %d lines", len(file.answers), lines)
		}
	})
}
