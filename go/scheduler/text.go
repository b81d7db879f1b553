package scheduler

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// shownMax is how many characters of a wrong annotation a sentence repeats: annotations can have 256 KiB.
const shownMax = 40

// shown makes what others wrote fit into a sentence.
func shown(text string) string {
	for i := range text {
		if utf8.RuneCountInString(text[:i]) == shownMax {
			text = text[:i] + "..."
			break
		}
	}
	return printable(text)
}

// printable replaces control characters.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return '_'
		}
		return c
	}, text)
}

// cut keeps at most so many bytes, and whole characters.
func cut(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	for bytes > 0 && !utf8.RuneStart(text[bytes]) {
		bytes--
	}
	return text[:bytes]
}
