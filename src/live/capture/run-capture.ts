/**
 * Runs a capture from the first request to the end of the manifest. Whatever happens in between (the target dies, the
 * disk fills up, Ctrl-C, kill -9), everything taken is in the folder and in the manifest, and the same command resumes
 * there.
 */
import { formatSeconds } from '../../base/say.ts';
import { lastCollectionOf } from '../../evidence/snapshots/heap-tables.ts';
import {
  type CaptureEntry,
  type CaptureManifest,
  isForcingCollection,
  type CaptureKind,
} from '../../evidence/capture.ts';
import type { Explanation, FailureKind } from '../doctor/explanation.ts';
import { FolderError, type CaptureFolder } from '../ports.ts';
import { clusterOf } from '../../evidence/target.ts';
import type { CaptureGate } from './capture-gate.ts';
import {
  type CaptureChoices,
  type CaptureStep,
  captureSteps,
  decideDebug2,
  gapScrape,
  reasonNotToCollect,
  setCount,
  withoutCollecting,
} from './capture-steps.ts';
import { goroutineTotal } from '../../profile/formats/goroutine-text/debug1.ts';
import { type BodyFacts, type StepResult, type StepPorts, takeStep } from './take-step.ts';
import { factsOfMetrics } from '../../evidence/scrape-facts.ts';
import { isSameLife } from '../../evidence/process-life.ts';

const SKEW_SECONDS = 5;

export interface CapturePorts extends StepPorts {
  readonly gate: CaptureGate;
  readonly oakumVersion: string;
  /** Returns early when the signal aborts. */
  readonly sleep: (seconds: number, signal: AbortSignal) => Promise<void>;
  readonly onEvent: (event: CaptureEvent) => void;
  /** Asked after every set but the last: whether it suffices. Never by default. */
  readonly isEnough?: (set: number) => Promise<boolean>;
}

export interface CaptureOutcome {
  readonly end:
    | 'whole'
    | 'part' // some of it failed
    | 'nothing'
    | 'stopped' // by the signal
    | 'cannot-write'
    | 'refused'; // the folder belongs to another capture
  readonly manifest: CaptureManifest | undefined;
  /** Why it is incomplete. */
  readonly message: string | undefined;
  /** The first request that failed, if that is the reason. */
  readonly failure?: Explanation | undefined;
}

export async function runCapture(ports: CapturePorts, choices: CaptureChoices): Promise<CaptureOutcome> {
  const { folder, connection } = ports;
  let run: CaptureRun | undefined;
  try {
    const lock = await folder.lock();
    if (lock.kind === 'busy')
      return { end: 'refused', manifest: undefined, message: `${folder.path} is being written to by ${lock.by}` };
    try {
      const resumed = await resumption(folder, connection.target);
      if (resumed.kind === 'refused') return { end: 'refused', manifest: undefined, message: resumed.message };
      run = new CaptureRun(ports, choices, resumed.kind === 'continue' ? resumed.manifest : undefined);
      return await run.toTheEnd();
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    return { end: 'cannot-write', manifest: run?.manifest, message: error.message };
  }
}

/** Failures that every other request would have too. */
const HOPELESS: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'credentials',
  'dns',
  'tls',
  'proxy',
  'socket',
  'unauthorized',
  'no-such-node',
  'no-such-pod',
  'target-tls',
]);
/** Failures that every other profile would have too. */
const NO_PROFILES: ReadonlySet<FailureKind> = new Set<FailureKind>([
  'handlers-off',
  'profiling-off',
  'forbidden',
  'no-such-path',
]);
/** Scrapes may take up a twentieth of the target's time. */
const DEAR_FACTOR = 20;
/** Stored bytes; the scrapes in the gap of a large API server stay below. */
const GAP_SCRAPES_BYTES = 64 * 1024 * 1024;
const SHORT_GAP_SECONDS = 300;
/** Less is what is left of a sleep by rounding. */
const MIN_SLEEP_SECONDS = 0.001;
/** After this many requests in a row without an answer, the target is gone. */
const SILENCES = 2;

class CaptureRun {
  manifest: CaptureManifest;
  private readonly ports: CapturePorts;
  private readonly choices: CaptureChoices;
  private firstFailure: Explanation | undefined;
  private hopeless = false;
  private mayHeal = false;
  private withoutProfiles: Explanation | undefined;
  /** What the last set told, with what is garbage by now where nothing better did. */
  private heapBytes: number | undefined;
  private isLiveHeapTold = false;
  private readonly heapNotes = new Set<string>();

