// Healthy programs that look bad: they fill, swing, warm up or follow their clients.
package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/allegro/bigcache/v3"
	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/ristretto/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/patrickmn/go-cache"
	bolt "go.etcd.io/bbolt"
)

func init() {
	modes["ttlcache"] = ttlCache
	modes["ristretto"] = ristrettoFills
	modes["bigcache"] = bigCacheFills
	modes["bolt"] = boltGrows
	modes["badger"] = badgerWrites
	modes["lazypool"] = lazyPool
	modes["longpoll"] = longPoll
	modes["tides"] = tides
	modes["gcoff"] = gcOff
	modes["sessions-live"] = sessionsLive
	modes["ringlog"] = ringLog
	modes["idle"] = idle
}

// Entries live for 30 minutes, so it grows for 30 minutes.
func ttlCache(h *host) func(*http.Request) {
	items := cache.New(30*time.Minute, time.Minute)
	return func(*http.Request) {
		items.SetDefault(fmt.Sprint(h.ops.Load()), make([]byte, 3000))
		h.held.Store(int64(items.ItemCount()))
	}
}

func ristrettoFills(h *host) func(*http.Request) {
	items := must(ristretto.NewCache(&ristretto.Config[uint64, []byte]{NumCounters: 1e5, MaxCost: 24 << 20, BufferItems: 64}))
	return func(*http.Request) {
		for range 2 {
			items.Set(rand.Uint64(), make([]byte, 1200), 1200)
		}
	}
}

func bigCacheFills(h *host) func(*http.Request) {
	config := bigcache.Config{Shards: 64, LifeWindow: 12 * time.Hour, MaxEntriesInWindow: 1000, MaxEntrySize: 500, HardMaxCacheSize: 48}
	items := must(bigcache.NewBigCache(config))
	return func(*http.Request) {
		for i := range 3 {
			_ = items.Set(fmt.Sprintf("%d-%d", h.ops.Load(), i), make([]byte, 900))
		}
		h.held.Store(int64(items.Len()))
	}
}

// A database whose file, mapped into memory, grows with what is stored.
func boltGrows(h *host) func(*http.Request) {
	folder := must(os.MkdirTemp("", "zoo-bolt-"))
	store := must(bolt.Open(folder+"/data", 0o600, &bolt.Options{NoSync: true}))
	_ = os.RemoveAll(folder)
	bucket := []byte("rows")
	return func(*http.Request) {
		_ = store.Update(func(tx *bolt.Tx) error {
			rows := must(tx.CreateBucketIfNotExists(bucket))
			for range 4 {
				_ = rows.Put(binary.BigEndian.AppendUint64(nil, rand.Uint64()), make([]byte, 1500))
			}
			return nil
		})
	}
}

// An LSM store: memtables fill and are flushed, block caches warm up.
func badgerWrites(h *host) func(*http.Request) {
	folder := must(os.MkdirTemp("", "zoo-badger-"))
	options := badger.DefaultOptions(folder).WithLoggingLevel(badger.ERROR).WithMemTableSize(16 << 20).WithValueLogFileSize(32 << 20)
	store := must(badger.Open(options))
	return func(*http.Request) {
		_ = store.Update(func(tx *badger.Txn) error {
			for i := range 4 {
				_ = tx.Set(fmt.Appendf(nil, "row-%d", (h.ops.Load()*4+int64(i))%40000), make([]byte, 800))
			}
			return nil
		})
		_ = store.View(func(tx *badger.Txn) error {
			_, err := tx.Get(fmt.Appendf(nil, "row-%d", rand.Intn(40000)))
			return err
		})
	}
}

// A pool of 450 workers that makes one whenever all are busy, and keeps them for hours.
func lazyPool(h *host) func(*http.Request) {
	pool := must(ants.NewPool(450, ants.WithExpiryDuration(6*time.Hour), ants.WithNonblocking(true)))
	started := time.Now()
	return func(*http.Request) {
		busy := int(min(450, 30+time.Since(started).Minutes()*12)) // as many tasks at once, for two of four seconds
		if oneIn(20, h) {
			for range busy {
				_ = pool.Submit(func() { time.Sleep(2 * time.Second) })
			}
		}
		h.held.Store(int64(pool.Running()))
	}
}

// Clients wait up to 20 minutes for news, and arrive steadily: 20 minutes long, more come than leave.
func longPoll(h *host) func(*http.Request) {
	news := make(chan struct{})
	return func(*http.Request) {
		if !oneIn(20, h) {
			return
		}
		h.held.Add(1)
		go func() {
			defer h.held.Add(-1)
			deadline := time.NewTimer(20 * time.Minute)
			defer deadline.Stop()
			select {
			case <-news:
			case <-deadline.C:
			}
		}()
	}
}

// The number of workers follows a tide of 50 minutes.
func tides(h *host) func(*http.Request) {
	var lock sync.Mutex
	var stops []chan struct{}
	started := time.Now()
	return func(*http.Request) {
		wanted := 150 - int(130*math.Cos(2*math.Pi*time.Since(started).Minutes()/50))
		lock.Lock()
		defer lock.Unlock()
		for len(stops) < wanted {
			stop := make(chan struct{})
			stops = append(stops, stop)
			go func() { <-stop }()
		}
		for len(stops) > wanted {
			close(stops[len(stops)-1])
			stops = stops[:len(stops)-1]
		}
		h.held.Store(int64(len(stops)))
	}
}

// GOGC=off with a memory limit: garbage piles up until the limit.
func gcOff(h *host) func(*http.Request) {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(256 << 20)
	base := make([]byte, 8<<20)
	return func(*http.Request) {
		base[rand.Intn(len(base))]++
		scrap := make([]byte, 40<<10)
		base[0] += scrap[rand.Intn(len(scrap))]
	}
}

// One goroutine and 30 KiB for each client that is connected: what the load decides.
func sessionsLive(h *host) func(*http.Request) {
	return func(r *http.Request) {
		h.held.Add(1)
		defer h.held.Add(-1)
		state := make([]byte, 30<<10)
		<-r.Context().Done()
		state[0]++
	}
}

// The last 40,000 lines are kept for a page of logs.
func ringLog(h *host) func(*http.Request) {
	var lock sync.Mutex
	lines := make([]string, 40000)
	next := 0
	return func(*http.Request) {
		lock.Lock()
		defer lock.Unlock()
		for range 2 {
			lines[next%len(lines)] = fmt.Sprintf("%s request %d %0400d", time.Now(), next, next)
			next++
		}
	}
}

// Nothing happens but scrapes.
func idle(*host) func(*http.Request) { return func(*http.Request) {} }
