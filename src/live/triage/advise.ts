/** What is safe to do now, what is not, and the next commands. Nothing is done here. */
import type { Analysis } from '../../judge/analysis.ts';
import type { Unproved } from '../doctor/doctor.ts';
import type {
  NextCommand,
  TimeToLimit,
  Triage,
  TriageEvidence,
  TriageHistory,
  TriagePast,
  TriageScrape,
} from './triage.ts';
import { type Verdict, mayLeak } from '../../judge/verdict.ts';
import { targetKind } from '../../evidence/target.ts';
import type { CaptureChoices } from '../capture/capture-steps.ts';

export interface Situation {
  /** `node/worker-17` */
  readonly target: string;
  readonly verdict: Verdict;
  readonly scrape: TriageScrape | undefined;
  readonly history: TriageHistory | undefined;
  readonly past: TriagePast | undefined;
  readonly evidence: TriageEvidence | undefined;
  /** What this triage was to take; undefined for metrics only. */
  readonly choices: Pick<CaptureChoices, 'gapSeconds' | 'sets'> | undefined;
  readonly analysis: Analysis | undefined;
  readonly limit: TimeToLimit | undefined;
  /** Whether no metric was seen for long enough to show a trend. */
  readonly isShort: boolean;
  /** The command that the user typed: `oakum` or `kubectl oakum`. */
  readonly program: string;
}

export interface Advice {
  readonly safe: readonly string[];
  readonly unsafe: readonly string[];
  readonly next: readonly NextCommand[];
  readonly cannotProve: readonly Unproved[];
}

/** Nothing can be said about what was not seen; `oakum doctor` says why. */
export function isSeen(seen: {
  readonly [Key in 'scrape' | 'evidence' | 'history' | 'past']: Triage[Key] | undefined;
}): boolean {
  const { scrape, evidence, history, past } = seen;
  const isPastKnown = (past?.profileCount ?? 0) > 0 || (history?.detected ?? null) !== null;
  return scrape?.problem === null || (evidence ?? null) !== null || isPastKnown;
}

export function advise(situation: Situation): Advice {
  const { program, target } = situation;
  if (!isSeen(situation)) {
    const next = [{ command: `${program} doctor ${target}`, why: 'why it cannot be observed, and what to do' }];
    return { safe: [], unsafe: [], next, cannotProve: [] };
  }
  return {
    safe: safeNow(situation),
    unsafe: unsafeNow(situation),
    next: nextCommands(situation),
    cannotProve: cannotProve(situation),
  };
}

const WAIT_HOURS = 12;

function safeNow({ verdict, evidence, limit, scrape, target }: Situation): string[] {
  const safe: string[] = [];
  const stage = scrape?.cycle.stage;
  const leaks = mayLeak(verdict);
  const isSaved = evidence !== undefined && !evidence.isOpen;
  if (verdict === 'healthy') safe.push('nothing needs to be done');
  if (limit !== undefined && limit.hours[0] >= WAIT_HOURS) safe.push('to wait until people are awake');
  if (leaks && isSaved && stage !== 'storm' && stage !== 're-oom') safe.push(restart(target));
  if (verdict === 'unknown' && evidence !== undefined) safe.push('to wait');
  const advice = scrape?.cycle.advice ?? [];
  safe.push(...(isSaved ? advice.filter(text => !text.startsWith('Take the evidence')) : advice));
  return safe;
}

function restart(target: string): string {
  if (targetKind(target) === 'node') {
    return (
      'to restart this kubelet (systemctl restart kubelet): containers keep running, the evidence is saved, and it starts ' +
      'empty; exec, logs and port-forward sessions end'
    );
  }
  const where =
    targetKind(target) === 'apiserver' ? 'if others take over' : 'if its users can do without it for a moment';
  return `to restart it ${where}: the evidence is saved, and it starts empty`;
}

