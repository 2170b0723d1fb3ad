package main

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/bucket"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/integrity"
)

const attestedCampaign = `name: vouched
replicates: 2
env: {name: exchange, agents: 2}
protocol: {name: roundtable, rounds: 1}
model: scripted/trader
labels: {model: scripted/labeller}
grid: {rule: [majority, unanimous]}
`

// attestedLake is a folder with a lake, attested by a key in signed.json and by nobody
// in plain.json.
func attestedLake(t *testing.T) (dir string) {
	t.Helper()
	return copyOf(t, "attested", func(t *testing.T, dir string) {
		save(t, dir, "campaign.yaml", attestedCampaign)
		ends(t, 0, dir, nil, "run", "campaign.yaml")
		if n := len(labelsOf(t, dir, "vouched")); n != 4 {
			t.Errorf("%d collaborations have labels, want all 4", n)
		}
		ends(t, 0, dir, nil, "features", "vouched")
		makeKeys(t, dir, "key")
		ends(t, 0, dir, nil, "attest", "vouched", "-o", "plain.json")
		d := ends(t, 0, dir, nil, "attest", "vouched", "--key", "key.pem", "-o", "signed.json")
		public, err := os.ReadFile(filepath.Join(dir, "key.pub.pem"))
		noError(t, err)
		contains(t, d.out, "Signed: by key ", string(public))
	})
}

// makeKeys writes a pair of keys as the documentation says.
func makeKeys(t *testing.T, dir, name string) {
	t.Helper()
	for _, args := range [][]string{
		{"genpkey", "-algorithm", "ed25519", "-out", name + ".pem"},
		{"pkey", "-in", name + ".pem", "-pubout", "-out", name + ".pub.pem"},
	} {
		cmd := exec.Command("openssl", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("openssl %v: %v\n%s", args, err, out)
		}
	}
}

// lakeFiles returns the files of a folder's lake that are the campaign's, by key.
func lakeFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	lake := os.DirFS(filepath.Join(dir, "lake"))
	err := fs.WalkDir(lake, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || harmless(path) || strings.HasPrefix(path, "cache/") || strings.HasPrefix(path, "embeddings/") {
			return err
		}
		data, err := fs.ReadFile(lake, path)
		files[path] = string(data)
		return err
	})
	noError(t, err)
	return files
}

// keyOf returns a key of the lake below a folder.
func keyOf(t *testing.T, files map[string]string, folder string) string {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(files)) {
		if strings.HasPrefix(key, folder) {
			return key
		}
	}
	t.Fatalf("there is nothing below %s", folder)
	return ""
}

// TestAttest: the file names everything that the campaign has stored, is the same
// each time, and never replaces another unasked.
func TestAttest(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := attestedLake(t)
	a, err := integrity.ReadAttestation(filepath.Join(dir, "plain.json"))
	noError(t, err)
	files := lakeFiles(t, dir)
	for _, o := range a.Objects {
		if int64(len(files[o.Key])) != o.Size {
			t.Errorf("%s has %d bytes, the attestation says %d", o.Key, len(files[o.Key]), o.Size)
		}
		delete(files, o.Key)
	}
	if len(files) > 0 || len(a.Objects) < 30 {
		t.Errorf("of %d and more files, not attested are %q", len(a.Objects), slices.Sorted(maps.Keys(files)))
	}
	ends(t, 0, dir, nil, "run", "campaign.yaml") // nothing is left to do, so nothing changes
	ends(t, 0, dir, nil, "analyze", "vouched", "--table", "all")
	contains(t, ends(t, 2, dir, nil, "attest", "vouched", "-o", "signed.json").err, "signed.json exists; --force replaces it")
	ends(t, 0, dir, nil, "attest", "vouched", "--key", "key.pem", "-o", "again.json")
	if one, two := readText(t, dir, "signed.json"), readText(t, dir, "again.json"); one != two {
		t.Error("the same lake has two attestations")
	}
	var said struct {
		File    string
		Objects int
	}
	if err := json.Unmarshal([]byte(ends(t, 0, dir, nil, "attest", "vouched", "--json").out), &said); err != nil || said.File != "vouched.attestation.json" || said.Objects != len(a.Objects) {
		t.Errorf("%v: %+v", err, said)
	}
}

func readText(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	noError(t, err)
	return string(data)
}

