package commits

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roundtable/activities/batch"
	"roundtable/activities/ledger"
	"roundtable/activities/money"
	"roundtable/activities/programs"
	"roundtable/activities/scoring"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

const ledgerName = "ledger.json"

// countLedger counts the objects of folders of which no row and no other marker tells, by folder:
// markers of labels and of other tables that were added, checks of models, requests for
// embeddings, batches of services, settlements, what programs answered and scored, and the log
// of the budget.
func countLedger(ctx context.Context, s store.Store, campaign string) (map[string]int, error) {
	answers := "answers/campaign=" + campaign + "/"
	runs, err := lake.Folders(ctx, s, answers)
	if err != nil {
		return nil, err
	}
	folders, err := lake.AnnotationFolders(ctx, s, campaign)
	if err != nil {
		return nil, err
	}
	folders = append(folders, money.LogFolder(campaign), lake.SettlementsKey(campaign), batch.Folder(campaign),
		programs.Folder(campaign), scoring.Folder(campaign))
	for _, run := range runs {
		if strings.HasPrefix(run, ledger.CheckPrefix) || strings.HasPrefix(run, ledger.EmbeddingsPrefix) {
			folders = append(folders, answers+run+"/")
		}
	}
	counts := map[string]int{}
	for _, folder := range folders {
		objects, err := lake.List(ctx, s, folder)
		if err != nil {
			return nil, err
		}
		if len(objects) > 0 {
			counts[folder] = len(objects)
		}
	}
	return counts, nil
}

// countMost is countLedger, or what the card has counted before where that is more: of what is lost
// since, the card must not say less.
func countMost(ctx context.Context, s store.Store, campaign string) (map[string]int, error) {
	counts, err := countLedger(ctx, s, campaign)
	if err != nil {
		return nil, err
	}
	before, err := readCounts(ctx, s, campaign)
	for folder, n := range before {
		counts[folder] = max(counts[folder], n)
	}
	return counts, err
}

// readCounts returns what the card has counted; nil if there is none or it is damaged, which CheckCard
// says.
func readCounts(ctx context.Context, s store.Store, campaign string) (counts map[string]int, err error) {
	data, err := s.Get(ctx, lake.AboutKey(campaign, ledgerName))
	if err != nil {
		return nil, store.IgnoreMissing(err)
	}
	if json.Unmarshal(data, &counts) != nil {
		return nil, nil
	}
	return counts, nil
}

// tellsOfAdded reports whether a card knows of all markers of tables that were added.
func tellsOfAdded(ctx context.Context, s store.Store, campaign string) (bool, error) {
	then, err := readCounts(ctx, s, campaign)
	if err != nil {
		return false, err
	}
	folders, err := lake.AnnotationFolders(ctx, s, campaign)
	if err != nil {
		return false, err
	}
	for _, folder := range folders {
		objects, err := lake.List(ctx, s, folder)
		if err != nil || len(objects) > then[folder] {
			return false, err
		}
	}
	return true, nil
}

// CheckLedger says, by folder, of which objects that the card has counted some are missing. There
// may be more than it has counted: those came later.
func CheckLedger(ctx context.Context, s store.Store, campaign string) (problems map[string]string, err error) {
	then, err := readCounts(ctx, s, campaign)
	if err != nil || then == nil {
		return nil, err
	}
	now, err := countLedger(ctx, s, campaign)
	problems = map[string]string{}
	for _, folder := range slices.Sorted(maps.Keys(then)) {
		if now[folder] < then[folder] {
			problems[folder] = fmt.Sprintf("it has %d objects, and had %d when the tables were described",
				now[folder], then[folder])
		}
	}
	return problems, err
}
