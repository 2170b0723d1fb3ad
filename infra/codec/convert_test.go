package codec

import (
	"encoding/hex"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
)

func TestPayloadsComeBack(t *testing.T) {
	dc := Keys{}.DataConverter()
	for _, text := range []string{"", "short", strings.Repeat("long and dull ", 10_000)} {
		p, err := dc.ToPayload(text)
		if err != nil {
			t.Fatal(err)
		}
		packed := string(p.Metadata[converter.MetadataEncoding]) == zstdEncoding
		if want := len(text) > zstdFrom; packed != want || packed && len(p.Data) > len(text)/10 {
			t.Errorf("%d bytes: compressed %t to %d", len(text), packed, len(p.Data))
		}
		var back string
		if err := dc.FromPayload(p, &back); err != nil || back != text {
			t.Errorf("%d bytes came back as %d, %v", len(text), len(back), err)
		}
	}
}

func TestPayloadsThatAreNone(t *testing.T) {
	enc, err := encoder()
	if err != nil {
		t.Fatal(err)
	}
	bomb := enc.EncodeAll(make([]byte, zstdMost+1), nil)
	for name, data := range map[string][]byte{"noise": []byte("noise"), "bomb": bomb} {
		var back string
		p := &commonpb.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte(zstdEncoding)}, Data: data}
		if err := (Keys{}).DataConverter().FromPayload(p, &back); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

// Without a key nothing is hidden, so Temporal's tools can show failures.
func TestFailuresAreReadableWithoutAKey(t *testing.T) {
	if failure := (Keys{}).FailureConverter().ErrorToFailure(temporal.NewApplicationError("no such model", "Kind")); failure.GetMessage() != "no such model" {
		t.Errorf("message is %q", failure.GetMessage())
	}
}

func TestFailuresAreEncoded(t *testing.T) {
	fc := keys(t, hex.EncodeToString(aes256)).FailureConverter()
	const secret = "canary-7f3a"
	failure := fc.ErrorToFailure(temporal.NewApplicationError(secret, "Kind"))
	if failure.GetMessage() == secret || failure.GetEncodedAttributes() == nil {
		t.Errorf("message in the open: %q", failure.GetMessage())
	}
	if err := fc.FailureToError(failure); !strings.Contains(err.Error(), secret) {
		t.Errorf("came back as %v", err)
	}
}
