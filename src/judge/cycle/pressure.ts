/** Signs that a kill is near: the process is close to a limit or soon will be, or the node is short of memory. */
import { isLimit } from '../../evidence/resource.ts';
import { formatBytes, formatPercent, hourly, signed, timeText } from '../../base/say.ts';
import { theilSen } from '../growth/theil-sen.ts';
import type { SeenKill } from './kills.ts';
import type { Life } from './lives.ts';
import type { ProcessNames } from '../../evidence/cycle/cycle.ts';
import type { Sample } from './samples.ts';
import { killText, secondsText, timesText, type Observed } from './phrases.ts';

export interface Sign {
  /** When it began. */
  readonly atSeconds: number;
  readonly text: string;
  readonly evidence: readonly string[];
}

interface Limit {
  readonly bytes: number;
  readonly what: string;
}

/** A kill is near from this share of a limit. */
const NEAR_SHARE = 0.8;
const SOON_HOURS = 6;
/** A trend over less time means nothing. */
const TREND_HOURS = 0.25;
/** A rise below this share of the limit is noise. */
const TREND_SHARE = 0.02;
/** MemoryPressure lasts at least five minutes. */
const RECENT_SECONDS = 600;
const GLOBAL_KILL_SECONDS = 3600;

/** How near the life came to a limit, and when; `killedAt` is a size at which a life was killed. */
export function limitSign(life: Life, killedAt: number | undefined): Sign | undefined {
  const sized = life.samples.filter(sample => sizeOf(sample) !== undefined);
  const last = sized.at(-1);
  const limit = last === undefined ? undefined : limitOf(sized, killedAt);
  if (last === undefined || limit === undefined) return undefined;
  const share = (sample: Sample): number => (sizeOf(sample) ?? 0) / limit.bytes;
  const size = sizeOf(last) ?? 0;
  if (share(last) >= NEAR_SHARE) {
    const onset = sized.slice(sized.findLastIndex(sample => share(sample) < NEAR_SHARE) + 1).at(0) ?? last;
    const text = `${formatBytes(size)} is ${formatPercent(Math.round(share(last) * 100))} of ${limit.what} (${formatBytes(limit.bytes)})`;
    return { atSeconds: onset.atSeconds, text, evidence: [last.source] };
  }
  const hours = sized.map(({ atSeconds }) => (atSeconds - last.atSeconds) / 3600);
  const trend = theilSen(
    hours,
    sized.map(sample => sizeOf(sample) ?? 0),
  );
  if (trend === undefined || !(trend.low > 0) || -hours[0] < TREND_HOURS) return undefined;
  const left = (limit.bytes - size) / trend.slope;
  if (left > SOON_HOURS || trend.slope * -hours[0] < TREND_SHARE * limit.bytes) return undefined;
  const rate = signed(formatBytes(trend.slope));
  const text = `${formatBytes(size)} and ${hourly(rate)}: ${limit.what} (${formatBytes(limit.bytes)}) in ${secondsText(left * 3600)}`;
  return { atSeconds: last.atSeconds, text, evidence: [last.source] };
}

function sizeOf({ values }: Sample): number | undefined {
  return values.workingSetBytes ?? values.residentBytes;
}

/** The lowest known limit. */
function limitOf(samples: readonly Sample[], killedAt: number | undefined): Limit | undefined {
  const limits: Limit[] = [];
  const told = (name: 'cgroupLimitBytes' | 'goLimitBytes'): number =>
    samples.findLast(({ values }) => values[name] !== undefined)?.values[name] ?? 0;
  limits.push({ bytes: told('cgroupLimitBytes'), what: "the cgroup's limit" });
  limits.push({ bytes: told('goLimitBytes'), what: 'GOMEMLIMIT' });
  limits.push({ bytes: killedAt ?? 0, what: 'the size at which it was killed' });
  const real = limits.filter(({ bytes }) => isLimit(bytes));
  return real.sort((a, b) => a.bytes - b.bytes).at(0);
}

/** The memory condition of the node at the end of the record. */
export function nodeSigns(
  seen: Observed,
  kills: readonly SeenKill[],
  samples: readonly Sample[],
  names: ProcessNames,
): Sign[] {
  const now = seen.lastSeconds ?? 0;
  const signs: Sign[] = [];
  const pressure = seen.conditions.findLast(({ type }) => type === 'MemoryPressure');
  if (pressure?.status === 'True') {
    const atSeconds = pressure.sinceSeconds ?? pressure.atSeconds ?? now;
    signs.push({ atSeconds, text: `MemoryPressure since ${timeText(atSeconds)}`, evidence: [pressure.source] });
  }
  const told = seen.kubeEvents.findLast(({ reason }) => /^NodeHas(?:In)?[Ss]ufficientMemory$/.test(reason));
  if (told?.reason === 'NodeHasInsufficientMemory' && pressure === undefined) {
    const text = 'the node reported NodeHasInsufficientMemory and not that it was over';
    signs.push({ atSeconds: told.atSeconds ?? now, text, evidence: [told.source] });
  }
  const evicting = evictionSign(seen, samples, now);
  if (evicting !== undefined) signs.push(evicting);
  const global = kills.filter(
    ({ kill, atSeconds, isDoubtful }) =>
      kill.scope === 'global' &&
      !isDoubtful &&
      !names.isProcess(kill.process) &&
      (atSeconds ?? -1) >= now - GLOBAL_KILL_SECONDS,
  );
  const first = global.at(0);
  if (first !== undefined) {
    const victims = global.length === 1 ? '' : ` and ${timesText(global.length - 1, 'other')}`;
    const text = `the whole node ran out of memory: ${first.kill.process}${victims} killed (${killText(first.kill)})`;
    signs.push({
      atSeconds: first.atSeconds ?? now,
      text,
      evidence: global.flatMap(({ evidence }) => evidence).slice(0, 5),
    });
  }
  return signs;
}

function evictionSign(seen: Observed, samples: readonly Sample[], now: number): Sign | undefined {
  const evicted = seen.kubeEvents.findLast(
    ({ reason, message, lastSeconds }) =>
      (reason === 'EvictionThresholdMet' || reason === 'Evicted') &&
      /memory/.test(message) &&
      (lastSeconds ?? 0) >= now - RECENT_SECONDS,
  );
  if (evicted !== undefined) {
    const text = `the kubelet evicts for memory: ${evicted.message.slice(0, 120)}`;
    return { atSeconds: evicted.atSeconds ?? now, text, evidence: [evicted.source] };
  }
  const counted = samples.filter(
    ({ values, atSeconds }) => values.memoryEvictions !== undefined && atSeconds >= now - RECENT_SECONDS,
  );
  const [first, last] = [counted.at(0), counted.at(-1)];
  const rise = (last?.values.memoryEvictions ?? 0) - (first?.values.memoryEvictions ?? 0);
  if (first === undefined || last === undefined || rise <= 0) return undefined;
  return {
    atSeconds: first.atSeconds,
    text: `${rise} evictions for memory in ${secondsText(last.atSeconds - first.atSeconds)}`,
    evidence: [last.source],
  };
}
