// Goroutines that wait for what never comes, and twins that stop waiting.
package main

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
)

func init() {
	modes["receiver"] = receiver
	modes["ticker"] = ticker
	modes["errgroup"] = errGroup
	modes["waitgroup"] = waitGroup
	modes["cond"] = cond
	modes["semaphore"] = weighted
	modes["singleflight"] = singleFlight
	modes["noisy"] = noisy
	modes["stairs"] = stairs
	modes["halted"] = halted
}

// The producer returns early on an error and never sends what the consumer waits for.
func receiver(h *host) func(*http.Request) {
	return func(*http.Request) {
		results := make(chan []byte)
		fails := oneIn(12, h)
		go func() {
			if fails {
				if h.ok {
					close(results)
				}
				return
			}
			results <- make([]byte, 512)
		}()
		if fails && !h.ok {
			h.leaked.Add(1)
		}
		go func() { <-results }()
	}
}

// A session refreshes itself every few seconds and is forgotten without Stop and without an end.
func ticker(h *host) func(*http.Request) {
	return func(*http.Request) {
		if !oneIn(15, h) {
			return
		}
		refresh := time.NewTicker(5 * time.Second)
		end := make(chan struct{})
		go func() {
			defer refresh.Stop()
			for {
				select {
				case <-refresh.C:
				case <-end:
					return
				}
			}
		}()
		if h.ok {
			time.AfterFunc(20*time.Second, func() { close(end) })
		} else {
			h.leaked.Add(1)
		}
	}
}

// One member of the group fails, nobody reads the rest; the others send for ever.
func errGroup(h *host) func(*http.Request) {
	return func(*http.Request) {
		fails := oneIn(40, h)
		group, ctx := errgroup.WithContext(context.Background())
		parts := make(chan int)
		for part := range 3 {
			group.Go(func() error {
				if fails && part == 0 {
					return errors.New("no such shard")
				}
				if h.ok {
					select {
					case parts <- part:
					case <-ctx.Done():
					}
					return nil
				}
				parts <- part
				return nil
			})
		}
		if fails {
			if !h.ok {
				h.leaked.Add(2)
				return
			}
			_ = group.Wait()
			return
		}
		for range 3 {
			<-parts
		}
		_ = group.Wait()
	}
}

// A worker panics, is recovered, and Done was not deferred.
func waitGroup(h *host) func(*http.Request) {
	return func(*http.Request) {
		panics := oneIn(20, h)
		var group sync.WaitGroup
		group.Add(2)
		for worker := range 2 {
			go func() {
				defer func() { _ = recover() }()
				if h.ok {
					defer group.Done()
				}
				if panics && worker == 0 {
					panic("bad row")
				}
				if !h.ok {
					group.Done()
				}
			}()
		}
		finished := make(chan struct{})
		go func() {
			group.Wait()
			close(finished)
		}()
		if panics && !h.ok {
			h.leaked.Add(1)
			return
		}
		<-finished
	}
}

// Waiters of a queue that is dropped without a broadcast.
func cond(h *host) func(*http.Request) {
	return func(*http.Request) {
		if !oneIn(18, h) {
			return
		}
		var lock sync.Mutex
		ready := sync.NewCond(&lock)
		closed := false
		go func() {
			lock.Lock()
			defer lock.Unlock()
			for !closed {
				ready.Wait()
			}
		}()
		if !h.ok {
			h.leaked.Add(1)
			return
		}
		time.AfterFunc(time.Second, func() {
			lock.Lock()
			closed = true
			lock.Unlock()
			ready.Broadcast()
		})
	}
}

// A holder returned without Release, and all who come later queue up in Acquire.
func weighted(h *host) func(*http.Request) {
	slots := semaphore.NewWeighted(4)
	if !h.ok {
		time.AfterFunc(20*time.Second, func() { _ = slots.Acquire(context.Background(), 4) })
	}
	return func(*http.Request) {
		if !oneIn(15, h) {
			return
		}
		h.leaked.Add(1)
		go func() {
			if slots.Acquire(context.Background(), 1) == nil {
				time.Sleep(20 * time.Millisecond)
				slots.Release(1)
				h.leaked.Add(-1)
			}
		}()
	}
}

// The call behind one key hangs, and every caller joins it.
func singleFlight(h *host) func(*http.Request) {
	var calls singleflight.Group
	hang := make(chan struct{})
	return func(r *http.Request) {
		if !oneIn(18, h) {
			_, _, _ = calls.Do("warm", func() (any, error) { return 1, nil })
			return
		}
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
			defer cancel()
			if !h.ok {
				h.leaked.Add(1)
				_, _, _ = calls.Do("cold", func() (any, error) { <-hang; return nil, nil })
				return
			}
			_, _, _ = calls.Do("cold", func() (any, error) { <-ctx.Done(); return nil, ctx.Err() })
		}()
	}
}

// One goroutine in 40 s stays, among some hundred that come and go.
func noisy(h *host) func(*http.Request) {
	hang := make(chan struct{})
	return func(*http.Request) {
		if !h.ok && oneIn(320, h) { // 8 requests/s
			h.leaked.Add(1)
			go func() { <-hang }()
		}
		for burst := h.ops.Load() % 40; burst > 0; burst-- {
			go work(time.Duration(500+burst*40) * time.Millisecond)
		}
	}
}

func work(span time.Duration) { time.Sleep(span) }

// A batch job every ten minutes leaves 60 goroutines behind.
func stairs(h *host) func(*http.Request) {
	hang := make(chan struct{})
	go func() {
		for {
			for range 60 {
				if h.ok {
					go work(45 * time.Second)
				} else {
					h.leaked.Add(1)
					go func() { <-hang }()
				}
			}
			time.Sleep(10 * time.Minute)
		}
	}()
	return func(*http.Request) {}
}

// It leaked while it retried at its start, for three minutes, and not since.
func halted(h *host) func(*http.Request) {
	hang := make(chan struct{})
	started := time.Now()
	return func(*http.Request) {
		if time.Since(started) < 3*time.Minute && oneIn(3, h) {
			h.leaked.Add(1)
			go func() { <-hang }()
		}
	}
}
