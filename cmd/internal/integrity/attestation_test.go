package integrity

import (
	"bytes"
	"cmp"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/store/storetest"
)

func madeKey(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
}

var held = map[string]string{
	"answers/campaign=c/r-1-i0-r0.0/000001.0.json":      "answer",
	"answers/campaign=other/r-1-i0-r0.0/1.json":         "another campaign's",
	"budget/campaign=c/000001.json":                     "log",
	"cache/ab/abcd.json":                                "shared",
	"embeddings/e/1.json":                               "shared",
	"lake/_campaigns/c/README.md":                       "",
	"lake/_campaigns/c/lock":                            "4711",
	"lake/_campaigns/c/plans/1.json":                    "plan",
	"lake/_campaigns/cc/plans/1.json":                   "another campaign's",
	"lake/_manifests/campaign=c/batch-000001.json":      "manifest",
	"lake/turns/campaign=c/condition=k/part-1.parquet":  "part",
	"raw/_commits/campaign=c/r-1-i0-r0.0.json":          "marker",
	"raw/_commits/campaign=cc/r-1-i0-r0.0.json":         "another campaign's",
	"raw/_commits/labels/campaign=c/l/r-1-i0-r0.0.json": "marker",
	"raw/turns/campaign=c/condition=k/r.0.parquet":      "rows",
	"raw/votes/campaign=c/condition=k/later.0.parquet":  "of a table that this version does not know",
}

func stated(t testing.TB) Statement {
	t.Helper()
	s, err := NewStatement(t.Context(), storetest.NewMemory(held), "c", strings.Repeat("0a", 32))
	if err != nil {
		t.Fatal(err)
	}
	s.Program = "v1"
	return s
}

func written(t testing.TB, s Statement, key ed25519.PrivateKey) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := s.Write(&b, key); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestStatement: all that is the campaign's, and nothing else, in the order of keys.
func TestStatement(t *testing.T) {
	s := stated(t)
	var keys []string
	for _, o := range s.Objects {
		keys = append(keys, o.Key)
		if o.Size != int64(len(held[o.Key])) {
			t.Errorf("%s has %d bytes, not %d", o.Key, len(held[o.Key]), o.Size)
		}
	}
	if len(keys) != 10 || !slices.IsSorted(keys) || slices.ContainsFunc(keys, func(k string) bool {
		return strings.Contains(k, "other") || strings.Contains(k, "cc/") || strings.HasSuffix(k, "lock") || strings.HasPrefix(k, "cache") || strings.HasPrefix(k, "emb")
	}) {
		t.Errorf("%d objects: %q", len(keys), keys)
	}
	a, err := ParseAttestation(written(t, s, madeKey(1)))
	if err != nil || !a.isSignedBy(madeKey(1).Public().(ed25519.PublicKey)) || a.isSignedBy(madeKey(2).Public().(ed25519.PublicKey)) {
		t.Errorf("it is not what was written: %v", err)
	}
	if !bytes.Equal(written(t, s, madeKey(1)), written(t, stated(t), madeKey(1))) {
		t.Error("the same store has two attestations")
	}
}