  constructor(ports: CapturePorts, choices: CaptureChoices, earlier: CaptureManifest | undefined) {
    this.ports = ports;
    this.choices = choices;
    if (earlier !== undefined) {
      this.manifest = earlier;
      ports.onEvent({ kind: 'resumed', fileCount: earlier.entries.length });
      return;
    }
    this.manifest = {
      schema: 'oakum.capture/v1',
      target: ports.connection.target,
      oakumVersion: ports.oakumVersion,
      startedAtSeconds: ports.now(),
      endedAtSeconds: undefined,
      version: undefined,
      goVersion: undefined,
      buildId: undefined,
      processStartSeconds: [],
      goroutines: [],
      entries: [],
      notes: [],
    };
  }

  async toTheEnd(): Promise<CaptureOutcome> {
    const { ports } = this;
    const steps = captureSteps(this.choices);
    for (let set = 1; set <= setCount(this.choices); set++) {
      const missing = missingSteps(
        steps.filter(step => step.set === set),
        this.manifest.entries,
      );
      if (missing.length === 0 || this.isOver()) continue;
      if (set > 1) await this.waitForGap(set - 1);
      if (this.isOver()) break;
      const { target, address } = ports.connection;
      await ports.gate.pass(target, clusterOf(target) ?? address, () => this.takeSet(missing));
      if (await this.isEnough(set)) break;
    }
    return this.finish();
  }

  /** Whether nothing more can be taken. */
  private isOver(): boolean {
    return this.ports.signal.aborted || this.hopeless;
  }

  private async isEnough(set: number): Promise<boolean> {
    const isLast = set === setCount(this.choices);
    return !isLast && !this.isOver() && this.hasFiles() && (await this.ports.isEnough?.(set)) === true;
  }

  private async waitForGap(after: number): Promise<void> {
    const { now, onEvent } = this.ports;
    if (!this.hasFiles()) return void (this.hopeless = true);
    const first = this.manifest.entries.findLast(
      entry => entry.set === after && entry.kind === 'heap' && isStored(entry),
    );
    const since = first?.takenAtSeconds ?? this.manifest.startedAtSeconds;
    const until = since + this.choices.gapSeconds;
    if (until <= now()) return;
    onEvent({ kind: 'waiting', seconds: until - now() });
    await this.scrapeUntil(until, after);
  }

  /** Sleeps, and scrapes in between if requested; an expensive scrape is taken less often. */
  private async scrapeUntil(until: number, set: number): Promise<void> {
    const { now, signal } = this.ports;
    const every = this.choices.scrapeEverySeconds ?? Infinity;
    let pause = every;
    let bytes = 0;
    while (!signal.aborted && now() + 1.5 * pause < until && bytes < GAP_SCRAPES_BYTES) {
      await this.pause(now() + pause, until);
      if (signal.aborted) return;
      const result = await takeStep(gapScrape(this.choices, set), this.ports);
      if (result.kind !== 'taken') break;
      pause = Math.max(every, result.entry.tookSeconds * DEAR_FACTOR);
      bytes += result.entry.bytes;
      await this.keep(result.entry);
    }
    await this.pause(until, until);
  }

  /** Sleeps second by second, and counts down to the next set. */
  private async pause(until: number, nextSetAt: number): Promise<void> {
    const { now, sleep, signal, onEvent } = this.ports;
    while (!signal.aborted && until - now() > MIN_SLEEP_SECONDS) {
      onEvent({ kind: 'tick', seconds: nextSetAt - now() });
      await sleep(Math.min(1, until - now()), signal);
    }
  }

  private async takeSet(steps: readonly CaptureStep[]): Promise<void> {
    let silences = 0;
    for (const planned of steps) {
      if (this.isOver()) return;
      const step = this.withinLimits(planned);
      const leftOut = this.reasonToLeaveOut(step);
      if (leftOut !== undefined) {
        if (leftOut !== '') this.ports.onEvent({ kind: 'left-out', step, why: leftOut });
        continue;
      }
      this.ports.onEvent({ kind: 'taking', step });
      const result = await takeStep(step, this.ports);
      if (this.ports.signal.aborted && result.kind === 'failed') return;
      await this.record(step, result);
      silences = result.kind === 'failed' && result.why.passing ? silences + 1 : 0;
      if (silences === SILENCES) return;
    }
  }

