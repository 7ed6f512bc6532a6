/** Heap profiles as text: tcmalloc's heapz and heapprofile, growth, fragmentation, and Go's heap at debug=1. */
import type { ValueType } from '../../profile.ts';
import { Draft } from './draft.ts';
import { isBlankOrComment } from './go-space.ts';
import { parseHeapHeader, type HeapHeader } from './heap-header.ts';
import { readHeapRow } from './heap-row.ts';
import { LineScanner } from './line-scanner.ts';
import { readAdditionalSections } from './memory-map.ts';
import { unrecognized, type Unrecognized } from './unrecognized.ts';

// In use comes last, because pprof shows the last type by default.
const ALLOCATED_AND_IN_USE: readonly ValueType[] = [
  { type: 'alloc_objects', unit: 'count' },
  { type: 'alloc_space', unit: 'bytes' },
  { type: 'inuse_objects', unit: 'count' },
  { type: 'inuse_space', unit: 'bytes' },
];
const IN_USE: readonly ValueType[] = [
  { type: 'objects', unit: 'count' },
  { type: 'space', unit: 'bytes' },
];

export function newHeapDraft(header: HeapHeader): Draft {
  return new Draft(
    header.hasAllocated ? ALLOCATED_AND_IN_USE : IN_USE,
    { type: 'space', unit: 'bytes' },
    header.period,
  );
}

export function readHeap(bytes: Uint8Array): Draft | Unrecognized {
  const lines = new LineScanner(bytes);
  const isThere = lines.scan();
  lines.check();
  const header = isThere ? parseHeapHeader(bytes, lines.start, lines.end) : undefined;
  if (header === undefined) return unrecognized(1);
  const draft = newHeapDraft(header);
  while (lines.scan()) {
    if (isBlankOrComment(bytes, lines.start, lines.end)) continue;
    if (lines.isMemoryMapSentinel) break;
    readHeapRow(lines, draft, header);
  }
  lines.check();
  readAdditionalSections(lines, draft);
  return draft;
}
