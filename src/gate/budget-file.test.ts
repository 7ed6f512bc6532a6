import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Budget,
  budgetOf,
  exceptionFor,
  expired,
  familyBudget,
  hourlyBudgetOf,
  type NamedFamily,
  shareIn,
} from './budget.ts';
import { readBudget } from './budget-file.ts';

const CONTENT = {
  budgets: [
    { resource: 'heap', max: '1Ki' },
    { resource: 'heap', package: 'example.com/cache', max: '64Ki' },
    { resource: 'heap', family: 'h-0123456789', max: '2Mi' },
    { resource: 'goroutines', label: 'controller=sync', max: '0.5' },
    { resource: 'goroutines', per: 'hour', max: '10' },
  ],
  exceptions: [
    { family: 'g-1a2b3c4d5e', reason: 'waits for the fix', issue: 'https://example.com/7', until: '2027-01-31' },
    { package: 'example.com/old', reason: 'goes away', until: '2026-01-01' },
  ],
};
const named = (id: string, frames: string[], labels: [string, number][] = []): NamedFamily => ({
  family: { id, kind: 'heap', frames, closures: [], title: '', ownerPackage: '' },
  labelSets: labels.map(([value, count]) => ({ labels: [['controller', value]], count })),
});
const CACHE = named('h-1111111111', ['bytes.growSlice', 'example.com/cache.(*Store).Put']);

describe('a budget', () => {
  const { budget: file, problems } = readBudget(CONTENT, 'oakum.budget.yaml');
  const budget: Budget = { ...file, baseline: undefined };

  it('applies the row that says most', () => {
    assert.deepEqual(problems, []);
    assert.equal(familyBudget(budget, 'heap', CACHE), 65_536);
    assert.equal(familyBudget(budget, 'heap', named('h-0123456789', CACHE.family.frames as string[])), 2 * 1024 ** 2);
    assert.equal(familyBudget(budget, 'heap', named('h-2', ['example.com/cached.Put'])), 1024);
    const synced = named(
      'g-1',
      ['main.run'],
      [
        ['sync', 9],
        ['other', 1],
      ],
    );
    assert.equal(familyBudget(budget, 'goroutines', synced), 0.5);
    assert.equal(shareIn({ family: undefined, package: undefined, label: 'controller=sync' }, synced), 0.9);
  });

  it('allows a whole resource what its rows allow together', () => {
    assert.equal(budgetOf(budget, 'heap'), 1024 + 65_536 + 2 * 1024 ** 2);
    assert.equal(budgetOf(budget, 'goroutines'), 0.51);
    assert.equal(budgetOf(budget, 'threads'), 0.01);
    assert.deepEqual([hourlyBudgetOf(budget, 'goroutines'), hourlyBudgetOf(budget, 'heap')], [10, undefined]);
  });

  it('excepts until a day, and names what is over', () => {
    const leak = named('g-1a2b3c4d5e', ['main.forward']);
    assert.equal(exceptionFor(budget, leak, '2027-01-31')?.reason, 'waits for the fix');
    assert.equal(exceptionFor(budget, leak, '2027-02-01'), undefined);
    assert.deepEqual(
      expired(budget, '2026-11-17').map(one => one.package),
      ['example.com/old'],
    );
  });

  it('says what is wrong, and where', () => {
    const wrong = {
      budgets: [
        { resource: 'memory', max: 'lots' },
        { resource: 'heap', label: 'controller=sync', max: '1' },
        { resource: 'fds', package: 'net', per: 'week', max: ['1'] },
      ],
      exceptions: [{ reason: '', until: 'soon', who: 'me' }],
      limits: '1',
    };
    assert.deepEqual(readBudget(wrong, 'b.yaml').problems, [
      'b.yaml: limits: not known; a budget has baseline, budgets, exceptions',
      'b.yaml: budgets[0].resource: must be one of goroutines, heap, objects, memory outside the Go heap, file descriptors, threads, metric series',
      'b.yaml: budgets[0].max: must be a number, such as 0.01 or 512 or 1Ki',
      'b.yaml: budgets[1]: heap profiles have no labels; only goroutines have budgets by label',
      'b.yaml: budgets[2].max: must be a text or a number',
      'b.yaml: budgets[2].per: must be operation or hour',
      'b.yaml: budgets[2].max: must be a number, such as 0.01 or 512 or 1Ki',
      'b.yaml: exceptions[0].who: not known',
      'b.yaml: exceptions[0]: names no family, package, label or resource',
      'b.yaml: exceptions[0].reason: is missing',
      'b.yaml: exceptions[0].until: must be a day such as 2027-01-31',
    ]);
    assert.deepEqual(readBudget({ budgets: 'x' }, 'b.yaml').problems, ['b.yaml: budgets: must be a list']);
    assert.equal(readBudget('just text', 'b.yaml').problems.length, 1);
  });
});
