// A Go daemon that keeps what it allocates, at a pace that is known: 64 KiB every 100 ms are 2,250 MiB an hour. It has
// /debug/pprof and no /metrics, as many daemons do; /kept tells the truth.
package main

import (
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof"
	"sync/atomic"
	"time"
)

var kept atomic.Int64

func main() {
	listen := flag.String("listen", "127.0.0.1:6061", "HOST:PORT")
	every := flag.Duration("every", 100*time.Millisecond, "between two allocations")
	size := flag.Int("bytes", 64<<10, "of each allocation")
	flag.Parse()

	go keepOn(*every, *size)
	http.HandleFunc("/kept", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "{\"allocations\": %d, \"bytes\": %d}\n", kept.Load(), kept.Load()*int64(*size))
	})
	log.Fatal(http.ListenAndServe(*listen, nil))
}

// By the clock and not by a ticker, which drops what it is late for.
func keepOn(every time.Duration, size int) {
	var store [][]byte
	for next := time.Now(); ; next = next.Add(every) {
		time.Sleep(time.Until(next))
		store = append(store, keep(size))
		kept.Add(1)
	}
}

//go:noinline
func keep(size int) []byte {
	return make([]byte, size)
}