  /** A heap profile of a very large heap does not collect first. */
  private withinLimits(step: CaptureStep): CaptureStep {
    if (!isForcingCollection(step.request) || this.choices.force) return step;
    const why = reasonNotToCollect(this.heapBytes);
    if (why === undefined) return step;
    this.heapNotes.add(why);
    return withoutCollecting(step);
  }

  /** '' if there is no need to say so. */
  private reasonToLeaveOut({ kind, request, set }: CaptureStep): string | undefined {
    if (this.withoutProfiles !== undefined && request.startsWith('/debug/pprof/')) return '';
    if (kind === 'heap-d1' && this.isLiveHeapTold && !isShortGap(this.choices)) return '';
    if (kind === 'goroutine-d2') return decideDebug2(this.goroutinesAt(set), this.choices);
    const goMinor = Number(/^go1\.(\d+)/.exec(this.manifest.goVersion ?? '')?.[1] ?? NaN);
    // Go 1.26 has it if it was built with an experiment.
    if (kind === 'goroutineleak' && goMinor < 26) return '';
    return undefined;
  }

  private goroutinesAt(set: number): number | undefined {
    return this.manifest.goroutines?.[set - 1] ?? this.manifest.goroutines?.[0];
  }

  private async record(step: CaptureStep, result: StepResult): Promise<void> {
    const { onEvent } = this.ports;
    if (result.kind === 'absent') return onEvent({ kind: 'left-out', step, why: result.why });
    let { entry } = result;
    if (result.kind === 'taken') {
      entry = this.learn(entry, result.content, result.facts);
      onEvent({ kind: 'taken', entry });
    } else {
      const { why } = result;
      onEvent({ kind: 'failed', step, why });
      this.firstFailure ??= why;
      this.hopeless ||= HOPELESS.has(why.kind);
      // A new login, certificate or route mends what makes every request fail.
      this.mayHeal ||= why.passing || HOPELESS.has(why.kind);
      if (NO_PROFILES.has(why.kind) && step.request.startsWith('/debug/pprof/')) this.withoutProfiles = why;
    }
    await this.keep(entry);
  }

  private async keep(entry: CaptureEntry): Promise<void> {
    this.manifest = { ...this.manifest, entries: [...this.manifest.entries, entry] };
    // A folder without files gets no manifest.
    if (this.hasFiles()) await this.ports.folder.writeManifest(this.manifest);
  }

  /** The entry, with the garbage collection that it tells of. */
  private learn(
    entry: CaptureEntry,
    content: Uint8Array,
    { buildId, madeAtSeconds, memStats }: BodyFacts,
  ): CaptureEntry {
    const at = entry.set - 1;
    const { version, goVersion, processStartSeconds, goroutines = [] } = this.manifest;
    if (entry.kind === 'metrics') {
      const facts = factsOfMetrics(content);
      this.manifest = {
        ...this.manifest,
        version: version ?? (facts.version || undefined),
        goVersion: goVersion ?? (facts.goVersion || undefined),
        processStartSeconds: withValue(processStartSeconds, at, facts.startTimeSeconds),
        goroutines: withValue(goroutines, at, facts.goroutines),
      };
      this.heapBytes = facts.liveHeapBytes ?? facts.heapBytes;
      this.isLiveHeapTold = facts.liveHeapBytes !== undefined;
      return { ...entry, collection: facts.collection };
    }
    if (entry.kind === 'goroutine-d1' && goroutines[at] === undefined) {
      this.manifest = { ...this.manifest, goroutines: withValue(goroutines, at, goroutineTotal(content)) };
    } else if (buildId !== '') this.manifest = { ...this.manifest, buildId: this.manifest.buildId ?? buildId };
    if (memStats !== undefined) {
      this.heapBytes = memStats.heapAllocBytes;
      return { ...entry, collection: lastCollectionOf(memStats) };
    }
    const isForced = entry.kind === 'heap' && isForcingCollection(entry.request);
    return isForced ? { ...entry, collection: { number: undefined, atSeconds: madeAtSeconds } } : entry;
  }

  private hasFiles(): boolean {
    return this.manifest.entries.some(isStored);
  }

  private async finish(): Promise<CaptureOutcome> {
    const { signal, folder, now } = this.ports;
    const { firstFailure: failure } = this;
    const message = failure && `${failure.sentence}; ${failure.nextStep}`;
    if (!this.hasFiles())
      return { end: signal.aborted ? 'stopped' : 'nothing', manifest: this.manifest, message, failure };
    // Failures that may pass or be mended leave the capture open, so that the same command can resume it.
    const isOpen = signal.aborted || this.mayHeal;
    this.manifest = {
      ...this.manifest,
      endedAtSeconds: isOpen ? undefined : now(),
      notes: [...captureNotes(this.manifest, signal.aborted), ...this.heapNotes],
    };
    await folder.writeManifest(this.manifest);
    const end = signal.aborted ? 'stopped' : failure === undefined ? 'whole' : 'part';
    return { end, manifest: this.manifest, message, failure };
  }
}

