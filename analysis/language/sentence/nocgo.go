//go:build !cgo

package sentence

import "errors"

func openGraph(string, string) (engine, error) {
	return nil, errors.New("this roundtable was built without cgo, which loading its library needs; build it with " +
		"CGO_ENABLED=1 and a C compiler")
}
