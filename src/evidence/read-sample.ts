/** The values of one scrape that watch keeps. */
import { isUsedFor, SERIES_COUNT } from './metric-names.ts';
import { concatBytes } from '../base/text.ts';
import { type Exposition, forEachSample, sniffExposition } from './formats/exposition.ts';
import { ExpositionReader } from './formats/read-exposition.ts';
import { NameTable } from './formats/exposition-names.ts';
import { attributesOfSeries, describesProcess } from './attributes-of-series.ts';
import { cycleNameOf, isKeptForCycle } from './cycle/metrics-evidence.ts';
import { yieldToEventLoop } from '../base/bounded-work.ts';
import { ruleFor } from './recording/source.ts';

export interface ScrapedSample {
  readonly values: Readonly<Record<string, number>>;
  /** `version`, `go`, `gate/NAME`: those that the metrics have. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Parsing runs at some hundred MB a second, so a piece of this size takes about ten milliseconds. */
const PIECE_BYTES = 2 * 1024 * 1024;
/** This much of a body shows whether it is metrics text. */
const HEAD_BYTES = 8192;

/**
 * Reads a scrape as it arrives: a hundred bodies of some hundred KB each second, kept whole, would make the engine collect
 * all its garbage every second.
 */
export class SampleReader {
  #head: Uint8Array[] = [];
  #headBytes = 0;
  #reader: ExpositionReader | undefined;
  #isMetrics: boolean | undefined;

  push(chunk: Uint8Array): void {
    if (this.#isMetrics === undefined) {
      this.#head.push(chunk);
      this.#headBytes += chunk.length;
      if (this.#headBytes >= HEAD_BYTES) this.#begin();
    } else this.#reader?.push(chunk);
  }

  /** Undefined if it was not metrics text. */
  finish(): ScrapedSample | undefined {
    if (this.#isMetrics === undefined) this.#begin();
    return this.#reader === undefined ? undefined : sampleOf(this.#reader.finish());
  }

  #begin(): void {
    const head = concatBytes(this.#head);
    this.#head = [];
    this.#isMetrics = sniffExposition(head);
    if (!this.#isMetrics) return;
    this.#reader = new ExpositionReader({ quick: knownNames() });
    this.#reader.push(head);
  }
}

/** Undefined when the body is not metrics text. */
export async function readSample(body: Uint8Array): Promise<ScrapedSample | undefined> {
  const reader = new SampleReader();
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    if (at > 0) await yieldToEventLoop();
    reader.push(body.subarray(at, at + PIECE_BYTES));
  }
  return reader.finish();
}

function sampleOf(read: Exposition): ScrapedSample {
  const values: Record<string, number> = {};
  const attributes: Record<string, string> = {};
  const add = (name: string, value: number, isSum: boolean): void => {
    values[name] = isSum ? (values[name] ?? 0) + value : value;
  };
  forEachSample(read, (one, value) => {
    if (!Number.isFinite(value)) return;
    if (describesProcess(one.name)) {
      for (const [attribute, text] of attributesOfSeries(one.name, one.labels, value)) attributes[attribute] ??= text;
      return;
    }
    const rule = ruleFor(one);
    if (rule !== undefined) add(rule.metric, value, rule.isSum);
    else if (isKeptForCycle(one)) add(one.name, value, true);
    const also = cycleNameOf(one);
    if (also !== undefined) add(also, value, true);
  });
  // A Prometheus that scraped for us has counted the series already.
  if (!('scrape_samples_scraped' in values) && read.seriesCount > 0) values[SERIES_COUNT] = read.seriesCount;
  return { values, attributes };
}

/** More than any fleet has; beyond it, they are made up. */
const MAX_NAME_BYTES = 2 ** 20;
let names = new NameTable(isNeeded);

/** Most targets have the same metrics. */
function knownNames(): NameTable {
  if (names.byteCount > MAX_NAME_BYTES) names = new NameTable(isNeeded);
  return names;
}

function isNeeded(name: string): boolean {
  return isUsedFor(name, 'detection', 'cycle') || describesProcess(name);
}
