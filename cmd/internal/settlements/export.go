package settlements

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
)

// billedRequest is one request in a service's usage export.
type billedRequest struct {
	row       int // from 1
	id, model string
	at        time.Time
	usd       float64
	tokens    int64
}

// Names of an export's columns, in any case: of LiteLLM's spend logs,
// OpenRouter's activity, and those that tables made by hand have.
var (
	idColumns     = []string{"request_id", "id", "generation_id", "response_id"}
	timeColumns   = []string{"starttime", "start_time", "started_at", "created_at", "timestamp", "time", "date"}
	costColumns   = []string{"cost_usd", "spend", "response_cost", "cost_total", "total_cost", "cost", "usage"}
	modelColumns  = []string{"model", "model_permaslug", "model_name"}
	inputColumns  = []string{"prompt_tokens", "tokens_prompt", "input_tokens", "native_tokens_prompt"}
	outputColumns = []string{"completion_tokens", "tokens_completion", "output_tokens", "native_tokens_completion"}
)

// readExport reads the rows of a usage export: CSV with a header, a JSON array, or JSON lines.
func readExport(name string, data []byte) ([]billedRequest, error) {
	rows, err := exportRows(name, data)
	if err != nil {
		return nil, err
	}
	var all []billedRequest
	for n, row := range rows {
		b, err := readBill(row)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", n+1, err)
		}
		b.row = n + 1
		all = append(all, b)
	}
	if len(all) == 0 {
		return nil, errors.New("it has no rows")
	}
	return all, nil
}

func exportRows(name string, data []byte) (rows []map[string]string, err error) {
	if strings.EqualFold(filepath.Ext(name), ".csv") {
		lines, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff")))).ReadAll()
		if err != nil || len(lines) == 0 {
			return nil, cmp.Or(err, errors.New("it is empty"))
		}
		for _, line := range lines[1:] {
			row := map[string]string{}
			for i, column := range lines[0] {
				row[strings.ToLower(strings.TrimSpace(column))] = line[i]
			}
			rows = append(rows, row)
		}
		return rows, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	for {
		var v any
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return nil, fmt.Errorf("it is neither .csv nor JSON: %w", err)
		}
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, one := range list {
			object, ok := one.(map[string]any)
			if !ok {
				return nil, errors.New("its rows are JSON objects, one for each request")
			}
			row := map[string]string{}
			for key, value := range object {
				row[strings.ToLower(key)] = fmt.Sprint(value)
			}
			rows = append(rows, row)
		}
	}
}

func readBill(row map[string]string) (b billedRequest, err error) {
	cell := func(columns []string) string {
		for _, c := range columns {
			if v := strings.TrimSpace(row[c]); v != "" && v != "<nil>" {
				return v
			}
		}
		return ""
	}
	b.id, b.model = cell(idColumns), cell(modelColumns)
	if b.id == "" {
		return b, fmt.Errorf("it has no request id; one of the columns %s is expected", strings.Join(idColumns, ", "))
	}
	cost := cell(costColumns)
	if b.usd, err = strconv.ParseFloat(strings.TrimPrefix(cost, "$"), 64); err != nil || !(b.usd >= 0 && b.usd < 1e9) {
		return b, fmt.Errorf("its cost is %q; a number of US dollars in one of the columns %s is expected", cost, strings.Join(costColumns, ", "))
	}
	at := cell(timeColumns)
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05.999999Z07:00", "2006-01-02 15:04:05.999999"} {
		if b.at, err = time.Parse(layout, at); err == nil {
			break
		}
	}
	if seconds, e := strconv.ParseFloat(at, 64); e == nil && seconds > 1e9 && seconds < 1e11 {
		b.at, err = time.UnixMicro(int64(seconds*1e6)), nil
	}
	if err != nil {
		return b, fmt.Errorf("its time is %q; a time as 2026-01-31T12:00:00Z or Unix seconds in one of the columns %s is expected", at, strings.Join(timeColumns, ", "))
	}
	for _, columns := range [][]string{inputColumns, outputColumns} {
		if n, err := strconv.ParseInt(cell(columns), 10, 64); err == nil && n > 0 {
			b.tokens += n
		}
	}
	return b, nil
}

// clocksDiffer is how far the clocks of a service and of this machine may differ.
const clocksDiffer = time.Minute

// matchBills pairs calls of unknown outcome with the requests of an export that
// no stored answer is of: of the same model, the nearest in time first. A call
// between the export's first and last request without a partner was not billed;
// of calls outside of that time the export says nothing.
func matchBills(l ledger.Calls, bills []billedRequest) ([]lake.SettledCall, error) {
	slices.SortStableFunc(bills, func(a, b billedRequest) int { return a.at.Compare(b.at) })
	first, last := bills[0].at.Add(-clocksDiffer), bills[len(bills)-1].at.Add(clocksDiffer)
	type pair struct {
		call, bill int
		apart      time.Duration
	}
	var pairs []pair
	known := 0
	for j, b := range bills {
		if l.Answered[b.id] {
			known++
			continue
		}
		for i, u := range l.Unknown {
			apart := b.at.Sub(time.UnixMicro(u.StartedAt))
			if apart > -clocksDiffer && apart < defaultDeadline && sameModel(u.Model, b.model) {
				pairs = append(pairs, pair{i, j, apart.Abs()})
			}
		}
	}
	if known == 0 && len(l.Answered) > 0 {
		return nil, fmt.Errorf("none of its %d request ids is of an answer of this campaign: it is the export of another account or of another time", len(bills))
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.apart, b.apart) })
	billOf, taken := map[int]int{}, map[int]bool{}
	for _, p := range pairs {
		if _, has := billOf[p.call]; !has && !taken[p.bill] {
			billOf[p.call], taken[p.bill] = p.bill, true
		}
	}
	var settled []lake.SettledCall
	var above []error
	for i, u := range l.Unknown {
		started := time.UnixMicro(u.StartedAt)
		if j, ok := billOf[i]; ok {
			usd, err := withinWorst([]ledger.UnknownCall{u}, bills[j].usd)
			if err != nil {
				above = append(above, fmt.Errorf("row %d, request %s: %w", bills[j].row, bills[j].id, err))
			}
			settled = append(settled, u.Settle(usd, bills[j].tokens, bills[j].id))
		} else if started.After(first) && started.Before(last) {
			settled = append(settled, u.Settle(0, 0, ""))
		}
	}
	if len(above) > 0 {
		return nil, errors.Join(above...)
	}
	if len(settled) == 0 {
		return nil, fmt.Errorf("it goes from %s to %s, when no call of unknown outcome was made", first.Add(clocksDiffer).Format(time.RFC3339), last.Add(-clocksDiffer).Format(time.RFC3339))
	}
	return settled, nil
}

// defaultDeadline is how long after its start a call can be billed.
const defaultDeadline = 10*time.Minute + clocksDiffer

// sameModel compares a campaign's provider/model with what an export calls it.
func sameModel(asked, billed string) bool {
	_, name, _ := strings.Cut(asked, "/")
	last := name[strings.LastIndexByte(name, '/')+1:]
	return billed == "" || strings.Contains(strings.ToLower(billed), strings.ToLower(last))
}
