package qa

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"roundtable/envs/qa/records"
)

// readRows reads a file of something else than questions, which a key names, as rows of a
// type; errors say where.
func readRows[T any](files fs.FS, key, name string, take func(T) error) error {
	data, err := readOther(files, key, name)
	if err != nil {
		return err
	}
	form := records.FormOf(name)
	if form == "" {
		form = records.JSON
	}
	table, err := records.Read(name, data, records.Options{Form: form})
	if err != nil {
		return fmt.Errorf("%s %s, %w", key, name, err)
	}
	for _, r := range table.Records {
		var v T
		fields, err := json.Marshal(records.Plain(r.Fields))
		if err == nil {
			err = json.Unmarshal(fields, &v)
		}
		if mismatch, is := errors.AsType[*json.UnmarshalTypeError](err); is {
			expected := "a text"
			if mismatch.Type.Kind() == reflect.Bool {
				expected = "true or false"
			}
			err = fmt.Errorf("%s is of the type %s; %s is expected", strings.ToLower(mismatch.Field), mismatch.Value,
				expected)
		}
		if err == nil {
			err = take(v)
		}
		if err != nil {
			return fmt.Errorf("%s %s, %s: %w", key, name, table.Place(r), err)
		}
	}
	return nil
}
