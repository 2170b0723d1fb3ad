package tables

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// tasks are the names of what conditions are about, by environment and data file.
type tasks map[[2]string]string

// taskNames names the tasks of conditions so that people recognize them: by the
// format where it is that of one data set (math500), else by the file (orders),
// with its format or folder where the file's name says nothing (test, dev).
// Conditions without a file are named by their environment.
func taskNames(groups []group) tasks {
	files := map[string][]string{} // by format
	for _, g := range groups {
		file, format := g.settings["env.file"], g.settings["env.format"]
		if !slices.Contains(files[format], file) {
			files[format] = append(files[format], file)
		}
	}
	t := tasks{}
	for _, g := range groups {
		file, format := g.settings["env.file"], g.settings["env.format"]
		base := strings.TrimSuffix(path.Base(file), path.Ext(file))
		own := !slices.Contains([]string{"", "bbh", "csv", "jsonl"}, format) // the format is that of one data set
		vague := slices.Contains([]string{"test", "train", "dev", "val", "valid", "validation", "data", "questions", "all"}, strings.ToLower(base))
		name := base
		switch folder := path.Base(path.Dir(file)); {
		case file == "":
			name = g.settings["env"]
		case own && len(files[format]) == 1:
			name = format
		case own:
			name = format + " " + base
		case vague && folder != "." && folder != "/":
			name = folder + " " + base
		}
		t[[2]string{g.settings["env"], file}] = name
	}
	return t
}

// of a condition; the label that the campaign's file gives it comes first.
func (t tasks) of(g group) string {
	return cmp.Or(g.labels["env"], g.labels["env.file"], t[[2]string{g.settings["env"], g.settings["env.file"]}])
}

// beyondTasks are the settings that distinguish conditions, apart from what they are
// about: one of the environment that only follows the task, such as the number
// of questions that a data set has, does not.
func (v view) beyondTasks(names tasks, named ...string) []string {
	return slices.DeleteFunc(v.varying(), func(key string) bool {
		if slices.Contains(named, key) {
			return true
		}
		first := map[string]string{}
		return strings.HasPrefix(key, "env.") && !slices.ContainsFunc(v.groups, func(g group) bool {
			task := names.of(g)
			value, seen := first[task]
			first[task] = g.settings[key]
			return seen && value != g.settings[key]
		})
	})
}
