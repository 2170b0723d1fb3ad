package wording

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// maxShown characters of a value are shown where there is little room.
const maxShown = 60

// Shorten cuts a long text and marks it with a part of its hash, so that two
// long texts that begin alike are still told apart.
func Shorten(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= maxShown {
		return string(runes)
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%s… #%x", string(runes[:maxShown-8]), sum[:2])
}

// Clip cuts foreign text that an error quotes.
func Clip(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown]) + "…"
	}
	return text
}
