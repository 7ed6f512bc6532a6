/** The table of rooms and the records on small trees: they match the sources, and offences can only decrease. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { arrowsOf } from './graph.ts';
import { type Known, outdated, refreshed, unknownOffences } from './known.ts';
import { type Offence, offenceText } from './offence.ts';
import type { Tree, TreeFile } from './read/tree.ts';
import { roomOffences, type Rooms, roomsOf, unusedArrows } from './rules/rooms.ts';

describe('the table of rooms', () => {
  const tree: Tree = new Map([
    ['src/base/a.ts', importing()],
    ['src/profile/a.ts', importing('../base/a.ts')],
    ['src/judge/a.ts', importing('../profile/a.ts')],
    ['src/judge/a.test.ts', importing('../base/a.ts')],
  ]);
  const arrows = arrowsOf(tree);
  const table = (rows: Readonly<Record<string, readonly string[]>>): Rooms =>
    new Map(Object.entries(rows).map(([room, imports]) => [room, new Set(imports)]));
  const rooms = table({ base: [], profile: ['base'], judge: ['profile'] });

  it('is what the sources do', () => {
    assert.deepEqual(roomsOf(table({ base: [], profile: [], judge: ['base'] }), arrows), rooms);
    assert.deepEqual(roomOffences(tree, arrows, rooms), []);
    assert.deepEqual(unusedArrows(rooms, arrows), []);
  });

  it('has every arrow and no other', () => {
    const texts = roomOffences(tree, arrows, table({ base: [], profile: [], judge: ['profile'] })).map(offenceText);
    assert.deepEqual(texts, [
      'src/profile/a.ts:1: profile imports base, which the table of docs/architecture.md does not list',
    ]);
    const more = table({ base: [], profile: ['base'], judge: ['profile', 'base'] });
    assert.deepEqual(unusedArrows(more, arrows), ['docs/architecture.md: judge no longer imports base']);
  });

  it('orders the rooms', () => {
    const [offence] = roomOffences(tree, arrows, table({ profile: ['base'], base: [], judge: ['profile'] }));
    assert.equal(offence?.problem, 'profile may not import base (src/base/a.ts)');
  });
});

describe('records', () => {
  const offence = (path: string, weight = 1, rule = 'state'): Offence => ({
    rule,
    path,
    line: 1,
    problem: 'x',
    weight,
  });
  const known = (figures: Readonly<Record<string, number>>): Known => new Map(Object.entries(figures));
  const texts = (offences: readonly Offence[], recorded: Known): string[] =>
    unknownOffences(offences, recorded).map(offenceText);

  it('allow as much as they list, by rule and file', () => {
    const two = [offence('a.ts'), offence('a.ts')];
    assert.deepEqual(texts(two, known({ 'state a.ts': 2 })), []);
    assert.deepEqual(texts(two, known({ 'state a.ts': 1 })), Array(2).fill('a.ts:1: x (known: 1, now: 2)'));
    assert.deepEqual(texts([offence('a.ts')], known({ 'state b.ts': 1, 'unit a.ts': 1 })), ['a.ts:1: x']);
    assert.deepEqual(texts([offence('a.ts', 20)], known({ 'state a.ts': 19 })), ['a.ts:1: x (known: 19, now: 20)']);
  });

  it('are out of date when something was fixed', () => {
    assert.deepEqual(outdated([offence('a.ts')], known({ 'state a.ts': 2, 'unit a.ts': 1 })), [
      'known.txt: state a.ts has 1, not 2',
      'known.txt: unit a.ts has 0, not 1',
    ]);
  });

  it('follow a file that is moved, split or joined', () => {
    const after = [offence('c.ts', 2), offence('d.ts')];
    const result = refreshed(after, known({ 'state a.ts': 2, 'state b.ts': 2 }));
    assert.deepEqual(result, { known: known({ 'state c.ts': 2, 'state d.ts': 1 }), refused: [] });
  });

  it('never grow: what is new is refused, by rule', () => {
    const result = refreshed(
      [offence('a.ts', 3), offence('b.ts', 1), offence('c.ts', 1, 'unit')],
      known({ 'state a.ts': 2, 'state b.ts': 1, 'unit a.ts': 5 }),
    );
    assert.deepEqual(result.known, known({ 'state a.ts': 2, 'state b.ts': 1, 'unit c.ts': 1 }));
    assert.deepEqual(result.refused, ['state 3 a.ts (known: 2)']);
  });
});

/** A file that only imports. */
function importing(...specifiers: string[]): TreeFile {
  const loads = specifiers.map(specifier => ({ kind: 'module', specifier, line: 1 }) as const);
  const nothing = { globals: [], loaders: [], exports: [], reexports: [], ambient: [], functions: [], found: [] };
  return { lines: 1, source: { loads, ...nothing } };
}