/** A rate over so little time needs the live heap counted at the moment of each profile. */
function isShortGap({ gapSeconds }: CaptureChoices): boolean {
  return gapSeconds > 0 && gapSeconds < SHORT_GAP_SECONDS;
}

function isStored(entry: CaptureEntry): boolean {
  return entry.file !== undefined;
}

function withValue<T>(list: readonly T[], at: number, value: T): (T | undefined)[] {
  const out: (T | undefined)[] = [...list];
  while (out.length <= at) out.push(undefined);
  out[at] = value;
  return out;
}

function captureNotes(manifest: CaptureManifest, stopped: boolean): string[] {
  const { entries, processStartSeconds, target } = manifest;
  const notes: string[] = [];
  if (stopped) notes.push('stopped before the end; the same command resumes here');
  const starts = processStartSeconds.filter(start => start !== undefined);
  if (starts.some((start, i) => i > 0 && !isSameLife(starts[i - 1], start)))
    notes.push(`${target} was restarted between the sets: they are of different processes`);
  const skew = entries.find(entry => Math.abs(entry.skewSeconds ?? 0) > SKEW_SECONDS)?.skewSeconds;
  if (skew !== undefined)
    notes.push(
      `the clock of ${target} is ${formatSeconds(Math.abs(skew))} ${skew > 0 ? 'ahead of' : 'behind'} the one here`,
    );
  for (const { kind, truncated } of entries)
    if (truncated !== undefined) notes.push(`${kind} is not whole: ${truncated}`);
  return [...notes, ...missingNotes(entries)];
}

/** Files that failed for the same reason share one note. */
function missingNotes(entries: readonly CaptureEntry[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { file, kind, set, error } of entries) {
    if (file !== undefined) continue;
    const key = `of set ${set} could not be taken: ${error}`;
    byReason.set(key, [...(byReason.get(key) ?? []), kind]);
  }
  return [...byReason].map(([reason, kinds]) => `${kinds.join(', ')} ${reason}`);
}

/** Resumes a capture where it stopped. */
type Resumption =
  | { readonly kind: 'new' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'continue'; readonly manifest: CaptureManifest };

async function resumption(folder: CaptureFolder, target: string): Promise<Resumption> {
  const manifest = await folder.readManifest();
  if (manifest === undefined) return { kind: 'new' };
  const refused = (message: string): Resumption => ({ kind: 'refused', message });
  if (manifest.target !== target)
    return refused(`${folder.path} holds a capture of ${manifest.target}; choose another folder`);
  if (manifest.endedAtSeconds !== undefined)
    return refused(`${folder.path} holds a complete capture of ${target}; choose another folder`);
  const kept: CaptureEntry[] = [];
  for (const entry of manifest.entries) {
    const { file } = entry;
    // Failed and deleted files are taken again.
    if (file !== undefined && (await folder.has(file, entry.bytes))) kept.push(entry);
  }
  return {
    kind: 'continue',
    manifest: {
      ...manifest,
      goroutines: manifest.goroutines ?? [],
      entries: kept,
      notes: [],
    },
  };
}

function missingSteps(steps: readonly CaptureStep[], entries: readonly CaptureEntry[]): CaptureStep[] {
  return steps.filter(({ kind, set }) => !entries.some(entry => entry.kind === kind && entry.set === set));
}

/** What happens while a capture runs. */
export type CaptureEvent =
  | { readonly kind: 'resumed'; readonly fileCount: number }
  | { readonly kind: 'taking'; readonly step: CapturePart }
  | { readonly kind: 'taken'; readonly entry: CaptureEntry }
  | { readonly kind: 'failed'; readonly step: CapturePart; readonly why: Explanation }
  | { readonly kind: 'left-out'; readonly step: CapturePart; readonly why: string }
  /** A gap begins. */
  | { readonly kind: 'waiting'; readonly seconds: number }
  /** Every second of a gap, with what is left of it. */
  | { readonly kind: 'tick'; readonly seconds: number };

/** One file of one set. */
export interface CapturePart {
  readonly set: number;
  readonly kind: CaptureKind;
}
