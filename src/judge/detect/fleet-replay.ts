/**
 * Runs a fleet through a detector as if it were live. A fleet may come in parts, each with all samples of its targets:
 *
 *     part 1   ------------------------------|=====|=====|  the samples up to the first evaluation go to the detector
 *     part 2   ------------------------------|=====|=====|  at once, only the later ones are held until all parts are
 *                                         judged  ...  end  there
 */
import { AttributeLog } from '../cohorts/attribute-log.ts';
import { RESOURCE_RULES } from '../../evidence/resource-rules.ts';
import type { Description } from '../../evidence/attribute-runs.ts';
import { type DescribedTargets, descriptionsFor } from '../../evidence/read-attribute-file.ts';
import type { RecordedTarget, Recording } from '../../evidence/recording/read-recording.ts';
import type { Timeline } from '../../evidence/recording/timeline.ts';
import type { AttributeChange } from '../cohorts/cohort-model.ts';
import type { FleetDetector, TargetVerdict } from './detection.ts';
import type { Detection, VerdictChange } from './recorded-detection.ts';
import { type LimitSource, limitSourceIn } from '../../evidence/resource.ts';
import type { Verdict } from '../verdict.ts';
import type { Attributes } from '../../evidence/target.ts';
import { timeText } from '../../base/say.ts';
import { historyOf } from '../../evidence/recording/source.ts';
import { Failure } from '../../base/errors.ts';

export interface ReplayOptions {
  /** Must be new: a detector learns from everything it sees. */
  readonly detector: FleetDetector;
  /** The first sample is not older. */
  readonly firstSeconds: number;
  /** When to judge, with the samples until then. */
  readonly endSeconds: number;
  /** Also judges after each of these steps, to say when verdicts would have appeared. */
  readonly everySeconds?: number | undefined;
  readonly timeScale?: number | undefined;
  /** What targets are, beyond what the recording says. */
  readonly described?: DescribedTargets | undefined;
}

/** What is known of a target besides its verdict. */
export interface ReplayedTarget {
  readonly name: string;
  /** As of the end. */
  readonly attributes: Attributes;
  readonly fromSeconds: number;
  /** The last sample that was used; NaN without one. */
  readonly toSeconds: number;
  readonly sampleCount: number;
  /** Of memory: that of a sample counts before one that the user gave. */
  readonly limitSource: LimitSource;
  /** By metric, in equal parts of its time; NaN where nothing was recorded. */
  readonly histories: ReadonlyMap<string, Float64Array>;
}

export interface ReplayedFleet {
  readonly targets: readonly ReplayedTarget[];
  /** As of the end. */
  readonly verdicts: readonly TargetVerdict[];
  readonly verdictChanges: readonly VerdictChange[];
  readonly attributeChanges: readonly AttributeChange[];
  /** Whether any target is a kubelet. */
  readonly hasKubelets: boolean;
  readonly inputs: Detection['inputs'];
}

const HISTORY_PARTS = 48;
const MAX_STEPS = 10_000;
const JUDGED_METRICS: readonly string[] = RESOURCE_RULES.flatMap(({ sources }) => sources.map(({ metric }) => metric));

/** Why a recording cannot be judged, in one line for the user. */
export class NothingToJudge extends Failure {
  constructor(message: string) {
    super('no-evidence', message);
  }
}

type Draft = { -readonly [key in keyof ReplayedTarget]: ReplayedTarget[key] };

export class FleetReplay {
  readonly endSeconds: number;
  readonly #options: ReplayOptions;
  readonly #steps: readonly number[];
  readonly #targets: Draft[] = [];
  /** What is not observed yet. */
  readonly #held: { readonly target: Draft; readonly timeline: Timeline }[] = [];
  readonly #log = new AttributeLog();
  readonly #changes: AttributeChange[] = [];
  readonly #notes = new Set<string>();
  #inputs = { readCount: 0, otherCount: 0, unread: [] as Detection['inputs']['unread'][number][] };
  #hasKubelets = false;

  constructor(options: ReplayOptions) {
    const { firstSeconds, endSeconds, everySeconds, timeScale } = options;
    this.#options = options;
    this.endSeconds = endSeconds;
    if (!(firstSeconds <= endSeconds)) {
      throw new NothingToJudge(
        `nothing was recorded until ${timeText(endSeconds)}: the first sample is from ${timeText(firstSeconds)}`,
      );
    }
    this.#steps =
      everySeconds === undefined
        ? leadIn(firstSeconds, endSeconds, timeScale ?? 1)
        : replaySteps(firstSeconds, endSeconds, everySeconds);
  }

  /** Nothing of the recording is held but what is later than the first evaluation. */
  add({ targets, readPaths, otherCount, unread, notes }: Recording): void {
    for (const target of targets) this.#addTarget(target);
    this.#inputs.readCount += readPaths.length;
    this.#inputs.otherCount += otherCount;
    this.#inputs.unread.push(...unread);
    for (const note of notes) this.#notes.add(note);
  }