// TestVerifyAttested: what became of a lake since, told by its copy in another folder.
func TestVerifyAttested(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	from, dir := attestedLake(t), t.TempDir()
	noError(t, os.CopyFS(dir, os.DirFS(from)))
	verify := func(code int, says ...string) {
		t.Helper()
		d := ends(t, code, dir, nil, "verify", "vouched", "--attest", "signed.json", "--public-key", "key.pub.pem")
		contains(t, d.out, says...)
	}
	verify(0, "the one of --public-key", "Nothing is wrong.")
	contains(t, ends(t, 0, dir, nil, "verify", "vouched", "--attest", "signed.json").out, "which nobody has vouched for", "Nothing is wrong.")
	contains(t, ends(t, 0, dir, nil, "verify", "vouched", "--attest", "plain.json").out, "Signed: no", "Nothing is wrong.")

	files := lakeFiles(t, dir)
	path := func(key string) string { return filepath.Join(dir, "lake", filepath.FromSlash(key)) }
	put := func(key, data string) {
		t.Helper()
		noError(t, os.MkdirAll(filepath.Dir(path(key)), 0o700))
		noError(t, os.WriteFile(path(key), []byte(data), 0o600))
	}
	for _, folder := range []string{"answers/", "budget/", "lake/_campaigns/", "lake/_manifests/", "lake/turns/", "raw/_commits/campaign", "raw/_commits/features", "raw/calls/"} {
		if folder == "budget/" && !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(k string) bool { return strings.HasPrefix(k, folder) }) {
			continue // nothing is limited
		}
		key := keyOf(t, files, folder)
		put(key, "\x00"+files[key][1:])
		verify(1, "WRONG  "+key+": it is not as it was attested")
		noError(t, os.Remove(path(key)))
		if folder == "raw/calls/" { // which may be deleted: a part holds the rows
			verify(0, "Deleted since: 1 raw file")
		} else {
			verify(1, "WRONG  "+key+": it was attested and is missing")
		}
		put(key, files[key])
	}
	put("lake/_campaigns/vouched/notes.json", "{}")
	verify(1, "WRONG  lake/_campaigns/vouched/notes.json: it was stored after the attestation", "attest it again")
	noError(t, os.Remove(path("lake/_campaigns/vouched/notes.json")))
	for i := range 12 {
		put("raw/turns/campaign=vouched/condition=x/stray-"+string(rune('a'+i))+".0.parquet", "rows that no marker names")
	}
	put("raw/turns/campaign=vouched/condition=x/Thumbs.db", "no rows")
	verify(0, "Added since: 12 objects that no table rests on", "ADDED  raw/turns/campaign=vouched/condition=x/stray-j.0.parquet", "ADDED  and 2 objects more",
		"Not of this program, passed over: raw/turns/campaign=vouched/condition=x/Thumbs.db")
	verify(0, "Nothing is wrong.")
	for i := range 12 {
		put("raw/turns/campaign=vouched/condition=x/copy ("+string(rune('a'+i))+").parquet", "no rows")
	}
	verify(0, "passed over: raw/turns/campaign=vouched/condition=x/Thumbs.db", "passed over: and 3 more (--json lists all)")
}

// TestVerifyForged: an attestation that somebody else has written or changed.
func TestVerifyForged(t *testing.T) {
	t.Parallel()
	dir := attestedLake(t)
	makeKeys(t, dir, "other")
	refused := func(file, key, says string) {
		t.Helper()
		d := ends(t, 1, dir, nil, "verify", "vouched", "--attest", file, "--public-key", key)
		contains(t, d.out, "WRONG  "+file+": "+says)
		contains(t, d.err, "1 thing is wrong with campaign vouched")
	}
	refused("signed.json", "other.pub.pem", "it is signed by key ")
	refused("plain.json", "key.pub.pem", "it is not signed")
	forged := strings.Replace(readText(t, dir, "signed.json"), payloadOf(t, readText(t, dir, "signed.json")), forge(t, dir), 1)
	save(t, dir, "forged.json", forged)
	for _, flags := range [][]string{nil, {"--public-key", "key.pub.pem"}} {
		d := ends(t, 1, dir, nil, append([]string{"verify", "vouched", "--attest", "forged.json"}, flags...)...)
		contains(t, d.out, "WRONG  forged.json: its signature is not of this content", ": it is not as it was attested")
		contains(t, d.err, "2 things are wrong")
	}
	v := document(t, ends(t, 1, dir, nil, "verify", "vouched", "--attest", "forged.json", "--json").out)["attested"].(map[string]any)
	if v["signed"] != true || v["valid"] != false || v["trusted"] != false || len(v["changed"].([]any)) != 1 {
		t.Errorf("%v", v)
	}
}