function unsafeNow({ target, verdict, evidence, scrape }: Situation): string[] {
  const unsafe: string[] = [];
  const leaks = mayLeak(verdict);
  if (evidence === undefined) unsafe.push('to restart it before evidence is saved: a restart destroys it');
  else if (evidence.isOpen) unsafe.push('to restart it before the rest is taken: the same command resumes');
  if (leaks && targetKind(target) === 'node') {
    unsafe.push('to restart the kubelets of many nodes at once: each reconciles all its pods against the API server');
    unsafe.push('to drain or delete the node for this alone: a restart of the kubelet clears it and leaves the pods');
  }
  if (scrape?.cycle.stage === 'storm') unsafe.push('to restart it once more: the storm would start again');
  if ((scrape?.goroutines ?? 0) > 10_000)
    unsafe.push('to ask for goroutine?debug=2 by hand: it stops the process for seconds and is cut at 64 MiB');
  return unsafe;
}

function nextCommands(situation: Situation): NextCommand[] {
  const { target, verdict, evidence, choices, analysis, program } = situation;
  const next: NextCommand[] = [];
  const add = (command: string, why: string): void => void next.push({ command: `${program} ${command}`, why });
  if (evidence === undefined) {
    if (choices === undefined) add(`triage ${target}`, 'with profiles: which code it is');
    else add(`doctor ${target}`, 'why no profile could be taken, and what to do');
    return next;
  }
  const { folder } = evidence;
  const longer = longerThan(situation);
  if (longer !== undefined) add(`triage ${target}${longer.options}`, longer.why);
  const isKnown = analysis?.findings.some(({ matches }) => matches[0]?.grade === 'confirmed') === true;
  if (mayLeak(verdict)) {
    if (isKnown) add(`report ${folder} --for incident`, 'for the team: what it is and which version has the fix');
    else add(`report ${folder} --for upstream`, 'for the maintainers, ready to paste');
  }
  add(`bundle ${folder} -o ${folder}.tar.gz`, 'the evidence, redacted, to share');
  if (analysis !== undefined) add(`analyze ${folder} -o wide`, 'all findings with their stacks');
  return next;
}

/** The shortest triage that proves more than the one that ends here; never the same again. */
const TRIAGES = [
  { seconds: 900, options: '', why: 'until growth or health is proved: at most 15 minutes' },
  { seconds: 3600, options: ' --gap 30m --sets 3', why: 'the same over an hour, for slow leaks' },
  { seconds: 6 * 3600, options: ' --gap 2h --sets 4', why: 'the same over six hours, for slow leaks' },
] as const;

function longerThan({ verdict, isShort, choices, evidence }: Situation): (typeof TRIAGES)[number] | undefined {
  // What is open is continued, not begun anew.
  if (evidence?.isOpen === true || choices === undefined) return undefined;
  const isOpenQuestion = verdict === 'unknown' || (isShort && verdict === 'watch');
  return isOpenQuestion ? TRIAGES.find(({ seconds }) => seconds > plannedSeconds(choices)) : undefined;
}

function plannedSeconds({ gapSeconds, sets = 2 }: NonNullable<Situation['choices']>): number {
  return gapSeconds * (sets - 1);
}

/** Minutes of profiles show no slow leak. */
const LONG_SECONDS = 600;

function cannotProve({ history, evidence, choices, analysis, isShort, verdict }: Situation): Unproved[] {
  const unproved: Unproved[] = [];
  const add = (what: string, because: string): void => void unproved.push({ what, because });
  if (evidence === undefined) add('which code it is', 'no profile was taken');
  else {
    const refusal = evidence.notes.find(note => /^(?:goroutine|heap)\b.*could not be taken/.test(note));
    const profiles = analysis?.inputs.filter(({ kind }) => kind === 'heap' || kind === 'goroutine') ?? [];
    if (refusal !== undefined && profiles.length === 0) {
      add('which code it is', refusal.replace(/^.*?could not be taken: /, ''));
    }
  }
  if (evidence !== undefined && isShort && verdict !== 'leak') {
    add(
      'whether it continues',
      choices !== undefined && plannedSeconds(choices) >= LONG_SECONDS
        ? 'without metrics, profiles over some minutes show no slow leak: use a longer --gap, or oakum watch'
        : 'scrapes over less than ten minutes show no trend: leave out --sets, or use a longer --gap',
    );
  }
  if (history === undefined) add('since when, and how steadily', 'no history was given: --prometheus URL');
  else if (history.problem !== null) add('since when, and how steadily', history.problem);
  return unproved;
}
