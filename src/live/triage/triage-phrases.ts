/** Parts of a triage in words, shared by text and markdown so that they cannot drift. All of it is safe to print. */
import { amountIn, formatAge, formatBytes, formatCount, formatHours } from '../../base/say.ts';
import { visible } from '../../base/visible-text.ts';
import type { MemorySplit, TimeToLimit, TriageEvidence, TriageHistory, TriagePast, TriageScrape } from './triage.ts';

/** `kubelet v1.36.0, go1.26.7, up 8d3h, 60 pods` */
export function processPhrase({ component, version, goVersion, upSeconds, pods }: TriageScrape): string {
  const name = [component, version].filter(part => part !== null).join(' ');
  const parts = [name === '' ? null : name, goVersion];
  if (upSeconds !== null) parts.push(`up ${formatAge(upSeconds)}`);
  if (pods !== null) parts.push(`${formatCount(pods)} ${pods === 1 ? 'pod' : 'pods'}`);
  return visible(parts.filter(part => part !== null).join(', '));
}

/** `301 goroutines, 14 threads, 22 of 20,000 files open` */
export function countsPhrase({ goroutines, threads, openFiles, maxFiles }: TriageScrape): string {
  const parts: string[] = [];
  if (goroutines !== null) parts.push(`${formatCount(goroutines)} goroutines`);
  if (threads !== null) parts.push(`${formatCount(threads)} threads`);
  if (openFiles !== null)
    parts.push(`${formatCount(openFiles)}${maxFiles === null ? '' : ` of ${formatCount(maxFiles)}`} files open`);
  return parts.join(', ');
}

/** `157 MiB resident; the Go runtime holds 40 MiB live heap, 21.4 MiB new or garbage, ...` */
export function memoryPhrase({ residentBytes, memory, memoryLimit }: TriageScrape): string {
  const parts: string[] = [];
  if (residentBytes !== null) parts.push(`${formatBytes(residentBytes)} resident`);
  if (memoryLimit !== null) parts.push(`limit ${formatBytes(memoryLimit.bytes)} (${memoryLimit.from})`);
  if (memory !== null) parts.push(`the Go runtime holds ${splitPhrase(memory)}`);
  return parts.join('; ');
}

function splitPhrase(split: MemorySplit): string {
  const parts: readonly (readonly [number | null, string])[] = [
    [split.liveBytes, 'live heap'],
    [split.newBytes, split.liveBytes === null ? 'heap objects' : 'new or garbage'],
    [split.unusedBytes, 'unused'],
    [split.stackBytes, 'stacks'],
    [split.profilerBucketBytes, 'profiler buckets'],
    [split.unreturnedBytes, 'unreturned'],
    [split.otherBytes, 'other'],
  ];
  return parts.flatMap(([bytes, name]) => (bytes === null ? [] : [`${formatBytes(bytes)} ${name}`])).join(', ');
}

export function stagePhrase({ cycle }: TriageScrape): string {
  // A process far from its limit may still leak, and the word would be read as the verdict.
  return visible(cycle.stage === 'healthy' ? cycle.sentence : `${cycle.stage}: ${cycle.sentence}`);
}

export function historyPhrase({ address, selector, peerCount, detected, problem }: TriageHistory): string {
  if (problem !== null) return visible(`${address}: ${problem}`);
  const peers = peerCount === 0 ? '' : `, beside ${formatCount(peerCount)} others of its job`;
  const samples = detected === null ? '' : `${formatCount(detected.sampleCount)} samples since ${detected.from}`;
  return visible(`${address} {${selector}}: ${samples}${peers}`);
}

/** `http://pyroscope:4040 {pod="kcp-0"}: 16 profiles from 2026-11-15T13:57:00Z to 2026-11-15T19:57:00Z` */
export function pastPhrase({ address, selector, profileCount, from, to, problem }: TriagePast): string {
  const process = selector === '' ? '' : ` {${selector}}`;
  const profiles = `${formatCount(profileCount)} ${profileCount === 1 ? 'profile' : 'profiles'}`;
  const told = [profileCount === 0 ? null : `${profiles} from ${from} to ${to}`, problem];
  const text = told.filter(part => part !== null).join('; ');
  // A problem with the server itself names it.
  return visible(text.startsWith(address) ? text : `${address}${process}: ${text}`);
}

/** `12h to 2d until 512 MiB of live heap` */
export function limitPhrase({ hours, resource, limit, unit, from }: TimeToLimit): string {
  const amount = limit === null ? 'the limit' : amountIn(unit)(limit);
  const basis = from === 'capture' ? ', from the minutes of the capture alone' : '';
  return `${formatHours(hours)} until ${amount} (${resource})${basis}`;
}

/** `./oakum-worker-17: 13 files, 3.1 MiB, 2 sets` */
export function evidencePhrase({ folder, fileCount, bytes, setCount, isWhole }: TriageEvidence): string {
  const files = `${formatCount(fileCount)} ${fileCount === 1 ? 'file' : 'files'}`;
  const sets = `${setCount} ${setCount === 1 ? 'set' : 'sets'}`;
  return visible(`${folder}: ${files}, ${formatBytes(bytes)}, ${sets}${isWhole ? '' : ', incomplete'}`);
}
