package batch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// Record is a batch in the lake. It is written before the batch is sent, and stays there; that of a
// batch which was certainly not created is deleted.
type Record struct {
	Name      string    `json:"name"` // under which the service has it, too
	Campaign  string    `json:"campaign"`
	Provider  string    `json:"provider"` // provider/model
	Calls     []string  `json:"calls"`    // Call.Key of each request, in order
	CreatedAt time.Time `json:"created_at"`
	ID        string    `json:"id,omitempty"` // the service's; empty until that is known
	EndedAt   time.Time `json:"ended_at,omitzero"`
}

// Folder returns the folder of the records of a campaign's batches.
func Folder(campaign string) string { return lake.AboutKey(campaign, "batches/") }

func (r Record) objectKey() string { return Folder(r.Campaign) + r.Name + ".json" }

// nameInKey returns the name of the batch that a key is of.
func nameInKey(campaign, key string) string {
	return strings.TrimSuffix(strings.TrimPrefix(key, Folder(campaign)), ".json")
}

// requestID returns the ID of a request, which tells its batch and its call.
func (r Record) requestID(i int) string { return fmt.Sprintf("%s-%d", r.Name, i) }

// put writes a new record.
func (r Record) put(ctx context.Context, s store.Store) error {
	data, err := lake.Seal(r.objectKey(), r)
	if err != nil {
		return err
	}
	return s.PutIfAbsent(ctx, r.objectKey(), data)
}

// replace writes what is known by now. Of two processes that follow one batch the last one wins:
// both know the same.
func (r Record) replace(ctx context.Context, s store.Store) error {
	data, err := lake.Seal(r.objectKey(), r)
	if err != nil {
		return err
	}
	return s.Replace(ctx, r.objectKey(), data, "")
}

func readRecord(ctx context.Context, s store.Store, campaign, name string) (r Record, err error) {
	key := Record{Campaign: campaign, Name: name}.objectKey()
	data, err := s.Get(ctx, key)
	if err == nil {
		err = lake.Unseal(key, data, &r)
	}
	return r, err
}

func readRecords(ctx context.Context, s store.Store, campaign string) (all []Record, err error) {
	objects, err := lake.List(ctx, s, Folder(campaign))
	for _, o := range objects {
		r, err := readRecord(ctx, s, campaign, nameInKey(campaign, o.Key))
		if store.IgnoreMissing(err) != nil {
			return all, err
		}
		if r.Name != "" {
			all = append(all, r)
		}
	}
	return all, err
}

// Check returns the damaged or misplaced records of a campaign's batches. err means that the store
// could not be read.
func Check(ctx context.Context, s store.Store, campaign string) (findings []lake.Finding, err error) {
	objects, err := lake.List(ctx, s, Folder(campaign))
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		r, err := readRecord(ctx, s, campaign, nameInKey(campaign, o.Key))
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was certainly not created
		case errors.Is(err, store.ErrCorrupt):
			findings = append(findings, lake.NewFinding(o.Key, err))
		case err != nil:
			return findings, err
		case r.objectKey() != o.Key:
			findings = append(findings, lake.Finding{Object: o.Key, Problem: "it is the record of another batch"})
		}
	}
	return findings, nil
}