// payloadOf returns the payload of an attestation as it stands there.
func payloadOf(t *testing.T, file string) string {
	t.Helper()
	return document(t, file)["payload"].(string)
}

// forge returns the payload of an attestation with another hash.
func forge(t *testing.T, dir string) string {
	t.Helper()
	a, err := integrity.ReadAttestation(filepath.Join(dir, "plain.json"))
	noError(t, err)
	a.Objects[3].SHA256 = strings.Repeat("ab", 32)
	var b strings.Builder
	noError(t, a.Statement.Write(&b, nil))
	return payloadOf(t, b.String())
}

// TestAttestRefusals: what cannot be read ends the command before it looks at the lake.
func TestAttestRefusals(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := attestedLake(t)
	save(t, dir, "garbage.json", "\x00\xffgarbage")
	save(t, dir, "other.json", strings.Replace(readText(t, dir, "plain.json"), payloadOf(t, readText(t, dir, "plain.json")), "e30=", 1))
	for says, args := range map[string][]string{
		"garbage.json: it is not an attestation":                {"verify", "vouched", "--attest", "garbage.json"},
		"other.json: its statement has format 0":                {"verify", "vouched", "--attest", "other.json"},
		"none.json: no such file":                               {"verify", "vouched", "--attest", "none.json"},
		"key.pem: it is a private key; expected an Ed25519":     {"verify", "vouched", "--attest", "plain.json", "--public-key", "key.pem"},
		"--public-key needs --attest":                           {"verify", "vouched", "--public-key", "key.pub.pem"},
		`plain.json is of campaign "vouched", not of another`:   {"verify", "another", "--attest", "plain.json"},
		"key.pub.pem: it is a public key; expected an Ed25519":  {"attest", "vouched", "--key", "key.pub.pem"},
		"garbage.json: it is not PEM; expected an Ed25519":      {"attest", "vouched", "--key", "garbage.json"},
		"cannot write no/such/file.json: there is no folder no": {"attest", "vouched", "-o", "no/such/file.json"},
	} {
		contains(t, ends(t, 2, dir, nil, args...).err, says)
	}
	key := keyOf(t, lakeFiles(t, dir), "answers/")
	save(t, dir, filepath.Join("lake", key), "damaged")
	d := ends(t, 1, dir, nil, "attest", "vouched")
	contains(t, d.err, "WRONG  "+key, "1 thing is wrong")
	if _, err := os.Stat(filepath.Join(dir, "vouched.attestation.json")); err == nil {
		t.Error("a damaged lake was attested")
	}
}

// TestAttestedGoesOn: a campaign that is extended is another than the attested one.
func TestAttestedGoesOn(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := attestedLake(t)
	save(t, dir, "campaign.yaml", strings.Replace(attestedCampaign, "replicates: 2", "replicates: 3", 1))
	ends(t, 0, dir, nil, "run", "campaign.yaml")
	ends(t, 0, dir, nil, "verify", "vouched")
	d := ends(t, 1, dir, nil, "verify", "vouched", "--attest", "signed.json", "--public-key", "key.pub.pem")
	contains(t, d.out, "WRONG  signed.json: it attests rows of digest ", "WRONG  lake/_campaigns/vouched/_SUCCESS: it is not as it was attested",
		"it was stored after the attestation, and readers see it", "attest it again", "Added since: ")
}

// TestAttestedOnS3: a lake that was copied to a bucket is what was attested in the folder.
func TestAttestedOnS3(t *testing.T) {
	there := storetest.At(storetest.S3Server(t), "vouched")
	dir := attestedLake(t)
	s, err := store.Open(there, bucket.Open)
	noError(t, err)
	files := lakeFiles(t, dir)
	for key, data := range files {
		noError(t, s.PutIfAbsent(t.Context(), key, []byte(data)))
	}
	verify := []string{"verify", "vouched", "--lake", there, "--attest", "signed.json", "--public-key", "key.pub.pem"}
	contains(t, ends(t, 0, dir, nil, verify...).out, "Nothing is wrong.")
	ends(t, 0, dir, nil, "attest", "vouched", "--lake", there, "--key", "key.pem", "-o", "there.json")
	if readText(t, dir, "there.json") != readText(t, dir, "signed.json") {
		t.Error("in the bucket the lake has another attestation")
	}
	key := keyOf(t, files, "lake/_campaigns/vouched/README.md")
	noError(t, s.Replace(t.Context(), key, []byte(strings.ToUpper(files[key])), ""))
	contains(t, ends(t, 1, dir, nil, verify...).out, "WRONG  "+key+": it is not as it was attested")
}
