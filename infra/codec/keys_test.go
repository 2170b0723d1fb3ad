package codec

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"
)

// Keys of each size; no two are alike.
var (
	aes128 = bytes.Repeat([]byte{0xa1}, 16)
	aes192 = bytes.Repeat([]byte{0xb2}, 24)
	aes256 = bytes.Repeat([]byte{0xfb}, 32) // in base64 with characters that the URL alphabet has not
)

func keys(t testing.TB, text string) Keys {
	t.Helper()
	k, err := ParseKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeysAreReadInEachForm(t *testing.T) {
	p := &commonpb.Payload{Data: []byte("said")}
	for _, key := range [][]byte{aes128, aes192, aes256} {
		sealed, err := keys(t, "k:"+hex.EncodeToString(key)).Encode([]*commonpb.Payload{p})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			strings.ToUpper(hex.EncodeToString(key)),
			base64.StdEncoding.EncodeToString(key), base64.RawStdEncoding.EncodeToString(key),
			base64.URLEncoding.EncodeToString(key), base64.RawURLEncoding.EncodeToString(key),
		} {
			back, err := keys(t, " k:"+text+"\n").Decode(sealed)
			if err != nil || !proto.Equal(back[0], p) {
				t.Errorf("the key of %d bytes as %q opens to %v, %v", len(key), text, back, err)
			}
		}
	}
	for _, none := range []string{"", " \n"} {
		if k := keys(t, none); k.first != "" || !k.AreEmpty() {
			t.Errorf("%q has a key %q", none, k.first)
		}
	}
	// printf '\241%.0s' $(seq 16) | sha256sum
	if k := keys(t, hex.EncodeToString(aes128)); k.first != "76d5e8fa" || k.AreEmpty() {
		t.Errorf("a key without an ID is called %q", k.first)
	}
}

// No error shows a part of a key, also where ID and key changed places.
func TestKeysThatAreNone(t *testing.T) {
	good := hex.EncodeToString(aes256)
	for text, says := range map[string]string{
		"c0ffee":                    "key 1: it has 3 bytes",
		good[:62]:                   "it has 31 bytes",
		good + "ab":                 "it has 33 bytes",
		"k1:" + good + ",k2:c0ffee": "key 2: it has",
		"c0ffee c0ffee!":            "neither hexadecimal nor base64",
		good + ":k1":                "key 1",
		good + ",":                  "key 2",
		"c0ffee ::" + good:          "key 1",
		":" + good:                  "its ID is not",
		"c0 ffee:" + good:           "its ID is not",
		"k:" + good + ",k:" + good:  "key 2: its ID is that of an earlier one",
		good + "," + good:           "key 2: its ID",
	} {
		_, err := ParseKeys(text)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), KeyEnv) {
			t.Errorf("%q: error %v, want one with %q", text, err, says)
			continue
		}
		if strings.Contains(err.Error(), "c0") || strings.Contains(err.Error(), good[:6]) {
			t.Errorf("the error shows what may be a key: %v", err)
		}
	}
}

func FuzzParseKeys(f *testing.F) {
	f.Add("k1:" + hex.EncodeToString(aes256) + "," + base64.StdEncoding.EncodeToString(aes128))
	f.Add(":,:")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := ParseKeys(text)
		if err == nil && k.first == "" && strings.TrimSpace(text) != "" {
			t.Errorf("%q is taken for no key", text)
		}
		if err != nil && (k.first != "" || k.ring != nil) {
			t.Errorf("%q is an error and a key", text)
		}
	})
}

func TestEncryptedPayloadsComeBack(t *testing.T) {
	dc := keys(t, "k1:"+hex.EncodeToString(aes256)).DataConverter()
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Repeat(rapid.String().Draw(r, "text"), rapid.IntRange(1, 200).Draw(r, "times"))
		p, err := dc.ToPayload(text)
		if err != nil {
			r.Fatal(err)
		}
		if string(p.Metadata[converter.MetadataEncoding]) != aesEncoding || string(p.Metadata[metadataKeyID]) != "k1" {
			r.Fatalf("metadata %v", p.Metadata)
		}
		if len(text) > 8 && bytes.Contains(p.Data, []byte(text)) {
			r.Fatal("the text is in the open")
		}
		var back string
		if err := dc.FromPayload(p, &back); err != nil || back != text {
			r.Fatalf("%q came back as %q, %v", text, back, err)
		}
	})
}

func TestEncryptionCompressesFirstAndNeverRepeats(t *testing.T) {
	dc := keys(t, hex.EncodeToString(aes256)).DataConverter()
	dull := strings.Repeat("long and dull ", 10_000)
	one, err := dc.ToPayload(dull)
	if err != nil {
		t.Fatal(err)
	}
	if len(one.Data) > len(dull)/10 {
		t.Errorf("%d bytes became %d", len(dull), len(one.Data))
	}
	two, err := dc.ToPayload(dull)
	if err != nil || bytes.Equal(one.Data, two.Data) {
		t.Errorf("the same text is encrypted to the same bytes twice, %v", err)
	}
}

