package wording

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// maxShown characters of a value are shown where there is little room.
const maxShown = 60

// Shorten puts text on one line and, if it is long, cuts it and adds a part of its hash, so that
// long texts with the same beginning differ.
func Shorten(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= maxShown {
		return string(runes)
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s… #%x", string(runes[:maxShown-8]), sum[:2])
}

// Clip cuts a long text that an error quotes, and ends it with "…".
func Clip(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return text
}
