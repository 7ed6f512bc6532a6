/** DataDog/gostackparse's fixtures: reads each X.txt, renders it in its JSON form, and compares with X.golden.json. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { readDebug2 } from '../../src/profile/formats/goroutine-text/debug2.ts';
import { goroutineFlags, type GoroutineDump } from '../../src/profile/goroutine-dump.ts';

export interface PairResult {
  readonly name: string;
  readonly passed: boolean;
  readonly detail?: string;
}

/** Third-party data, read in place. */
export const gostackparseFixtures: string = fileURLToPath(
  new URL('../../../shared/conformance/DataDog-gostackparse/test-fixtures', import.meta.url),
);

const NANOSECONDS_PER_MINUTE = 60e9;

/** Why some goldens lack a goroutine that our reader keeps. */
const dropsDamaged =
  'gostackparse drops a goroutine with an unreadable or missing line; oakum keeps what it could read and flags it';

/** The result of every pair; empty if the fixtures are missing. */
export async function gostackparsePairs(fixtures: string = gostackparseFixtures): Promise<PairResult[]> {
  if (!existsSync(fixtures)) return [];
  const names = (await readdir(fixtures)).filter(file => file.endsWith('.txt')).map(file => file.slice(0, -4));
  return Promise.all(
    names.sort().map(async name => {
      const golden: unknown = JSON.parse(await readFile(join(fixtures, `${name}.golden.json`), 'utf8'));
      const dump = readDebug2(await readFile(join(fixtures, `${name}.txt`)));
      const rendered = renderDump(dump);
      const passed = isDeepStrictEqual(rendered, golden);
      if (!passed)
        return { name, passed, detail: `expected ${JSON.stringify(golden)}, got ${JSON.stringify(rendered)}` };
      return isWhole(dump) ? { name, passed } : { name, passed, detail: dropsDamaged };
    }),
  );
}

interface Frame {
  readonly Func: string;
  readonly File: string;
  readonly Line: number;
}

interface Goroutine {
  readonly ID: number;
  readonly State: string;
  readonly Wait: number;
  readonly LockedToThread: boolean;
  readonly Stack: readonly Frame[];
  readonly FramesElided: boolean;
  readonly CreatedBy: Frame | null;
  readonly Ancestor?: Goroutine;
}

const incomplete = goroutineFlags.damaged | goroutineFlags.cut;

function isWhole(dump: GoroutineDump): boolean {
  return dump.goroutines.flags.every(flags => (flags & incomplete) === 0);
}

function renderDump(dump: GoroutineDump): { Errors: string[] | null; Goroutines: Goroutine[] | null } {
  const errors = dump.problems.map(
    ({ kind, line, text }) => `invalid ${kind} on line ${line}: ${JSON.stringify(text)}`,
  );
  const { truncated } = dump;
  if (truncated !== undefined && truncated.reason !== 'empty') {
    errors.push(`invalid ${truncated.expected} on line ${truncated.line}: ""`);
  }
  const rows = Array.from(dump.goroutines.flags.keys()).filter(row => (dump.goroutines.flags[row] & incomplete) === 0);
  return {
    Errors: errors.length === 0 ? null : errors,
    Goroutines: truncated?.reason === 'empty' ? null : rows.map(row => renderGoroutine(dump, row)),
  };
}

function renderGoroutine(dump: GoroutineDump, row: number): Goroutine {
  const { goroutines, strings } = dump;
  const flags = goroutines.flags[row];
  const ancestor = renderAncestor(dump, goroutines.ancestorStart[row], goroutines.ancestorStart[row + 1]);
  return {
    ID: goroutines.id[row],
    State: strings[goroutines.state[row]],
    Wait: Math.max(0, goroutines.waitMinutes[row]) * NANOSECONDS_PER_MINUTE,
    LockedToThread: (flags & goroutineFlags.lockedToThread) !== 0,
    Stack: renderStack(dump, goroutines.stack[row]),
    FramesElided: (flags & goroutineFlags.framesElided) !== 0,
    CreatedBy: renderCreator(dump, goroutines.creator[row]),
    ...ancestor,
  };
}

function renderAncestor(dump: GoroutineDump, from: number, end: number): { Ancestor?: Goroutine } {
  if (from >= end) return {};
  const { ancestors } = dump;
  return {
    Ancestor: {
      ID: ancestors.id[from],
      State: '',
      Wait: 0,
      LockedToThread: false,
      Stack: renderStack(dump, ancestors.stack[from]),
      FramesElided: dump.stacks.elidedAt[ancestors.stack[from]] >= 0,
      CreatedBy: renderCreator(dump, ancestors.creator[from]),
      ...renderAncestor(dump, from + 1, end),
    },
  };
}

function renderStack(dump: GoroutineDump, stack: number): Frame[] {
  const { frameStart, frames } = dump.stacks;
  return Array.from(frames.subarray(frameStart[stack], frameStart[stack + 1]), frame => renderFrame(dump, frame));
}

function renderCreator(dump: GoroutineDump, creator: number): Frame | null {
  return creator < 0 ? null : renderFrame(dump, creator);
}

function renderFrame({ frames, strings }: GoroutineDump, frame: number): Frame {
  return { Func: strings[frames.fn[frame]], File: strings[frames.file[frame]], Line: frames.line[frame] };
}
