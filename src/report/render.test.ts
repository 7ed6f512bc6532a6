import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { HEAP, input, LISTENER, MATCH, SAMPLES } from '../../test/double/analyses.ts';
import type { Analysis, Finding } from '../judge/analysis.ts';
import { ANALYSIS_FORMATS, type AnalysisFormat, renderAnalysis, renderText, type TextOptions } from './render.ts';
import { displayWidth } from '../base/text-layout.ts';
import { ANSI } from './layout.ts';

const GOLDENS = join(dirname(fileURLToPath(import.meta.url)), 'goldens');

/** OAKUM_UPDATE_GOLDENS=1 rewrites them. */
async function compare(name: string, sample: string, format: AnalysisFormat, options: TextOptions = {}): Promise<void> {
  const text = await renderAnalysis(SAMPLES[sample], format, options);
  const path = join(GOLDENS, name);
  if (process.env['OAKUM_UPDATE_GOLDENS'] === '1') {
    mkdirSync(GOLDENS, { recursive: true });
    writeFileSync(path, text);
  }
  assert.ok(existsSync(path), `${name} is missing: OAKUM_UPDATE_GOLDENS=1`);
  assert.equal(text, readFileSync(path, 'utf8'));
}

describe('reports', () => {
  for (const sample of Object.keys(SAMPLES)) {
    for (const format of ANALYSIS_FORMATS) {
      it(`${sample} -o ${format}`, () => compare(`${sample}.${format}.golden`, sample, format));
    }
  }
  it('leak --top 1', () => compare('leak.text.top1.golden', 'leak', 'text', { top: 1 }));
  it('leak --show g-9f', () => compare('leak.text.show.golden', 'leak', 'text', { show: 'g-9f' }));
  it('leak in 80 columns', () => compare('leak.text.width80.golden', 'leak', 'text', { width: 80 }));

  it('json and yaml are the analysis itself', async () => {
    for (const analysis of Object.values(SAMPLES)) {
      assert.deepEqual(JSON.parse(await renderAnalysis(analysis, 'json')), analysis);
      assert.deepEqual(parse(await renderAnalysis(analysis, 'yaml')), JSON.parse(JSON.stringify(analysis)));
    }
  });

  it('keeps prose within the width; only commands and names may be longer', () => {
    for (const width of [60, 80, 100]) {
      for (const [name, analysis] of Object.entries(SAMPLES)) {
        for (const line of renderText(analysis, { width }).split('\n')) {
          const mayBeLong = /^ {5,}kubectl |^ {3}(?:check|at) |^ {12}\S*$/.test(line);
          assert.ok(mayBeLong || displayWidth(line) <= width, `${name} ${width}: ${line}`);
        }
      }
    }
  });

  it('adds colour only by the style, and keeps the words', () => {
    const plain = renderText(SAMPLES['leak']);
    const coloured = renderText(SAMPLES['leak'], { style: ANSI });
    assert.doesNotMatch(plain, /\x1b/);
    assert.match(coloured, /\x1b\[1;31mLEAK\x1b\[0m/);
    assert.equal(coloured.replace(/\x1b\[[\d;]*m/g, ''), plain);
  });

  it('prints the id that --show takes', () => {
    const text = renderText(SAMPLES['leak'], { width: 60 });
    assert.match(text, /^ {3}kubelet\..*….* \[h-1a2b3c4d5e\]$/m);
    const bare = { ...HEAP, family: { ...HEAP.family, id: '' } };
    assert.doesNotMatch(renderText({ ...SAMPLES['leak'], findings: [bare] }), /\[\]/);
  });

  it('leaves out what is unknown', async () => {
    const growth = {
      from: 9,
      to: 9,
      delta: 0,
      perHour: 0,
      perHourRange: null,
      perOperation: null,
      monotone: true,
      seconds: null,
      compared: null,
    } as const;
    const finding: Finding = { ...HEAP, count: 0, growth, retention: null, owner: { name: 'unknown', inferred: true } };
    for (const format of ['text', 'wide', 'markdown'] as const) {
      const text = await renderAnalysis({ ...SAMPLES['leak'], findings: [finding] }, format);
      assert.match(text, /21\.3 MiB, 61% of the live heap/);
      assert.match(text, /9 B -(?:>|&gt;) 9 B \(0 B\), 0 B\/h$/m);
      assert.doesNotMatch(text, / objects|\bowner\b|never fell/, format);
    }
  });

  it('lists the families when --show names another', () => {
    assert.equal(
      renderText(SAMPLES['leak'], { show: 'g-0' }),
      'No family g-0 in this analysis: it has h-1a2b3c4d5e, g-9f8e7d6c5b.\n',
    );
    assert.match(renderText(SAMPLES['healthy'], { show: 'x' }), /it has no findings/);
  });
});

describe('hostile names', () => {
  const evil =
    '\x1b[2J\x1b]0;x\x07\u202eabc\u009b31m\r\n|`</td><script>alert(1)</script> @all #1 [x](http://e.vil) \udc9b';
  const hostile: Analysis = {
    ...SAMPLES['leak'],
    sentence: `${evil} leaks`,
    reasons: [evil],
    inputs: [input(evil, { target: evil, error: evil })],
    findings: [
      {
        ...LISTENER,
        target: evil,
        family: {
          ...LISTENER.family,
          id: evil,
          title: evil,
          frames: [evil],
          places: [evil],
          at: evil,
          createdBy: evil,
          createdAt: evil,
          state: evil,
          labels: [{ labels: { [evil]: evil }, count: 1 }],
        },
        lock: { kind: 'unknown', of: evil, links: [], isElsewhere: false, sentences: [evil] },
        owner: { name: evil, inferred: true },
        reasons: [evil],
        advice: [evil],
        matches: [{ ...MATCH, ref: evil, title: evil, why: [evil], hazards: [evil] }],
      },
    ],
    missing: [{ what: evil, why: evil, command: evil }],
  };

  it('lets no control, bidirectional or invisible character through in any format', async () => {
    for (const format of ANALYSIS_FORMATS) {
      const text = await renderAnalysis(hostile, format);
      // The joiner comes from Oakum: it breaks mentions in markdown.
      const rest = format === 'markdown' ? text.replaceAll('\u2060', '') : text;
      assert.doesNotMatch(rest, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2060]/, format);
      assert.doesNotMatch(rest, /\p{Cs}/u, format);
    }
    assert.match(renderText(hostile, { show: evil }), /\\x1b\[2J/);
    assert.doesNotMatch(renderText(hostile, { show: 'nope' }), /\x1b/);
  });

  it('keeps the values in json and yaml', async () => {
    assert.deepEqual(JSON.parse(await renderAnalysis(hostile, 'json')), hostile);
    const read = parse(await renderAnalysis(hostile, 'yaml')) as Analysis;
    assert.equal(read.findings[0].family.title, evil);
  });

  it('interprets nothing in markdown', async () => {
    const text = await renderAnalysis(hostile, 'markdown');
    const outside = text
      .replace(/^(`{3,})\n[\s\S]*?\n\1$/gm, '')
      .replace(/(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, match => (match.includes('\n') ? match : ''));
    assert.doesNotMatch(outside, /<script|<\/td/);
    assert.doesNotMatch(outside, /(?<!\\)\[x(?<!\\)\]/);
    assert.doesNotMatch(outside, /@all|[^\\]#1\b|http:\/\/e/);
    for (const line of text.split('\n').filter(line => line.startsWith('| ') && line.includes('script'))) {
      const cells = line.split(/(?<!\\)\|/).length - 2;
      assert.ok(cells === 6 || cells === 2, line);
    }
  });
});
