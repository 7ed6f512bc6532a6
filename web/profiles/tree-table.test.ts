import assert from 'node:assert/strict';
import { it } from 'node:test';
import { madeTree } from '../../test/browser/made-tree.ts';
import { initiallyOpen, isLeaf, openPathTo, openRows } from './tree-table.tsx';

it('the table opens along the widest path, and down to the selected node', () => {
  const tree = madeTree([
    ['main;serve;read', 8],
    ['main;poll', 2],
    ['idle;sleep', 1],
  ]);
  const names = (open: ReadonlySet<number>): string[] =>
    openRows(tree, open).map(node => (node === 0 ? 'all' : tree.frames.names[tree.frame[node]]));
  assert.deepEqual(names(new Set([0])), ['all', 'main', 'idle']);
  assert.deepEqual(names(initiallyOpen(tree)), ['all', 'main', 'serve', 'read', 'poll', 'idle']);
  const sleep = [...tree.frame].indexOf(tree.frames.names.indexOf('sleep'));
  assert.ok(isLeaf(tree, sleep));
  assert.deepEqual(names(openPathTo(tree, new Set([0]), sleep)), ['all', 'main', 'idle', 'sleep']);
});
