// The release program packs built programs for people: archives, Debian and RPM packages,
// Python wheels, and checksums over all. The same programs and time give the same bytes.
//
//	go run . -dist ../../dist -version 0.1.0 -time 1764200000 linux/amd64 darwin/arm64
//
// dist/programs has a program roundtable_OS_ARCH for each platform.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

const (
	summary     = "Experiments in which groups of LLM agents decide"
	maxProgram  = 150_000_000
	maxWheel    = 65_000_000
	programName = "roundtable"

	// distribution is what pip calls the wheel: the name roundtable is another project's on PyPI.
	distribution = "roundtable_experiments"
)

// wheelTags are what pip calls the platforms. The program is linked to no C library, so one
// for Linux serves glibc and musl; macOS 12 is the first on which Go 1.26 runs.
var wheelTags = map[string]string{
	"linux/amd64":  "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
	"linux/arm64":  "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64",
	"darwin/amd64": "macosx_12_0_x86_64",
	"darwin/arm64": "macosx_12_0_arm64",
}

// release is what all files of a version have in common.
type release struct {
	dist, root, version string
	formats             []string
	time                time.Time
}

// entry is a file in an archive.
type entry struct {
	name string
	mode os.FileMode
	data []byte
}

func main() {
	log.SetFlags(0)
	dist := flag.String("dist", "../../dist", "where the programs are, and the files go")
	root := flag.String("root", "../..", "the repository")
	version := flag.String("version", "", "as 0.1.0")
	formats := flag.String("formats", "archive,wheel,deb,rpm", "what is written; deb and rpm for Linux only")
	at := flag.Int64("time", 0, "of all files, in seconds of Unix: the commit's")
	flag.Parse()
	r := release{*dist, *root, *version, strings.Split(*formats, ","), time.Unix(*at, 0).UTC()}
	if r.version == "" || r.time.Year() < 1981 || flag.NArg() == 0 {
		log.Fatal("-version, -time after 1980 and at least one platform are needed")
	}
	for _, platform := range flag.Args() {
		if err := r.pack(platform); err != nil {
			log.Fatalf("%s: %v", platform, err)
		}
	}
	if err := r.writeChecksums(); err != nil {
		log.Fatal(err)
	}
}

// pack writes all files of a platform.
func (r release) pack(platform string) error {
	system, arch, _ := strings.Cut(platform, "/")
	path := filepath.Join(r.dist, "programs", fmt.Sprintf("%s_%s_%s", programName, system, arch))
	program, err := r.read(programName, path, 0o755)
	if err != nil {
		return err
	}
	if len(program.data) > maxProgram {
		return fmt.Errorf("the program has %d bytes; %d are allowed", len(program.data), maxProgram)
	}
	licence, err := r.read("LICENSE", filepath.Join(r.root, "LICENSE"), 0o644)
	if err != nil {
		return err
	}
	readme, err := r.read("README.md", filepath.Join(r.root, "README.md"), 0o644)
	if err != nil {
		return err
	}
	for _, format := range r.formats {
		switch {
		case format == "archive":
			err = r.writeArchive(fmt.Sprintf("%s_%s_%s_%s.tar.gz", programName, r.version, system, arch), program,
				licence, readme)
		case format == "wheel":
			err = r.writeWheel(wheelTags[platform], program, licence)
		case system == "linux":
			err = r.writePackage(format, arch, path)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
	}
	return nil
}

func (r release) read(name, path string, mode os.FileMode) (entry, error) {
	data, err := os.ReadFile(path)
	return entry{name, mode, data}, err
}

// write writes a file of the release and says how long it is.
func (r release) write(name string, data []byte) error {
	fmt.Printf("%12d %s\n", len(data), name)
	return os.WriteFile(filepath.Join(r.dist, name), data, 0o644)
}

func (r release) writeArchive(name string, entries ...entry) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: int64(e.mode), Size: int64(len(e.data)), ModTime: r.time,
			Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.data); err != nil {
			return err
		}
	}
	if err := cmp.Or(t.Close(), z.Close()); err != nil {
		return err
	}
	return r.write(name, b.Bytes())
}

