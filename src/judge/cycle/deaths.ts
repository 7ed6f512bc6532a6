/** Why the process died, from everything that was observed. */
import type { Death, DeathCause } from '../../evidence/cycle/cycle.ts';
import type { LifeEvent } from './life-events.ts';
import type { Observed } from './observed.ts';
import type { ProcessNames } from '../../evidence/cycle/process-names.ts';
import type { SeenKill } from './kills.ts';
import { killText, secondsText } from './phrases.ts';

/** A repairer acts within this time of finding the process unhealthy. */
const REPAIR_SECONDS = 300;

/** The kernel is trusted most, then the Go runtime, then systemd. */
const ORDER: readonly DeathCause[] = ['oom', 'go-out-of-memory', 'go-threads', 'crash', 'stopped', 'signal', 'exit'];

export function deathOf(lifeEvent: LifeEvent, seen: Observed, names: ProcessNames): Death {
  const { sightings, atSeconds } = lifeEvent;
  const kill = sightings.find(sighting => sighting.kill !== undefined)?.kill?.kill ?? null;
  const ranked = sightings
    .filter(sighting => sighting.cause !== undefined)
    .sort((a, b) => ORDER.indexOf(a.cause ?? 'unknown') - ORDER.indexOf(b.cause ?? 'unknown'));
  const told = ranked.at(0);
  const cause = told?.cause ?? 'unknown';
  const by = cause === 'oom' || cause.startsWith('go-') ? undefined : repairBefore(atSeconds, seen, names);
  if (by !== undefined) return { atSeconds, cause: 'repairer', sentence: by, kill };
  return { atSeconds, cause, sentence: sentenceOf(cause, kill, told?.text ?? ''), kill };
}

function sentenceOf(cause: DeathCause, kill: Death['kill'], text: string): string {
  if (kill !== null) return `OOM-killed (${killText(kill)})`;
  switch (cause) {
    case 'oom':
      return 'OOM-killed, as systemd says; no line of the kernel tells whose limit it was';
    case 'go-out-of-memory':
      return `out of memory in the Go runtime: ${text}`;
    case 'go-threads':
      return `out of threads in the Go runtime: ${text}`;
    case 'crash':
      return `crashed: ${text}`;
    case 'signal':
      return `${text}; nothing shows an OOM kill`;
    case 'exit':
      return `exited with ${text.replace(/^exit /, '')}; nothing shows an OOM kill`;
    default:
      return text || 'died, and nothing tells why';
  }
}

function repairBefore(seconds: number, seen: Observed, names: ProcessNames): string | undefined {
  for (const { event, atSeconds } of seen.logs) {
    if (event.kind !== 'repair' || !event.acts || atSeconds === undefined || !names.isProcess(event.component))
      continue;
    const before = seconds - atSeconds;
    if (before >= -1 && before <= REPAIR_SECONDS)
      return `killed by node-problem-detector's health-checker (${event.message})`;
  }
  for (const { reason, atSeconds, message } of seen.kubeEvents) {
    if (reason !== 'KubeletUnhealthy' || atSeconds === undefined || /: False/.test(message)) continue;
    const before = seconds - atSeconds;
    if (before >= 0 && before <= REPAIR_SECONDS && names.name === 'kubelet')
      return `died ${secondsText(before)} after it was called KubeletUnhealthy: node-problem-detector's health-checker kills it where repair is on`;
  }
  return undefined;
}

/** A death that is only known from the start after it. */
export function unseenDeath(
  lastSeenSeconds: number | undefined,
  startSeconds: number,
  reboot: boolean | undefined,
): Death {
  const gap =
    lastSeenSeconds === undefined ? '' : `within ${secondsText(startSeconds - lastSeenSeconds)} before its new start`;
  if (reboot === true)
    return { atSeconds: null, cause: 'reboot', sentence: 'ended with a reboot of the node', kill: null };
  const sentence = `died ${gap === '' ? 'before its new start' : gap}; no log tells why`;
  return { atSeconds: null, cause: 'unknown', sentence, kill: null };
}

/** Whether a kill without a time could explain it as well. */
export function mayBeOom({ cause, kill }: Death): boolean {
  return kill === null && (cause === 'oom' || cause === 'unknown' || cause === 'signal');
}

export function withKill(death: Death, { kill }: SeenKill): Death {
  return { ...death, cause: 'oom', kill, sentence: `OOM-killed (${killText(kill)}; its line carries no time)` };
}
