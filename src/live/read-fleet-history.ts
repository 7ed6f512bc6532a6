/**
 * The history of a whole fleet from a Prometheus, Thanos, Mimir or VictoriaMetrics, as a recording of each part.
 *
 *     which metrics, which targets -> parts of at most 200 targets -> one query per metric and part -> recordings
 *
 * A part that is refused as too large is halved and asked again.
 */
import { type JsonRecord, listOf, parseJsonBytes, recordOf, textOf } from '../base/json.ts';
import type { PileItem } from '../evidence/pile.ts';
import type { Reply } from './reply.ts';
import type { WatchClock } from '../base/clock.ts';
import { differingGatesQuery, gateNamesIn } from '../evidence/attributes-of-series.ts';
import { readRecording, type Recording } from '../evidence/recording/read-recording.ts';
import { WARNING } from '../evidence/formats/range-query.ts';
import {
  type FleetPace,
  type FleetQuery,
  fleetQueries,
  instanceMatcher,
  presentQuery,
  targetsQuery,
} from './fleet-queries.ts';
import { historyProblem } from './history-problem.ts';
import type { MetricsHistory, RangeRequest } from './ports.ts';
import { HistoryFailure, type HistoryProblem } from './past-profiles.ts';

export interface FleetHistoryOptions {
  /** Label matchers for every query, such as `job="kubelet"`; '' for none. */
  readonly selector: string;
  readonly nowSeconds: number;
  readonly sinceSeconds: number;
  readonly pace: FleetPace;
  readonly signal: AbortSignal;
  readonly sleep: WatchClock['sleep'];
  /** Called after each query. */
  readonly progress: (done: number, all: number) => void;
}

/** Prometheus and Mimir refuse more points in a series. */
const MAX_POINTS = 11_000;
const MAX_TARGETS = 200;
const MIN_PART = 10;
/** The next answers are made while one is read; more would take a Prometheus away from its other users. */
const QUERIES_AT_ONCE = 3;
/** What is asked for at a full hour is the value of the hour before it: that is the hour it must count in. */
const OLDER_BY_SECONDS = 1;
const TRIES = 3;
const PAUSE_SECONDS = 1;
const LIMITS = { deadlineSeconds: 120, maxBytes: 256 * 1024 * 1024 };
const NO_SERIES = 'the query found no series';
const NAMES_BYTES = 32 * 1024 * 1024;

/**
 * A part of the fleet after the other, so that what is done with one part need not be held while the next is read. The
 * targets of a part have all their samples and names that no other part has.
 */
export async function* readFleetHistory(
  history: MetricsHistory,
  options: FleetHistoryOptions,
): AsyncGenerator<Recording> {
  const { selector, nowSeconds, sinceSeconds, pace } = options;
  const present = new Set(
    (await labelSets(history, presentQuery(selector), options)).map(one => textOf(one['__name__'])),
  );
  if (present.size === 0) {
    throw new HistoryFailure('no-evidence', {
      isRefused: false,
      sentence: `${history.address} has none of the metrics that are judged${selector === '' ? '' : ` with ${selector}`}`,
      nextStep: 'check what it scrapes, and --selector',
    });
  }
  const targets = (await labelSets(history, targetsQuery(present, selector), options)).map(one => ({
    node: textOf(one['node']),
    instance: textOf(one['instance']),
  }));
  const gates = gateNamesIn(
    (await asked(history, () => history.instant(differingGatesQuery(selector), limits(options), nowSeconds), options))
      .body,
  );
  const queries = fleetQueries(present, gates, nowSeconds, sinceSeconds, pace);
  const parts = partsOfFleet(targets, MAX_TARGETS);
  // Without instances there is nothing to tell parts by.
  if (parts.length === 0) parts.push([]);
  const all = parts.length * queries.length;
  let done = 0;
  const tasks = parts.flatMap(part => queries.map(query => () => answersOf(history, part, query, options)));
  const answers = answersInOrder(tasks, QUERIES_AT_ONCE);
  for (let part = 0; part < parts.length; part++) {
    const items = async function* (): AsyncGenerator<PileItem> {
      for (let i = 0; i < queries.length; i++) {
        const { value } = await answers.next();
        if (value !== undefined) yield* value;
        options.progress(++done, all);
      }
    };
    const recording = await readRecording(items(), { olderBySeconds: OLDER_BY_SECONDS });
    yield { ...recording, notes: notesOf(recording) };
  }
}

/** Not every part of a fleet has every metric; and what the database warns of is not about one query. */
function notesOf({ notes }: Recording): string[] {
  const own = notes.filter(note => !note.endsWith(NO_SERIES));
  return [...new Set(own.map(note => note.slice(Math.max(0, note.indexOf(WARNING)))))];
}

function matchersOf(selector: string, instances: readonly string[]): string {
  const own = instances.length === 0 ? '' : instanceMatcher(instances);
  return [selector, own].filter(text => text !== '').join(',');
}