  #addTarget({ name, timeline }: RecordedTarget): void {
    const { detector, described } = this.#options;
    const descriptions = descriptionsOf(name, timeline, described, this.endSeconds);
    for (const { attributes, atSeconds } of descriptions) {
      detector.describe(name, attributes, atSeconds);
      this.#changes.push(...this.#log.describe(name, attributes, atSeconds));
    }
    const toSeconds = timeline.lastUntil(this.endSeconds);
    const { fromSeconds } = timeline;
    const metrics = new Set(timeline.tables.flatMap(table => table.metrics));
    this.#hasKubelets ||= metrics.has('kubelet_running_pods');
    const target: Draft = {
      name,
      attributes: Object.assign({}, ...descriptions.map(one => one.attributes)) as Attributes,
      fromSeconds,
      toSeconds,
      sampleCount: 0,
      limitSource: 'given',
      histories: new Map(
        JUDGED_METRICS.filter(metric => metrics.has(metric)).map(metric => [
          metric,
          historyOf(timeline.tables, metric, fromSeconds, toSeconds, HISTORY_PARTS),
        ]),
      ),
    };
    this.#targets.push(target);
    this.#observe(target, timeline, this.#steps[0] ?? this.endSeconds);
    const rest = timeline.rest();
    if (rest !== undefined) this.#held.push({ target, timeline: rest });
  }

  #observe(target: Draft, timeline: Timeline, untilSeconds: number): void {
    for (const { atSeconds, values } of timeline.until(untilSeconds)) {
      this.#options.detector.observe(target.name, atSeconds, values);
      target.sampleCount++;
      target.limitSource = limitSourceIn(values) ?? target.limitSource;
    }
  }

  /** Once all parts are added. */
  finish(): ReplayedFleet {
    const { detector } = this.#options;
    let verdicts: readonly TargetVerdict[] = [];
    const isReplay = this.#options.everySeconds !== undefined;
    const verdictChanges: VerdictChange[] = [];
    const known = new Map<string, Verdict>();
    for (const at of this.#steps) {
      for (const { target, timeline } of this.#held) this.#observe(target, timeline, at);
      // Everything is with the detector now, which is about to need the memory.
      if (at === this.endSeconds) this.#held.length = 0;
      if (!isReplay && at !== this.endSeconds) {
        detector.learn(at);
        continue;
      }
      verdicts = detector.evaluate(at);
      if (isReplay) verdictChanges.push(...changesOf(verdicts, at, known));
    }
    return {
      targets: this.#targets,
      verdicts,
      verdictChanges,
      attributeChanges: this.#changes,
      hasKubelets: this.#hasKubelets,
      inputs: { ...this.#inputs, notes: [...this.#notes] },
    };
  }
}

/** When the first sample of a recording was taken, and the last. */
export function spanOf(targets: readonly RecordedTarget[]): [number, number] {
  let [first, last] = [Infinity, -Infinity];
  for (const { timeline } of targets) {
    first = Math.min(first, timeline.fromSeconds);
    last = Math.max(last, timeline.toSeconds);
  }
  return [first, last];
}

function descriptionsOf(
  name: string,
  timeline: Timeline,
  given: DescribedTargets | undefined,
  untilSeconds: number,
): Description[] {
  return [...timeline.descriptions, ...(given === undefined ? [] : descriptionsFor(given, name))]
    .filter(({ atSeconds }) => atSeconds <= untilSeconds)
    .sort((a, b) => (a.atSeconds === b.atSeconds ? 0 : a.atSeconds - b.atSeconds));
}

/** Multiples of the step after the first sample, and the end. */
function replaySteps(first: number, end: number, everySeconds: number): number[] {
  const count = Math.ceil((end - first) / everySeconds);
  if (count > MAX_STEPS) {
    throw new NothingToJudge(
      `--every gives ${count} evaluations, and the limit is ${MAX_STEPS}; choose a longer interval`,
    );
  }
  const steps: number[] = [];
  for (let at = (Math.floor(first / everySeconds) + 1) * everySeconds; at < end; at += everySeconds) steps.push(at);
  return [...steps, end];
}

/** The detector remembers its verdicts, so a single evaluation at the end would say less than regular ones. */
function leadIn(first: number, end: number, timeScale: number): number[] {
  const before = [48, 36, 24, 12].map(hours => end - (hours * 3600) / timeScale);
  return [...before.filter(at => at > first), end];
}

function changesOf(verdicts: readonly TargetVerdict[], at: number, known: Map<string, Verdict>): VerdictChange[] {
  const changes: VerdictChange[] = [];
  for (const { target, resources } of verdicts) {
    for (const { resource, verdict, reasons } of resources) {
      const key = `${target}\0${resource}`;
      const from = known.get(key) ?? 'unknown';
      known.set(key, verdict);
      if (from !== verdict)
        changes.push({ at: timeText(at), target, resource, from, to: verdict, reason: reasons[0] ?? '' });
    }
  }
  return changes;
}
