// The small programs of the zoo: `member -mode NAME [-ok] -listen ADDRESS -peer HOST`. Each serves /op, which its load
// calls, /counted, where it says what it leaked itself, /metrics and /debug/pprof. With -ok it is the healthy twin.
package main

import (
	"encoding/json"
	"flag"
	"log"
	"net/http"
	_ "net/http/pprof"
	"os"
	"sort"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// What a mode gets: where its peers are, and where to count.
type host struct {
	ok      bool
	httpURL string // of the peer
	redis   string
	tcp     string
	grpc    string
	leaked  atomic.Int64 // what was made and will never be used or freed
	held    atomic.Int64 // what is in use by intent
	ops     atomic.Int64
}

// A mode prepares itself and returns what one request does.
type mode func(h *host) func(r *http.Request)

var modes = map[string]mode{}

func main() {
	name := flag.String("mode", "", "which program")
	ok := flag.Bool("ok", false, "its healthy twin")
	listen := flag.String("listen", "127.0.0.1:0", "address")
	h := &host{}
	flag.StringVar(&h.httpURL, "http", "", "URL of the HTTP peer")
	flag.StringVar(&h.redis, "redis", "", "address of the Redis peer")
	flag.StringVar(&h.tcp, "tcp", "", "address of the TCP peer")
	flag.StringVar(&h.grpc, "grpc", "", "address of the gRPC peer")
	flag.Parse()
	h.ok = *ok
	make, found := modes[*name]
	if !found {
		var names []string
		for name := range modes {
			names = append(names, name)
		}
		sort.Strings(names)
		log.Printf("no mode %q; there are %v", *name, names)
		os.Exit(2)
	}
	started := time.Now()
	op := make(h)
	http.HandleFunc("/op", func(w http.ResponseWriter, r *http.Request) {
		h.ops.Add(1)
		op(r)
		_, _ = w.Write([]byte("done\n"))
	})
	http.HandleFunc("/counted", func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"mode": *name, "ok": *ok, "up": time.Since(started).Seconds(),
			"leaked": h.leaked.Load(), "held": h.held.Load(), "ops": h.ops.Load(),
		})
	})
	http.Handle("/metrics", promhttp.Handler())
	server := &http.Server{Addr: *listen, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// A request leaks in one of n operations.
func oneIn(n int64, h *host) bool { return h.ops.Load()%n == 0 }

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