async function answersOf(
  history: MetricsHistory,
  part: readonly string[],
  asking: FleetQuery,
  options: FleetHistoryOptions,
): Promise<PileItem[]> {
  const { metric, text, span } = asking;
  const items: PileItem[] = [];
  for (const piece of piecesOf({ query: text(matchersOf(options.selector, part)), ...span })) {
    const reply = await withTries(() => history.range(piece, limits(options)), options);
    const problem = historyProblem(history, reply);
    if (problem === undefined && reply.kind === 'answer') {
      items.push({
        kind: 'member',
        path: `${metric}.json`,
        bytes: reply.body,
        mtimeSeconds: undefined,
        damage: undefined,
      });
      continue;
    }
    if (part.length < 2 * MIN_PART || !mayBeTooLarge(reply)) throw failureOf(problem);
    const half = part.length >> 1;
    return [
      ...(await answersOf(history, part.slice(0, half), asking, options)),
      ...(await answersOf(history, part.slice(half), asking, options)),
    ];
  }
  return items;
}

/** Queries that would give more points than allowed are cut. */
function piecesOf(request: RangeRequest): RangeRequest[] {
  const { fromSeconds, toSeconds, stepSeconds } = request;
  const pieces: RangeRequest[] = [];
  const length = (MAX_POINTS - 1) * stepSeconds;
  for (let from = fromSeconds; from <= toSeconds; from += length + stepSeconds) {
    pieces.push({ ...request, fromSeconds: from, toSeconds: Math.min(toSeconds, from + length) });
  }
  return pieces;
}

/** Refusals for size come as 422 (samples), 413, 429, or as a timeout. */
function mayBeTooLarge(reply: Reply): boolean {
  if (reply.kind === 'answer') return reply.cut !== undefined || [413, 422, 429, 503, 504].includes(reply.status);
  return reply.kind === 'timeout';
}

async function labelSets(history: MetricsHistory, query: string, options: FleetHistoryOptions): Promise<JsonRecord[]> {
  const { body } = await asked(history, () => history.instant(query, limits(options), options.nowSeconds), options);
  const data = recordOf(recordOf(parseJsonBytes(body, NAMES_BYTES))['data']);
  return listOf(data['result']).map(one => recordOf(recordOf(one)['metric']));
}

async function asked(
  history: MetricsHistory,
  ask: () => Promise<Reply>,
  options: FleetHistoryOptions,
): Promise<Reply & { readonly kind: 'answer' }> {
  const reply = await withTries(ask, options);
  const problem = historyProblem(history, reply);
  if (problem !== undefined || reply.kind !== 'answer') throw failureOf(problem);
  return reply;
}

/** A server that restarts or is busy answers soon. */
async function withTries(ask: () => Promise<Reply>, { signal, sleep }: FleetHistoryOptions): Promise<Reply> {
  let reply = await ask();
  for (let tried = 1; tried < TRIES && !signal.aborted && isBusy(reply); tried++) {
    await sleep(tried * PAUSE_SECONDS, signal);
    reply = await ask();
  }
  return reply;
}

function isBusy(reply: Reply): boolean {
  return reply.kind === 'answer' && [429, 502, 503].includes(reply.status);
}

function limits({ signal }: FleetHistoryOptions): typeof LIMITS & { signal: AbortSignal } {
  return { ...LIMITS, signal };
}

function failureOf(problem: HistoryProblem | undefined): HistoryFailure {
  const none = { isRefused: false, sentence: 'Prometheus: no answer', nextStep: 'check its address' };
  return new HistoryFailure('no-answer', problem ?? none);
}

/** Does a few things at a time, and gives the results in order. */
export async function* answersInOrder<T>(tasks: Iterable<() => Promise<T>>, atOnce: number): AsyncGenerator<T> {
  const running: Promise<T>[] = [];
  const next = tasks[Symbol.iterator]();
  const start = (): void => {
    const { done, value } = next.next();
    if (done === true) return;
    const one = value();
    // Whoever takes the result hears of a failure; one that nobody takes any more is none.
    one.catch(() => undefined);
    running.push(one);
  };
  for (let i = 0; i < atOnce; i++) start();
  for (let first = running.shift(); first !== undefined; first = running.shift()) {
    const result = await first;
    start();
    yield result;
  }
}

/**
 * A fleet in parts that can be asked for and judged one after the other.
 *
 *     node-1 kubelet 10.0.0.1:10250, node-1 exporter 10.0.0.1:9100      one part: their names are told apart together
 *
 * The labels of one target.
 */
interface TargetLabels {
  readonly node: string;
  readonly instance: string;
}

/** Instances that share a node, or an instance in two clusters, stay in one part; parts grow to `most` at least. */
export function partsOfFleet(targets: readonly TargetLabels[], most: number): (readonly string[])[] {
  const parts: string[][] = [];
  let part: string[] = [];
  for (const instances of groupsOf(targets)) {
    if (part.length > 0 && part.length + instances.length > most) {
      parts.push(part);
      part = [];
    }
    part.push(...instances);
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** Instances that are connected by their names, in the order of the names. */
function groupsOf(targets: readonly TargetLabels[]): (readonly string[])[] {
  const instancesOf = new Map<string, Set<string>>();
  const namesOf = new Map<string, Set<string>>();
  for (const { node, instance } of targets) {
    if (instance === '') continue;
    const name = node || instance;
    instancesOf.set(name, (instancesOf.get(name) ?? new Set()).add(instance));
    namesOf.set(instance, (namesOf.get(instance) ?? new Set()).add(name));
  }
  const seen = new Set<string>();
  return [...instancesOf.keys()].sort().flatMap(first => {
    const group: string[] = [];
    const waiting = [first];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      for (const instance of instancesOf.get(name) ?? []) {
        if (!group.includes(instance)) group.push(instance);
        waiting.push(...(namesOf.get(instance) ?? []));
      }
    }
    return group.length === 0 ? [] : [group];
  });
}
