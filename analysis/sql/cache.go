package sql

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

const (
	downloads = 8        // at once; an object is held in memory
	cacheSize = 10 << 30 // of copies that nobody uses
	inUse     = 24 * time.Hour
)

// fetchMissing copies what is not in the cache. Copies are named by the SHA-256 that
// the lake has of each file: they are checked once, never change, and serve
// under whatever key or address the same bytes are found again.
func (s Source) fetchMissing(ctx context.Context, f *files) error {
	folder, err := s.cacheFolder()
	if err != nil {
		return err
	}
	f.folder, f.copied = folder, true
	var missing []file
	var bytes int64
	copies := store.Cache{Folder: folder}
	for _, list := range f.tables {
		for i := range list {
			one := &list[i]
			one.place = filepath.Join(one.SHA256[:min(2, len(one.SHA256))], one.SHA256+".parquet")
			if _, ok := copies.Touch(one.place, one.Size); ok {
				continue
			}
			missing, bytes = append(missing, *one), bytes+one.Size
		}
	}
	if len(missing) > 0 && s.Tell != nil {
		s.Tell(fmt.Sprintf("fetching %d files (%.1f MB) into %s", len(missing), float64(bytes)/1e6, folder))
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(downloads)
	for _, one := range missing {
		g.Go(func() error { return s.downloadFile(ctx, folder, one) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return copies.Prune(cmp.Or(s.CacheSize, cacheSize), time.Now().Add(-inUse))
}

// cacheFolder returns the folder of this lake's copies, which is made if needed.
func (s Source) cacheFolder() (string, error) {
	root := s.Cache
	if root == "" {
		user, err := store.UserCache("lakes")
		if err != nil {
			return "", fmt.Errorf("the lake %s has to be copied to query it, and there is no folder for that: %w",
				s.Location, err)
		}
		root = user.Folder
	}
	sum := sha256.Sum256([]byte(s.Location))
	folder, err := filepath.Abs(filepath.Join(root, hex.EncodeToString(sum[:8])))
	if err != nil {
		return "", err
	}
	return folder, os.MkdirAll(folder, 0o700)
}

// downloadFile stores a file whole or not at all.
func (s Source) downloadFile(ctx context.Context, folder string, f file) error {
	data, err := s.Store.Get(ctx, f.Key)
	if errors.Is(err, fs.ErrNotExist) {
		return damageError(f.campaign, fmt.Errorf("%s is missing", f.Key))
	}
	if err != nil {
		return err
	}
	if got := lake.FileOf(f.Key, f.Rows, data); got != f.File {
		return damageError(f.campaign, fmt.Errorf("%s does not hold what was written (%d bytes with SHA-256 %s)", f.Key,
			got.Size, got.SHA256))
	}
	if err := (store.Cache{Folder: folder}).Put(f.place, data); err != nil {
		return fmt.Errorf("copying %s: %w", f.Key, err)
	}
	return nil
}
