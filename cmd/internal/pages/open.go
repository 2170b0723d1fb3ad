package pages

import (
	"fmt"
	"html"
	"os"
	"path/filepath"

	"github.com/cli/browser"
)

// Open opens an address in the browser. Others can read the command lines of a machine, so the
// browser is given a file of this user's that leads to the address, which holds the token; remove
// deletes the file.
func Open(address string) (remove func(), err error) {
	remove = func() {}
	folder, err := os.MkdirTemp("", "roundtable-") // with rights for this user only
	if err != nil {
		return remove, err
	}
	remove = func() { _ = os.RemoveAll(folder) }
	path := filepath.Join(folder, "view.html")
	page := fmt.Sprintf("<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\"><meta http-equiv=\"refresh\" content=\"0; url=%[1]s\"><a href=\"%[1]s\">roundtable</a>\n", html.EscapeString(address))
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		return remove, err
	}
	return remove, browser.OpenFile(path)
}
