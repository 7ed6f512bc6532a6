/** docs/analysis-json.md: the example has the shape of the types, and every field is documented. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Analysis } from '../judge/analysis.ts';
import type { Ledger } from '../judge/ledger/ledger.ts';
import { ANALYSIS_FORMATS, renderAnalysis } from './render.ts';

const LEDGER: Ledger = {
  verdict: 'leak',
  probability: 0,
  claims: { stays: 0, unbounded: 0, unwanted: 0 },
  entries: [
    { kind: 'metric-trend', claims: ['stays'], logOdds: 0, shows: '', sentence: '', strength: 'proof', counted: true },
  ],
  vetoes: [{ kind: 'density', sentence: '' }],
};

/** A value of every field; the compiler keeps it complete. */
const SHAPE: Analysis = {
  schema: 'oakum.analysis/v1',
  sentence: '',
  verdict: 'unknown',
  reasons: [''],
  inputs: [{ path: '', kind: 'heap', target: '', takenAt: '', since: '', truncated: null, goVersion: '', error: null }],
  findings: [
    {
      target: '',
      verdict: 'leak',
      resource: 'heap',
      family: {
        id: '',
        title: '',
        frames: [''],
        places: [''],
        at: '',
        createdBy: null,
        createdAt: null,
        caller: null,
        state: null,
        labels: [{ labels: { a: '' }, count: 0 }],
      },
      count: 0,
      bytes: 0,
      share: 0,
      life: { number: 1, of: 2 },
      growth: {
        from: 0,
        to: 0,
        delta: 0,
        perHour: 0,
        perHourRange: [0, 0],
        perOperation: 0,
        monotone: true,
        seconds: 0,
        compared: '',
      },
      retention: {
        retainedShare: [0, 0, 0],
        samples: 0,
        liveSamples: 0,
        allocatedObjects: 0,
        liveObjects: 0,
        allocatedBytes: 0,
        liveBytes: 0,
        sites: 0,
        keptSites: 0,
        perHour: [0, 0, 0],
        ageSeconds: 0,
        ageFrom: 'metrics',
        isOneTime: false,
        store: '',
        undecided: '',
        since: { seconds: 0, samples: 0, allocatedBytes: 0, retainedBytes: 0, retainedShare: [0, 0, 0] },
      },
      waitMinutes: { median: 0, max: 0 },
      ages: { shape: 'steady', perHour: [0, 0, 0], sinceMinutes: 0, binMinutes: 0, bins: [0] },
      holds: [{ what: 'descriptors', bytes: 0 }],
      lock: {
        kind: 'holder',
        of: '',
        links: [{ role: 'holder', of: '', family: '', title: '', function: '', at: '', state: '', waitMinutes: 0 }],
        isElsewhere: false,
        sentences: [''],
      },
      owner: { name: '', inferred: false },
      cause: { id: '', title: '', meaning: '', check: [''], act: [''], avoid: [''], benign: false },
      matches: [
        {
          id: '',
          ref: '',
          title: '',
          culprit: '',
          grade: 'confirmed',
          affected: 'affected',
          fixedIn: [''],
          sideEffects: [''],
          workaround: '',
          hazards: [''],
          fixedKeeps: '',
          why: [''],
        },
      ],
      reasons: [''],
      advice: [''],
      ledger: LEDGER,
      decides: '',
    },
  ],
  shown: [
    {
      path: '',
      line: 1,
      what: '',
      headline: '',
      shows: [''],
      lacks: [''],
      matches: [],
      decides: { why: '', command: '' },
    },
  ],
  missing: [{ what: '', why: '', command: '' }],
  ledgers: [{ target: '', resource: 'heap', ...LEDGER }],
};

const DOC = readFileSync(new URL('../../docs/analysis-json.md', import.meta.url), 'utf8');
const EXAMPLE: unknown = JSON.parse(/```json\n([\s\S]*?)```/.exec(DOC)?.[1] ?? 'null');

describe('docs/analysis-json.md', () => {
  it('has an example of the right shape', () => {
    assert.deepEqual(differences(EXAMPLE, SHAPE, '$'), []);
  });

  it('names every field', () => {
    const names = new Set(Array.from(DOC.matchAll(/`([\w.[\]-]+)`/g), match => match[1].split('.').pop()));
    assert.deepEqual(
      [...fieldsOf(SHAPE)].filter(field => field !== 'a' && !names.has(field)),
      [],
    );
  });

  it('shows a difference when there is one', () => {
    const { sentence: _, ...rest } = SHAPE;
    assert.deepEqual(differences({ ...rest, reasons: [1], more: 0 }, SHAPE, '$'), [
      '$.sentence is missing',
      '$.reasons[0] is number, not string',
      '$.more is not documented',
    ]);
  });

  it('renders in every format', async () => {
    for (const format of ANALYSIS_FORMATS) assert.ok((await renderAnalysis(EXAMPLE as Analysis, format)).length > 200);
  });
});

/** Where the fields and types of `value` differ from those of `shape`; maps named `labels` may hold anything. */
function differences(value: unknown, shape: unknown, at: string): string[] {
  if (shape === null || value === null) return [];
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${at} is ${typeof value}, not a list`];
    return value.flatMap((item, i) => differences(item, shape[0], `${at}[${i}]`));
  }
  if (typeof value !== typeof shape) return [`${at} is ${typeof value}, not ${typeof shape}`];
  if (typeof shape !== 'object' || /labels\[\d+\]\.labels$/.test(at)) return [];
  const [have, want] = [value as Record<string, unknown>, shape as Record<string, unknown>];
  const missing = Object.keys(want).flatMap(key =>
    key in have ? differences(have[key], want[key], `${at}.${key}`) : [`${at}.${key} is missing`],
  );
  return [...missing, ...Object.keys(have).flatMap(key => (key in want ? [] : [`${at}.${key} is not documented`]))];
}

function fieldsOf(value: unknown, into: Set<string> = new Set()): Set<string> {
  if (Array.isArray(value)) for (const item of value) fieldsOf(item, into);
  else if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      into.add(key);
      fieldsOf(inner, into);
    }
  }
  return into;
}
