// Memory that stays, on the Go heap and outside it.
package main

/*
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
static char *filled(size_t size) { char *p = malloc(size); memset(p, 1, size); return p; }
static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;
static void lock_never(void) { pthread_mutex_lock(&never); }
static void block(void) { pthread_mutex_lock(&never); pthread_mutex_unlock(&never); }
#include <unistd.h>
static void pause_ms(int ms) { usleep(ms * 1000); }
*/
import "C"

import (
	"container/list"
	"context"
	"fmt"
	"math/rand"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"
)

func init() {
	modes["sessions"] = sessions
	modes["backlog"] = backlog
	modes["ctxchain"] = ctxChain
	modes["vanished"] = vanished
	modes["slowheap"] = slowHeap
	modes["cstrings"] = cStrings
	modes["anonmap"] = anonMap
	modes["filemap"] = fileMap
	modes["cgoblock"] = cgoBlock
	modes["threadburst"] = threadBurst
}

// Sessions in a map that nobody prunes; the twin drops those older than a minute.
func sessions(h *host) func(*http.Request) {
	type session struct {
		started time.Time
		data    []byte
	}
	var lock sync.Mutex
	all := map[string]*session{}
	if h.ok {
		go func() {
			for range time.Tick(10 * time.Second) {
				lock.Lock()
				for id, one := range all {
					if time.Since(one.started) > time.Minute {
						delete(all, id)
					}
				}
				lock.Unlock()
			}
		}()
	}
	return func(*http.Request) {
		lock.Lock()
		defer lock.Unlock()
		all[fmt.Sprintf("session-%d", h.ops.Load())] = &session{time.Now(), make([]byte, 2000)}
		if !h.ok {
			h.leaked.Add(1)
		}
	}
}

// One subscriber never reads, and its queue has no bound; the twin drops what is old.
func backlog(h *host) func(*http.Request) {
	var lock sync.Mutex
	queue := list.New()
	return func(*http.Request) {
		lock.Lock()
		defer lock.Unlock()
		queue.PushBack(make([]byte, 1500+rand.Intn(1000)))
		if !h.ok {
			h.leaked.Add(1)
			return
		}
		for queue.Len() > 500 {
			queue.Remove(queue.Front())
		}
	}
}

// A loop wraps its own context in every round.
func ctxChain(h *host) func(*http.Request) {
	type key int
	var lock sync.Mutex
	ctx := context.Background()
	return func(*http.Request) {
		lock.Lock()
		defer lock.Unlock()
		base := ctx
		for i := range 30 {
			base = context.WithValue(base, key(i), h.ops.Load())
		}
		if !h.ok {
			ctx = base
			h.leaked.Add(30)
		}
	}
}

// Subscribers of an event stream whose clients went away stay in the hub, each with its buffered channel.
func vanished(h *host) func(*http.Request) {
	var lock sync.Mutex
	hub := map[int64]chan [64]byte{}
	return func(r *http.Request) {
		if !oneIn(5, h) {
			return
		}
		id := h.ops.Load()
		lock.Lock()
		defer lock.Unlock()
		hub[id] = make(chan [64]byte, 128)
		if !h.ok {
			h.leaked.Add(1)
			return
		}
		context.AfterFunc(r.Context(), func() {
			lock.Lock()
			defer lock.Unlock()
			delete(hub, id)
		})
	}
}

// 12 MiB/h stay, under a working set that swings between 15 and 90 MiB.
func slowHeap(h *host) func(*http.Request) {
	var lock sync.Mutex
	var stays [][]byte
	working := make([][]byte, 0, 90)
	return func(*http.Request) {
		lock.Lock()
		defer lock.Unlock()
		if !h.ok {
			stays = append(stays, make([]byte, 700)) // 5 requests/s
			h.leaked.Add(700)
		}
		if len(working) >= 15+rand.Intn(75) {
			working = working[:15]
			clear(working[15:cap(working)])
		}
		if oneIn(2, h) {
			working = append(working, make([]byte, 1<<20))
		}
	}
}

// C strings that nobody frees.
func cStrings(h *host) func(*http.Request) {
	return func(*http.Request) {
		for range 24 {
			text := C.filled(1000)
			if h.ok {
				C.free(pointerOf(text))
			} else {
				h.leaked.Add(1000)
			}
		}
	}
}

// Anonymous maps that are not unmapped.
func anonMap(h *host) func(*http.Request) {
	return func(*http.Request) {
		if !oneIn(20, h) {
			return
		}
		block, err := syscall.Mmap(-1, 0, 512<<10, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			return
		}
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		if h.ok {
			_ = syscall.Munmap(block)
		} else {
			h.leaked.Add(512 << 10)
		}
	}
}

// A file of 600 MiB is mapped and read bit by bit: resident pages of a file, which the kernel takes back at will.
func fileMap(h *host) func(*http.Request) {
	file := must(os.CreateTemp("", "zoo-map-"))
	_ = os.Remove(file.Name())
	chunk := make([]byte, 1<<20)
	for i := range chunk {
		chunk[i] = byte(i)
	}
	for range 600 {
		must(file.Write(chunk))
	}
	pages := must(syscall.Mmap(int(file.Fd()), 0, 600<<20, syscall.PROT_READ, syscall.MAP_SHARED))
	var sum byte
	return func(*http.Request) {
		from := int(h.ops.Load()) % (600 * 8) * (128 << 10)
		for i := 0; i < 128<<10; i += 4096 {
			sum += pages[from+i]
		}
	}
}

// Calls into C that never come back: each keeps a thread.
func cgoBlock(h *host) func(*http.Request) {
	C.lock_never()
	return func(*http.Request) {
		if !oneIn(20, h) {
			return
		}
		if h.ok {
			go C.pause_ms(800)
			return
		}
		h.leaked.Add(1)
		go C.block()
	}
}

// Now and then 60 calls into C at once: the threads stay for the next burst, the goroutines end.
func threadBurst(h *host) func(*http.Request) {
	return func(*http.Request) {
		if !oneIn(600, h) {
			return
		}
		for range 20 + 10*min(6, h.ops.Load()/600) {
			go C.pause_ms(1500)
		}
	}
}
