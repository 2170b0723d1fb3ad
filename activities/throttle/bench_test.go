package throttle

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities/model"
)

// BenchmarkEnter is the cost of one call's entry and end, alone and in the
// place of one of 1,000 that wait.
func BenchmarkEnter(b *testing.B) {
	for _, waiting := range []int{0, 1000} {
		b.Run(fmt.Sprintf("waiting=%d", waiting), func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			th := New(Ceiling{})
			if waiting > 0 {
				th.SetCampaignCeiling("full", 1)
			}
			for range waiting {
				go func() {
					if p, err := th.Enter(ctx, nil, Call{Campaign: "full"}); err == nil {
						<-ctx.Done()
						p.Leave()
					}
				}()
			}
			for th.Waiting("full").Waiting < waiting-1 {
				time.Sleep(time.Millisecond)
			}
			b.ReportAllocs()
			for b.Loop() {
				p, err := th.Enter(ctx, nil, Call{Campaign: "c", Bytes: 4000})
				if err != nil {
					b.Fatal(err)
				}
				p.Answered(model.Usage{Input: 1000, Output: 100}, model.Limits{})
			}
		})
	}
}

// BenchmarkTurnover is the cost of a call when 1,000 callers share 16 places.
func BenchmarkTurnover(b *testing.B) {
	th := New(Ceiling{})
	th.SetCampaignCeiling("c", 16)
	var left atomic.Int64
	var all sync.WaitGroup
	left.Store(int64(b.N))
	b.ReportAllocs()
	for range 1000 {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if p, err := th.Enter(b.Context(), nil, Call{Campaign: "c"}); err == nil {
					p.Answered(model.Usage{}, model.Limits{})
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkWaiting(b *testing.B) {
	th := New(Ceiling{})
	th.SetCampaignCeiling("c", 1)
	for b.Loop() {
		th.Waiting("c")
	}
}

// BenchmarkStorm lets 400 callers ask a server that answers 200 requests a
// second, and as many at the start, and refuses the rest. One op is half a minute.
func BenchmarkStorm(b *testing.B) {
	for name, retryAfter := range map[string]string{"nothing said": "", "retry-after": "1"} {
		b.Run(name, func(b *testing.B) {
			const limit, length = 200, 30 * time.Second
			var mu sync.Mutex
			tokens, at := float64(limit), time.Now()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				mu.Lock()
				now := time.Now()
				tokens, at = min(limit, tokens+limit*now.Sub(at).Seconds()), now
				ok := tokens >= 1
				if ok {
					tokens--
				}
				mu.Unlock()
				if !ok {
					if retryAfter != "" {
						w.Header().Set("Retry-After", retryAfter)
					}
					w.WriteHeader(http.StatusTooManyRequests)
					return
				}
				time.Sleep(300 * time.Millisecond)
			}))
			defer server.Close()
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 400}}
			defer client.CloseIdleConnections()
			var answered, refused atomic.Int64
			for range b.N {
				ctx, cancel := context.WithTimeout(b.Context(), length)
				th := New(Ceiling{})
				var all sync.WaitGroup
				for range 400 {
					all.Go(func() { storm(ctx, th, client, server.URL, &answered, &refused) })
				}
				all.Wait()
				cancel()
			}
			seconds := length.Seconds() * float64(b.N)
			b.ReportMetric(float64(answered.Load())/(seconds+float64(b.N))/limit, "useful/limit")
			b.ReportMetric(float64(refused.Load())/float64(refused.Load()+answered.Load()), "429/call")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// storm calls until the context ends; a refused call is made again.
func storm(ctx context.Context, th *Throttle, client *http.Client, url string, answered, refused *atomic.Int64) {
	for {
		p, err := th.Enter(ctx, nil, Call{Campaign: "c"})
		if err != nil {
			return
		}
		response, err := client.Get(url)
		switch {
		case err != nil:
			p.Failed(err)
			continue
		case response.StatusCode == http.StatusOK:
			answered.Add(1)
			p.Answered(model.Usage{}, model.Limits{})
		default:
			refused.Add(1)
			after, _ := time.ParseDuration(response.Header.Get("Retry-After") + "s")
			p.Failed(&model.Error{Fault: model.Busy, Status: response.StatusCode, RetryAfter: after, Unbilled: true})
		}
		response.Body.Close()
	}
}