// TestCompare: each object that is changed, also without its length, or is deleted is told.
func TestCompare(t *testing.T) {
	s := stated(t)
	compare := func(change func(objects map[string]string)) Comparison {
		t.Helper()
		objects := maps.Clone(held)
		change(objects)
		c, err := compareAttested(t.Context(), storetest.NewMemory(objects), s.Digest, Expected{Attestation: Attestation{Statement: s}, File: "f"})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := compare(func(map[string]string) {}); c.Errors() != 0 || c.Same != len(s.Objects) {
		t.Errorf("nothing was changed: %+v", c)
	}
	for _, o := range s.Objects {
		c := compare(func(objects map[string]string) { objects[o.Key] += "x" })
		if !slices.Equal(c.Changed, []string{o.Key}) || c.Errors() != 1 || c.Same != len(s.Objects)-1 {
			t.Errorf("%s is longer: %+v", o.Key, c)
		}
		if o.Size > 0 {
			c = compare(func(objects map[string]string) { objects[o.Key] = "X" + objects[o.Key][1:] })
			if !slices.Equal(c.Changed, []string{o.Key}) {
				t.Errorf("%s is another: %+v", o.Key, c)
			}
		}
		c = compare(func(objects map[string]string) { delete(objects, o.Key) })
		if !slices.Equal(append(c.Missing, c.Deleted...), []string{o.Key}) {
			t.Errorf("%s is deleted: %+v", o.Key, c)
		}
	}
	for _, key := range []string{"cache/cd/cdef.json", "answers/campaign=other/x.json", "lake/_campaigns/c/lock"} {
		if c := compare(func(objects map[string]string) { objects[key] = "new" }); c.Errors() != 0 || len(c.AddedUnused)+len(c.AddedVisible) > 0 {
			t.Errorf("%s is not the campaign's: %+v", key, c)
		}
	}
}

// Whose signature it is, and of what, is told and held to the key that is expected.
func TestSignatures(t *testing.T) {
	mine, theirs := madeKey(1), madeKey(2)
	public := func(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }
	for name, x := range map[string]struct {
		signed    ed25519.PrivateKey
		expected  ed25519.PublicKey
		isChanged bool
		digest    string
		finds     string // of what is wrong; "" if nothing is
		says      string
	}{
		"by nobody":            {nil, nil, false, "", "", "Signed: no; anyone who"},
		"by nobody, of a key":  {nil, public(mine), false, "", "it is not signed; expected a signature by key " + Fingerprint(public(mine)), ""},
		"by anybody":           {mine, nil, false, "", "", "which nobody has vouched for"},
		"by the key":           {mine, public(mine), false, "", "", "the one of --public-key"},
		"by another":           {theirs, public(mine), false, "", "it is signed by key " + Fingerprint(public(theirs)), ""},
		"changed after it":     {mine, public(mine), true, "", "its signature is not of this content", ""},
		"of another's changed": {mine, nil, true, "", "its signature is not of this content", ""},
		"of other rows":        {mine, public(mine), false, "ff", "it attests rows of digest 0a", ""},
	} {
		s := stated(t)
		a, err := ParseAttestation(written(t, s, x.signed))
		if err != nil {
			t.Fatal(err)
		}
		if x.isChanged {
			a.payload = append(slices.Clone(a.payload), ' ')
		}
		objects := maps.Clone(held)
		delete(objects, "raw/turns/campaign=c/condition=k/r.0.parquet")
		c, err := compareAttested(t.Context(), storetest.NewMemory(objects), cmp.Or(x.digest, s.Digest), Expected{Attestation: a, File: "f", Key: x.expected})
		if err != nil {
			t.Fatal(err)
		}
		var summary, wrong strings.Builder
		c.WriteSummary(&summary)
		c.WriteErrors(&wrong)
		trusted := x.expected != nil && (x.finds == "" || x.digest != "")
		if c.Trusted != trusted || x.finds != "" && !strings.HasPrefix(wrong.String(), "WRONG  f: "+x.finds) || (wrong.Len() > 0) != (x.finds != "") || !strings.Contains(summary.String(), x.says) {
			t.Errorf("%s: trusted is %t; %q, want %q; it says\n%s", name, c.Trusted, wrong.String(), x.finds, summary.String())
		}
		if !strings.Contains(summary.String(), "Deleted since: 1 raw file, an error only where") {
			t.Errorf("%s: a file that is gone is not told:\n%s", name, summary.String())
		}
	}
}

// TestPreAuthentication: the example of DSSE's specification.
func TestPreAuthentication(t *testing.T) {
	if got := string(preAuthentication("http://example.com/HelloWorld", []byte("hello world"))); got != "DSSEv1 29 http://example.com/HelloWorld 11 hello world" {
		t.Error(got)
	}
}

// TestParseRefuses files that could be read in two ways, or are of something else.
func TestParseRefuses(t *testing.T) {
	good := stated(t)
	payload, err := good.encode()
	if err != nil {
		t.Fatal(err)
	}
	file := func(payload string) []byte {
		return []byte(`{"payloadType":"` + payloadType + `","payload":"` + base64.StdEncoding.EncodeToString([]byte(payload)) + `","signatures":[]}`)
	}
	change := func(from, to string) []byte { return file(strings.Replace(string(payload), from, to, 1)) }
	if _, err := ParseAttestation(file(string(payload))); err != nil {
		t.Fatal(err)
	}
	signed := written(t, good, madeKey(1))
	for says, data := range map[string][]byte{
		"which `roundtable attest` writes":      []byte("\x00\x01"),
		`payloadType is ""`:                     []byte("{}"),
		"has format 2; this program reads":      change(`"format":1`, `"format":2`),
		"not written as `roundtable attest`":    change(`"format":1`, `"format":1,"Format":1`),
		"as `roundtable attest` writes it":      change(`"campaign":"c"`, `"campaign":"x","campaign":"c"`),
		"names no campaign":                     change(`"campaign":"c"`, `"campaign":""`),
		"after top-level value":                 append(file(string(payload)), '{'),
		"the digest":                            change(good.Digest, "0A"+good.Digest[2:]),
		"the SHA-256 of object":                 change(good.Objects[0].SHA256, "12"),
		"objects are sorted by key, each once":  change(good.Objects[1].Key, good.Objects[0].Key),
		"has -1 bytes":                          change(`"size":6`, `"size":-1`),
		"its signature has 3 bytes":             withSignature(t, signed, func(s *signature) { s.Sig = []byte("abc") }),
		"its public key":                        withSignature(t, signed, func(s *signature) { s.PublicKey = nil }),
		"it is not an Ed25519 key but an ECDSA": withSignature(t, signed, func(s *signature) { s.PublicKey = publicDER(t, ecdsaKey(t).Public()) }),
		"has 2 signatures":                      bytes.Replace(file(string(payload)), []byte("[]"), []byte("[{},{}]"), 1),
	} {
		if _, err := ParseAttestation(data); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("the error should say %q: %v", says, err)
		}
	}
}

