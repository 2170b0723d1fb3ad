package records

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var placeholder = regexp.MustCompile(`(?i)<(?:image|img)(?:[ _]?\d+)?\s*/?>`)

func hasPlaceholder(text string) bool { return placeholder.MatchString(text) }

// imagePlace is the path or the URL of an image.
var imagePlace = regexp.MustCompile(`(?i)^(?:data:image/\S+|https?://\S+|\S(?:[^\n]*\S)?\.(?:png|jpe?g|gif|bmp|webp|svg|tiff?)(?:\?\S*)?)$`)

// refuseImages returns an error for a row that holds an image, or whose question has one in another column.
func (c Columns) refuseImages(fields map[string]any) error {
	columns := slices.Sorted(maps.Keys(fields))
	unused := c.Unused(columns)
	for _, column := range columns {
		text, _ := fields[column].(string)
		if IsImage(fields[column]) || slices.Contains(imageNames, normalName(column)) &&
			slices.Contains(unused, column) && imagePlace.MatchString(strings.TrimSpace(text)) {
			return wrongColumn(column, "it holds an image or other bytes; questions with images cannot be asked, only texts")
		}
	}
	return nil
}

// readOptions returns the options of a row, and their labels if the file has any.
func (c Columns) readOptions(fields map[string]any) (texts, labels []string, err error) {
	if len(c.Options) == 0 {
		return nil, nil, nil
	}
	if len(c.Options) > 1 {
		texts, err = c.separateOptions(fields)
	} else if texts, labels, err = parseOptions(Lookup(fields, c.Options[0])); err != nil {
		err = ColumnError{c.Options[0], err}
	}
	if err != nil {
		return nil, nil, err
	}
	return texts, labels, checkOptions(c.Options, texts, labels)
}

// checkOptions finds options that cannot be asked; they are in columns of their own, or in a list of one column.
func checkOptions(columns Names, texts, labels []string) error {
	for i, text := range texts {
		column, option := columns[0], fmt.Sprintf("option %d", i+1)
		if len(columns) > 1 {
			column, option = columns[i], "the option"
		}
		switch {
		case strings.TrimSpace(text) == "":
			return wrongColumn(column, "%s is empty", option)
		case hasPlaceholder(text):
			return wrongColumn(column, "%s refers to an image (%.40q); questions with images cannot be asked, only texts",
				option, text)
		case len(labels) > 0 && slices.Contains(labels[:i], labels[i]):
			return wrongColumn(column, "the label %q is there twice", labels[i])
		}
	}
	return nil
}

// scoredOptions returns the options of a mapping that gives each its score, and the scores, if the
// column of the options is that of the answer too: their order is that of the texts.
func (c Columns) scoredOptions(fields map[string]any) (texts []string, marks []any) {
	if len(c.Options) != 1 || !slices.Equal(c.Options, c.Answer) {
		return nil, nil
	}
	object, _ := Lookup(fields, c.Options[0]).(map[string]any)
	texts = slices.Sorted(maps.Keys(object))
	for _, text := range texts {
		marks = append(marks, object[text])
	}
	return texts, marks
}

// separateOptions returns those of one column each; the last may be empty.
func (c Columns) separateOptions(fields map[string]any) ([]string, error) {
	var texts []string
	for _, column := range c.Options {
		text, err := textOf(Lookup(fields, column))
		if err != nil {
			return nil, ColumnError{column, err}
		}
		texts = append(texts, text)
	}
	for len(texts) > 0 && texts[len(texts)-1] == "" {
		texts = texts[:len(texts)-1]
	}
	return texts, nil
}

var errOptions = errors.New(`it is not options; expected a list of texts, its text in JSON or Python, {"text": [...], "label": [...]}, {"A": "...", "B": "..."}, or a list of {"text", "label"}`)

// parseOptions reads the forms that options have in one column.
func parseOptions(v any) (texts, labels []string, err error) {
	switch v := v.(type) {
	case nil:
		return nil, nil, nil
	case string:
		if strings.TrimSpace(v) == "" {
			return nil, nil, nil
		}
		switch decoded := parseLiteral(v).(type) {
		case []any, map[string]any:
			return parseOptions(decoded)
		}
		return nil, nil, errOptions
	case []any:
		return listedOptions(v)
	case map[string]any:
		return mappedOptions(v)
	}
	return nil, nil, errOptions
}

// listedOptions reads a list; the last may be null, as where all rows have lists of one length.
func listedOptions(list []any) (texts, labels []string, err error) {
	for len(list) > 0 && list[len(list)-1] == nil {
		list = list[:len(list)-1]
	}
	for i, item := range list {
		switch item := item.(type) {
		case string, bool, int64, float64:
			texts = append(texts, scalarText(item))
		case map[string]any:
			text, label := firstOf(item, "text", "value", "content"), firstOf(item, "label", "key", "letter", "id")
			if text == "" || label == "" {
				return nil, nil, errOptions
			}
			texts, labels = append(texts, text), append(labels, label)
		case nil:
			return nil, nil, fmt.Errorf("option %d is empty", i+1)
		default:
			return nil, nil, errOptions
		}
	}
	if len(labels) > 0 && len(labels) != len(texts) {
		return nil, nil, errOptions
	}
	return texts, labels, nil
}

// firstOf returns the first of some members that holds something.
func firstOf(object map[string]any, names ...string) string {
	for _, name := range names {
		if text := scalarText(object[name]); text != "" {
			return text
		}
	}
	return ""
}

// mappedOptions reads {text: [...], label: [...]}, or a text for each label.
func mappedOptions(object map[string]any) (texts, labels []string, err error) {
	if list, ok := object["text"].([]any); ok {
		marks, ok := object["label"].([]any)
		if !ok {
			return nil, nil, errOptions
		}
		if len(list) != len(marks) {
			return nil, nil, fmt.Errorf("there are %d texts and %d labels", len(list), len(marks))
		}
		for i := range list {
			texts, labels = append(texts, scalarText(list[i])), append(labels, scalarText(marks[i]))
		}
		return texts, labels, nil
	}
	keys := slices.Sorted(maps.Keys(object))
	if !slices.ContainsFunc(keys, func(key string) bool { return strings.Trim(key, "0123456789") != "" }) {
		slices.SortStableFunc(keys, func(a, b string) int { return len(a) - len(b) }) // 2 before 10
	}
	for _, label := range keys {
		if len(label) > 2 {
			return nil, nil, errOptions
		}
		if object[label] == nil { // Parquet has every key in every row
			continue
		}
		text := scalarText(object[label])
		if text == "" {
			return nil, nil, errOptions
		}
		texts, labels = append(texts, text), append(labels, label)
	}
	return texts, labels, nil
}
