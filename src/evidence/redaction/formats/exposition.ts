/**
 * Metrics text without names: samples with their label values hidden, types, and the marks between scrapes. Help,
 * exemplars, comments and unreadable lines are left out.
 *
 *     prober_probe_total{pod="web-7f9c",probe_type="Liveness"} 14
 *     prober_probe_total{pod="redacted-kqzjxabcdef",probe_type="Liveness"} 14
 */
import { decodeText, encodeText } from '../../../base/text.ts';
import { ByteScanner, textStart } from '../../../base/byte-scan.ts';
import { redactLabelKey, redactMetricLabel, redactMetricName } from '../label-vocabulary.ts';
import type { Redactor } from '../redactor.ts';
import { parseLabels, parseScrapeMark } from '../../formats/exposition/exposition.ts';

const TYPE =
  /^# (TYPE|UNIT) ([^\s"]+|"[^"\s]+") (counter|gauge|histogram|summary|untyped|unknown|info|stateset|gaugehistogram|seconds|bytes|ratio|celsius|meters|volts|joules|grams|amperes)\s*$/;
const VALUE = /^[ \t]+([0-9+\-.eEnNaAiIfFtTyY]+)(?:[ \t]+(-?[\d.]+))?[ \t]*(?:#.*|\r)?$/;
const ENDPOINTS = /^\/(?:metrics(?:\/(?:cadvisor|probes|resource|slis))?|stats\/summary)$/;
/** Fields of a mark; any other is a name, even if it is made of digits: nodes can be called by their addresses. */
const NUMBER_FIELDS: ReadonlyMap<string, RegExp> = new Map([
  ['ts', /^\d{1,11}(?:\.\d{1,9})?$/],
  ['status', /^\d{1,3}$/],
]);
const PART_LINES = 50_000;

export function redactExposition(bytes: Uint8Array, redactor: Redactor): Uint8Array[] {
  const parts: Uint8Array[] = [];
  const series = new Map<string, string | undefined>();
  const scanner = new ByteScanner(bytes);
  let lines: string[] = [];
  let failed = false;
  const flush = (): void => {
    if (lines.length > 0) parts.push(encodeText(`${lines.join('\n')}\n`));
    lines = [];
  };
  for (let at = textStart(bytes); at < bytes.length;) {
    const newline = scanner.newline(at);
    const line = decodeText(bytes, at, newline);
    at = newline + 1;
    let redacted: string | undefined;
    if (line.startsWith('#')) {
      const mark = redactMark(line, redactor);
      if (mark !== undefined) failed = mark.failed;
      redacted = mark?.line ?? redactComment(line, redactor);
    } else if (!failed) redacted = redactSample(line, series, redactor);
    if (redacted === undefined) continue;
    lines.push(redacted);
    if (lines.length >= PART_LINES) flush();
  }
  flush();
  return parts;
}

function redactComment(line: string, redactor: Redactor): string | undefined {
  if (line.trimEnd() === '# EOF') return '# EOF';
  const [, word, quoted, type] = TYPE.exec(line) ?? [];
  if (quoted === undefined) return undefined;
  const isQuoted = quoted.startsWith('"');
  const name = redactMetricName(isQuoted ? quoted.slice(1, -1) : quoted, redactor);
  return `# ${word} ${isQuoted ? `"${name}"` : name} ${type}`;
}

function redactMark(line: string, redactor: Redactor): { line: string; failed: boolean } | undefined {
  if (line.length > 400) return undefined;
  const mark = parseScrapeMark(line);
  if (mark === undefined) return undefined;
  const fields = Array.from(line.matchAll(/ (\w+)=(\S*)/g), ([, key = '', value = '']) => {
    const number = NUMBER_FIELDS.get(key);
    if (number !== undefined) return number.test(value) ? [`${key}=${value}`] : [];
    if (key === 'node') return [`node=${redactor.hide('name', value)}`];
    if (key === 'path') return [`path=${ENDPOINTS.test(value) ? redactor.keep(value) : redactor.hide('path', value)}`];
    redactor.remove('text', value);
    return [];
  }).flat();
  return { line: `# CAPTURE scrape ${fields.join(' ')}`, failed: mark.failed };
}

function redactSample(line: string, known: Map<string, string | undefined>, redactor: Redactor): string | undefined {
  const end = seriesEnd(line);
  if (end < 0) return undefined;
  const value = VALUE.exec(line.slice(end));
  if (value === null) return undefined;
  const text = line.slice(0, end);
  let redacted = known.get(text);
  if (redacted === undefined && !known.has(text)) known.set(text, (redacted = redactSeries(text, redactor)));
  if (redacted === undefined) return undefined;
  return `${redacted} ${value[1]}${value[2] === undefined ? '' : ` ${value[2]}`}`;
}

/** Where name and labels end; -1 when the line is not a sample. */
function seriesEnd(line: string): number {
  const name = /^[ \t]*(?:[a-zA-Z_:][\w:.]*)?/.exec(line)?.[0] ?? '';
  const open = /^[ \t]*\{/.exec(line.slice(name.length));
  if (open === null) return name.trim() === '' ? -1 : name.length;
  for (let i = name.length + open[0].length; i < line.length; i++) {
    if (line[i] === '}') return i + 1;
    if (line[i] !== '"') continue;
    for (i++; i < line.length && line[i] !== '"'; i++) if (line[i] === '\\') i++;
  }
  return -1;
}

function redactSeries(text: string, redactor: Redactor): string | undefined {
  const open = text.indexOf('{');
  const bare = (open < 0 ? text : text.slice(0, open)).trim();
  if (open < 0) return redactMetricName(bare, redactor);
  const inside = text.slice(open + 1, -1);
  const parsed = parseLabels(inside);
  // It still counts as a series.
  if (parsed === undefined)
    return bare === '' ? undefined : `${redactMetricName(bare, redactor)}{labels="${redactor.hide('label', inside)}"}`;
  const name = bare || (parsed.name ?? '');
  const metric = redactMetricName(name, redactor);
  const labels = Object.entries(parsed.labels).map(
    ([key, value]) => `${quotedKey(redactLabelKey(key, redactor))}="${redactMetricLabel(name, key, value, redactor)}"`,
  );
  if (bare !== '') return `${metric}{${labels.join(',')}}`;
  return `{${[JSON.stringify(metric), ...labels].join(',')}}`;
}

function quotedKey(key: string): string {
  return /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(key) ? key : JSON.stringify(key);
}