func withSignature(t *testing.T, file []byte, change func(*signature)) []byte {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(file, &e); err != nil {
		t.Fatal(err)
	}
	change(&e.Signatures[0])
	data, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func ecdsaKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func publicDER(t *testing.T, key any) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

func privatePEM(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return asPEM("PRIVATE KEY", der)
}

func asPEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// TestKeys: a key of another kind is refused with what it is and what is accepted.
func TestKeys(t *testing.T) {
	key := madeKey(1)
	if read, err := ParsePrivateKey([]byte(privatePEM(t, key))); err != nil || !read.Equal(key) {
		t.Error(err)
	}
	if read, err := ParsePublicKey([]byte(PublicPEM(key.Public().(ed25519.PublicKey)))); err != nil || !read.Equal(key.Public()) {
		t.Error(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	agreement, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for says, file := range map[string]string{
		"not PEM":           "secret",
		"a public key":      PublicPEM(key.Public().(ed25519.PublicKey)),
		"an RSA key":        privatePEM(t, rsaKey),
		"an ECDSA key":      privatePEM(t, ecdsaKey(t)),
		"cannot sign":       privatePEM(t, agreement),
		"it is encrypted":   asPEM("ENCRYPTED PRIVATE KEY", []byte("secret")),
		"OpenSSH":           asPEM("OPENSSH PRIVATE KEY", []byte("secret")),
		"it is a private":   asPEM("EC PRIVATE KEY", []byte("secret")),
		"damaged":           asPEM("PRIVATE KEY", []byte("secret")),
		`PEM of "CERTIFICA`: asPEM("CERTIFICATE", []byte("secret")),
	} {
		_, err := ParsePrivateKey([]byte(file))
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), wantsPrivate) || strings.Contains(err.Error(), "secret") {
			t.Errorf("the error should say %q: %v", says, err)
		}
	}
	for says, file := range map[string]string{
		"not PEM":           "secret",
		"it is a private":   privatePEM(t, key),
		"an RSA key":        asPEM("PUBLIC KEY", publicDER(t, rsaKey.Public())),
		"damaged":           asPEM("PUBLIC KEY", []byte("secret")),
		`PEM of "CERTIFICA`: asPEM("CERTIFICATE", []byte("secret")),
	} {
		_, err := ParsePublicKey([]byte(file))
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), wantsPublic) {
			t.Errorf("the error should say %q: %v", says, err)
		}
	}
}

// FuzzParse: no file ends the program, and none but what a key signed passes for it.
func FuzzParse(f *testing.F) {
	s := stated(f)
	signed := written(f, s, madeKey(1))
	payload, err := s.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(signed)
	f.Add(written(f, s, nil))
	f.Add(bytes.Replace(signed, []byte(`"signatures"`), []byte(`"Payload": "e30=", "signatures"`), 1))
	for _, text := range []string{"", "{}", "null", "[]", `{"payloadType":"` + payloadType + `","payload":"e30=","signatures":null}`} {
		f.Add([]byte(text))
	}
	public := madeKey(1).Public().(ed25519.PublicKey)
	f.Fuzz(func(t *testing.T, data []byte) {
		if a, err := ParseAttestation(data); err == nil && a.isSignedBy(public) && !bytes.Equal(a.payload, payload) {
			t.Errorf("it passes for signed: %q", a.payload)
		}
	})
}

// FuzzStatement: a statement that is accepted is written as it was read, and each
// of its objects is compared with the lake.
func FuzzStatement(f *testing.F) {
	payload, err := stated(f).encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(payload)
	f.Add([]byte(`{"format":1,"campaign":"c","program":"","digest":"` + strings.Repeat("0a", 32) + `","objects":[]}` + "\n"))
	f.Add([]byte(`{"format":1,"Format":2}`))
	store := storetest.NewMemory(held)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseStatement(data)
		if err != nil {
			return
		}
		if again, err := s.encode(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("it is written as %q: %v", again, err)
		}
		c, err := compareAttested(t.Context(), store, s.Digest, Expected{Attestation: Attestation{Statement: s}, File: "f"})
		if err != nil {
			t.Fatal(err)
		}
		if c.Same+len(c.Changed)+len(c.Missing)+len(c.Deleted) != len(s.Objects) {
			t.Errorf("of %d objects %+v", len(s.Objects), c)
		}
		c.WriteSummary(io.Discard)
		c.WriteErrors(io.Discard)
	})
}
