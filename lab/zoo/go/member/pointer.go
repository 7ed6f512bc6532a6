package main

// #include <stdlib.h>
import "C"
import "unsafe"

func pointerOf(text *C.char) unsafe.Pointer { return unsafe.Pointer(text) }
