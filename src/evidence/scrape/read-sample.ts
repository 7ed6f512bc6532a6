/** One scrape as the values that watch keeps of it. */
import { isUsedFor, SERIES_COUNT } from '../../model/metric-names.ts';
import { FileContent } from '../../formats/content/file-content.ts';
import type { Exposition } from '../../formats/exposition/exposition.ts';
import { ExpositionReader } from '../../formats/exposition/read.ts';
import { recogniseFormat } from '../../formats/registry.ts';
import { ruleFor } from '../recording/metric-rules.ts';
import { yieldToEventLoop } from '../../base/yield-to-event-loop.ts';
import { cycleNameOf, isKeptForCycle } from './kept-cycle-metrics.ts';

export interface ScrapedSample {
  readonly values: Readonly<Record<string, number>>;
  /** `version`, `go`: as far as the metrics tell. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Parsing goes at some hundred MB a second: a piece of this size takes about ten milliseconds. */
const PIECE_BYTES = 2 * 1024 * 1024;

/** Undefined when the body is no metrics text. */
export async function readSample(body: Uint8Array): Promise<ScrapedSample | undefined> {
  if (recogniseFormat(new FileContent(body)) !== 'exposition') return undefined;
  const reader = new ExpositionReader({ select: isNeeded });
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    if (at > 0) await yieldToEventLoop();
    reader.push(body.subarray(at, at + PIECE_BYTES));
  }
  return sampleOf(reader.finish());
}

function sampleOf({ series, samples, seriesCount }: Exposition): ScrapedSample {
  const values: Record<string, number> = {};
  const attributes: Record<string, string> = {};
  const add = (name: string, value: number, isSum: boolean): void => {
    values[name] = isSum && name in values ? values[name] + value : value;
  };
  for (let i = 0; i < samples.series.length; i++) {
    const one = series[samples.series[i]];
    const value = samples.values[i];
    if (!Number.isFinite(value)) continue;
    if (isUsedFor(one.name, 'attributes')) {
      tell(attributes, one.name, one.labels);
      continue;
    }
    const rule = ruleFor(one);
    if (rule !== undefined) add(rule.metric, value, rule.isSum);
    else if (isKeptForCycle(one)) add(one.name, value, true);
    const also = cycleNameOf(one);
    if (also !== undefined) add(also, value, true);
  }
  // Who scraped for us has counted before.
  if (!('scrape_samples_scraped' in values) && seriesCount > 0) values[SERIES_COUNT] = seriesCount;
  return { values, attributes };
}

function tell(
  attributes: Record<string, string>,
  name: string,
  labels: Readonly<Record<string, string | undefined>>,
): void {
  const set = (key: string, value = ''): void => {
    if (value !== '' && value.length <= 100) attributes[key] ??= value;
  };
  set('version', name === 'etcd_server_version' ? labels['server_version'] : labels['git_version']);
  set('go', name === 'go_info' ? labels['version'] : labels['go_version']);
}

function isNeeded(name: string): boolean {
  return isUsedFor(name, 'detection', 'cycle', 'attributes');
}