// Each byte of data and metadata is authenticated.
func TestChangedPayloadsAreRefused(t *testing.T) {
	same := hex.EncodeToString(aes256) // under two IDs, so that only the binding tells them apart
	k := keys(t, "k1:"+same+",k2:"+same)
	sealed, err := k.Encode([]*commonpb.Payload{{Metadata: map[string][]byte{converter.MetadataEncoding: []byte("json/plain")}, Data: []byte(`"said"`)}})
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, change func(*commonpb.Payload)) {
		p := proto.CloneOf(sealed[0])
		change(p)
		if back, err := k.Decode([]*commonpb.Payload{p}); !errors.Is(err, errSealed) {
			t.Errorf("%s: %v, %v", what, back, err)
		}
	}
	for i := range sealed[0].Data {
		refused("a bit of the data", func(p *commonpb.Payload) { p.Data[i] ^= 1 << (i % 8) })
	}
	for _, n := range []int{0, 5, len(sealed[0].Data) - 1} {
		refused("a shorter one", func(p *commonpb.Payload) { p.Data = p.Data[:n] })
	}
	refused("another key's ID", func(p *commonpb.Payload) { p.Metadata[metadataKeyID] = []byte("k2") })
	refused("no ID", func(p *commonpb.Payload) { delete(p.Metadata, metadataKeyID) })
	if back, err := k.Decode(sealed); err != nil || string(back[0].Data) != `"said"` {
		t.Errorf("the unchanged one: %v, %v", back, err)
	}
}

func TestKeysAreRotated(t *testing.T) {
	old, new := "k1:"+hex.EncodeToString(aes128), "k2:"+hex.EncodeToString(aes256)
	write := func(keys Keys) *commonpb.Payload {
		p, err := keys.DataConverter().ToPayload("said")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	plain, before, after := write(Keys{}), write(keys(t, old)), write(keys(t, new+","+old))
	if id := string(after.Metadata[metadataKeyID]); id != "k2" {
		t.Errorf("the new key does not encrypt, but %q", id)
	}
	const missing = `this campaign's histories are encrypted with key "k2", which ROUNDTABLE_CODEC_KEY does not hold`
	for _, c := range []struct {
		keys    string
		payload *commonpb.Payload
		says    string
	}{
		{new + "," + old, plain, ""}, {new + "," + old, before, ""}, {new + "," + old, after, ""},
		{new, after, ""}, {old, before, ""}, {old, plain, ""}, {"", plain, ""},
		{old, after, missing}, {"", after, missing},
		{"k2:" + hex.EncodeToString(aes192), after, `another key "k2" than the one in ROUNDTABLE_CODEC_KEY`},
	} {
		var back string
		err := keys(t, c.keys).DataConverter().FromPayload(c.payload, &back)
		switch {
		case c.says == "" && (err != nil || back != "said"):
			t.Errorf("with %q it came back as %q, %v", c.keys, back, err)
		case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("with %q: error %v, want %q", c.keys, err, c.says)
		}
	}
}

// A command says in words why its key is not that of the campaign's worker.
func TestMatch(t *testing.T) {
	old, new := "k1:"+hex.EncodeToString(aes128), "k2:"+hex.EncodeToString(aes256)
	for _, c := range []struct{ worker, command, says string }{
		{"", "", ""}, {new, new, ""}, {new + "," + old, new, ""}, {new, "", ""}, // what is without keys is not asked
		{"", new, "the campaign's worker has no key in ROUNDTABLE_CODEC_KEY, this command has"},
		{old, new + "," + old, `the campaign's worker encrypts with key "k1", this command with "k2"`},
		{old, new, `encrypted with key "k1", which ROUNDTABLE_CODEC_KEY does not hold`},
	} {
		p, err := keys(t, c.worker).DataConverter().ToPayload("said")
		if err != nil {
			t.Fatal(err)
		}
		if err := keys(t, c.command).Match(p); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q and %q: %v", c.worker, c.command, err)
		}
	}
}

func TestFailuresAreEncrypted(t *testing.T) {
	const secret = "canary-7f3a"
	k := keys(t, "k2:"+hex.EncodeToString(aes256))
	cause := temporal.NewApplicationError(secret, "Kind", secret)
	failure := k.FailureConverter().ErrorToFailure(temporal.NewApplicationErrorWithCause(secret, "Kind", cause, secret))
	wire, err := proto.Marshal(failure)
	if err != nil || bytes.Contains(wire, []byte(secret)) {
		t.Errorf("the failure shows its text, %v", err)
	}
	wire2, err := proto.Marshal(Keys{}.FailureConverter().ErrorToFailure(cause))
	if err != nil || !bytes.Contains(wire2, []byte(secret)) {
		t.Errorf("without a key this test sees nothing: %v", err)
	}
	if err := (Keys{}).FailureConverter().FailureToError(proto.CloneOf(failure)); strings.Count(err.Error(), `encrypted with key "k2"`) != 2 {
		t.Errorf("without the key it says %v", err)
	}
	if err := k.FailureConverter().FailureToError(failure); strings.Count(err.Error(), secret) != 2 {
		t.Errorf("came back as %v", err)
	}
}

func BenchmarkEncrypt(b *testing.B) {
	for name, k := range map[string]Keys{"plain": {}, "aes256": keys(b, hex.EncodeToString(aes256))} {
		dc := k.DataConverter()
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				var back string
				p, err := dc.ToPayload("the size of one turn's input or result: some hundred bytes " + strings.Repeat("x", 400))
				if err == nil {
					err = dc.FromPayload(p, &back)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
