package scripted

import (
	"bytes"
	"flag"
	"testing"

	"roundtable/envs/hostiletest"
)

var long = flag.Bool("long", false, "run the long tests as well")

// Recorded answers that a stranger could have made of valid ones take neither memory nor time.
func TestHostile(t *testing.T) {
	n := 20
	if *long {
		n = 1000
	}
	valid := "{\"collaboration\":\"a\",\"entry\":0,\"text\":\"x\"}\n{\"condition\":\"c\",\"instance\":0,\"replicate\":1,\"entry\":2,\"ask\":1,\"base64\":\"//8=\"}\n"
	hostiletest.ReadFiles(t, n, []string{valid}, func(data []byte) { _, _ = ReadRecording(bytes.NewReader(data)) })
}
