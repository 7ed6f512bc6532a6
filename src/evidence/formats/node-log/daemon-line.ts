/**
 * What a Go daemon and its watchers say about its end, its start and its stalls.
 *
 *     runtime: program exceeds 10000-thread limit / fatal error: thread exhaustion
 *     fatal error: runtime: out of memory
 *     "Skipping pod synchronization" err="PLEG is not healthy: pleg was last seen active 3m7.5s ago; threshold is 3m0s"
 *     kubelet cooldown period of 2m0s exceeded, repairing              (node-problem-detector's health-checker)
 */
import type { DeathCause, LogEvent } from '../../cycle/cycle.ts';

const FATAL = /^(?:fatal error: (.{1,200})|panic: (.{1,200})|runtime: (program exceeds \d+-thread limit))/;
const PLEG = /PLEG is not healthy: pleg was last seen active (\S{1,40}) ago/;
const STARTED = /^(?:"?Kubelet version"? |"?Starting kubelet main sync loop)/;
const UNHEALTHY = /^([\w-]{1,40}) is unhealthy, component uptime: /;
const REPAIRING = /^([\w-]{1,40}) cooldown period of \S+ exceeded, repairing/;

/** `writer` is the daemon as the log names it; '' if it does not. */
export function parseDaemonLine(message: string, writer: string): LogEvent | undefined {
  const fatal = FATAL.exec(message);
  if (fatal !== null) {
    const text = fatal[1] ?? fatal[2] ?? fatal[3];
    const cause = causeOf(text, fatal[2] !== undefined);
    // Any program panics; without a writer only what a leak leads to says enough.
    if (cause === 'crash' && writer === '') return undefined;
    return { kind: 'go-death', process: writer, cause, message: message.slice(0, 200) };
  }
  const pleg = PLEG.exec(message);
  if (pleg !== null) {
    const ageSeconds = goDurationSeconds(pleg[1]);
    return ageSeconds === undefined ? undefined : { kind: 'pleg-stalled', ageSeconds };
  }
  if (STARTED.test(message)) return { kind: 'process-started', process: writer || 'kubelet' };
  const repairing = REPAIRING.exec(message);
  const watched = repairing ?? UNHEALTHY.exec(message);
  if (watched === null) return undefined;
  return { kind: 'repair', component: watched[1], acts: repairing !== null, message: message.slice(0, 200) };
}

function causeOf(text: string, isPanic: boolean): DeathCause {
  if (isPanic) return 'crash';
  if (/out of memory|cannot allocate memory|cannot allocate heap/.test(text)) return 'go-out-of-memory';
  return /thread exhaustion|-thread limit|newosproc/.test(text) ? 'go-threads' : 'crash';
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1, ms: 1e-3, µs: 1e-6, us: 1e-6, ns: 1e-9 };

/** `3m7.5s` in seconds. */
export function goDurationSeconds(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:h|ms|m|s|µs|us|ns))+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|µs|us|ns)/g)) {
    seconds += Number(amount) * UNIT_SECONDS[unit];
  }
  return seconds;
}