// writePackage writes what dpkg or rpm installs.
func (r release) writePackage(format, arch, program string) error {
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: programName, Arch: arch, Platform: "linux", Version: r.version, License: "Apache-2.0", MTime: r.time,
		Section:     "science",
		Description: summary, Maintainer: "the authors of roundtable <roundtable@localhost>",
		Overridables: nfpm.Overridables{
			Contents: files.Contents{
				{Source: program, Destination: "/usr/bin/" + programName,
					FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: r.time, Owner: "root", Group: "root"}},
				{Source: filepath.Join(r.root, "LICENSE"), Destination: "/usr/share/doc/" + programName + "/copyright",
					FileInfo: &files.ContentFileInfo{Mode: 0o644, MTime: r.time, Owner: "root", Group: "root"}},
			},
			Suggests: []string{"python3"}, // whose module duckdb answers SQL
			RPM:      nfpm.RPM{BuildHost: "localhost"},
		},
	})
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := packager.Package(info, &b); err != nil {
		return err
	}
	return r.write(packager.ConventionalFileName(info), b.Bytes())
}

// writeWheel writes what pip installs: the package in infra/python, and the program, which pip
// puts where the environment has its programs (PEP 427, PEP 639).
func (r release) writeWheel(tag string, program, licence entry) error {
	if tag == "" {
		return fmt.Errorf("pip has no name for the platform")
	}
	stem := distribution + "-" + r.version
	source := filepath.Join(r.root, "infra", "python", programName)
	listed, err := os.ReadDir(source)
	if err != nil {
		return err
	}
	var all []entry
	for _, f := range listed {
		if !f.IsDir() {
			e, err := r.read(programName+"/"+f.Name(), filepath.Join(source, f.Name()), 0o644)
			if err != nil {
				return err
			}
			all = append(all, e)
		}
	}
	description, err := os.ReadFile(filepath.Join(source, "..", "README.md"))
	if err != nil {
		return err
	}
	program.name, licence.name = stem+".data/scripts/"+programName, stem+".dist-info/licenses/LICENSE"
	var tags strings.Builder
	for one := range strings.SplitSeq(tag, ".") {
		fmt.Fprintf(&tags, "Tag: py3-none-%s\n", one)
	}
	all = append(all, program, licence,
		entry{stem + ".dist-info/WHEEL", 0o644,
			[]byte("Wheel-Version: 1.0\nGenerator: roundtable\nRoot-Is-Purelib: false\n" + tags.String())},
		entry{stem + ".dist-info/METADATA", 0o644, []byte(metadata(r.version) + "\n" + string(description))},
	)
	var sums strings.Builder
	for _, e := range all {
		sum := sha256.Sum256(e.data)
		fmt.Fprintf(&sums, "%s,sha256=%s,%d\n", e.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.data))
	}
	list := stem + ".dist-info/RECORD"
	all = append(all, entry{list, 0o644, []byte(sums.String() + list + ",,\n")})
	data, err := r.zip(all)
	if err != nil {
		return err
	}
	if len(data) > maxWheel {
		return fmt.Errorf("the wheel has %d bytes; %d are allowed", len(data), maxWheel)
	}
	return r.write(fmt.Sprintf("%s-py3-none-%s.whl", stem, tag), data)
}

// metadata says what pip shows. DuckDB is an extra and no dependency: running a campaign,
// its tables and its report need none, and the one file installs without an index.
func metadata(version string) string {
	return "Metadata-Version: 2.4\nName: " + strings.ReplaceAll(distribution, "_", "-") + "\nVersion: " + version + "\nSummary: " + summary + `
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.10
Provides-Extra: sql
Requires-Dist: duckdb>=1.2; extra == "sql"
Provides-Extra: frames
Requires-Dist: pyarrow>=15; extra == "frames"
Requires-Dist: pandas>=2.2; extra == "frames"
Requires-Dist: polars>=1; extra == "frames"
Description-Content-Type: text/markdown
`
}

func (r release) zip(all []entry) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range all {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(e.mode)
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// writeChecksums writes the SHA-256 of every file of the version.
func (r release) writeChecksums() error {
	listed, err := os.ReadDir(r.dist)
	if err != nil {
		return err
	}
	var lines []string
	for _, f := range listed {
		if f.IsDir() || !strings.Contains(f.Name(), r.version) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(r.dist, f.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(data), f.Name()))
	}
	slices.Sort(lines)
	return r.write("SHA256SUMS", []byte(strings.Join(lines, "")))
}
