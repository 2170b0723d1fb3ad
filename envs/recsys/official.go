package recsys

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Source is the address of the data. Their terms forbid redistribution, so this program includes
// none of them.
const Source = "https://files.grouplens.org/datasets/movielens/ml-100k.zip"

// File is a data file of MovieLens-100k as GroupLens publishes it.
type File struct {
	Name   string
	Bytes  int
	SHA256 string // hexadecimal
}

var official = []File{
	{"u1.base", 1586544, "ce253ec86c448b44fb3ba9a30d12dcfc2e9210cbde71efada3730c22e9ac212a"},
	{"u1.test", 392629, "18c6014a4b2c7324f250a63f8904a7b16b2b19f911129e346141507b0cbac950"},
	{"u.item", 236344, "553841ebc7de3a0fd0d6b62a204ea30c1e651aacfb2814c7a6584ac52f2c5701"},
	{"u.user", 22628, "f120e114da2e8cf314fd28f99417c94ae9ddf1cb6db8ce0e4b5995d40e90e62c"},
	{"u.genre", 202, "9757e0d3e6b298159a80dd48eaf938114690e911e39af97a76949ef1663610bb"},
}

// Files returns the data files that New reads.
func Files() []File { return slices.Clone(official) }

// Check returns an error that names every data file that is missing or not the official one.
func Check(files fs.FS) error {
	var errs []error
	for _, f := range official {
		errs = append(errs, f.check(files))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w\nThe official files are in %s; they are used as they come", err, Source)
	}
	return nil
}

func (f File) check(files fs.FS) error {
	text, err := readFile(files, f.Name)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	if got := hex.EncodeToString(sum[:]); got != f.SHA256 {
		return fmt.Errorf("%s is not the official file: it has %d bytes and sha256 %s; the official one has %d and %s",
			f.Name, len(text), got, f.Bytes, f.SHA256)
	}
	return nil
}
