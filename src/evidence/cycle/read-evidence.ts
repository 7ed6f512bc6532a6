/**
 * A pile of files, read for what it tells of the OOM cycle: scrapes, kubectl's events and nodes, logs. What else lies in
 * the pile is left aside.
 */
import { FormatError } from '../../base/errors.ts';
import { decodeText } from '../../base/text.ts';
import { sniffExposition } from '../../formats/exposition/sniff.ts';
import { readNodeEvent } from '../../formats/kube-json/events.ts';
import { readNodeStatus } from '../../formats/kube-json/nodes.ts';
import { readKubeObjects } from '../../formats/kube-json/objects.ts';
import { readNodeLog } from '../../formats/node-log/read.ts';
import { NO_STAMP } from '../../formats/node-log/stamp.ts';
import type { UnreadFile } from '../../model/cycle.ts';
import type { PileItem, PileMember } from '../../model/pile.ts';
import { type ProcessNames } from '../../analysis/cycle/process-names.ts';
import type { BootClock, Evidence } from './cycle-evidence.ts';
import { metricsEvidence } from './metrics-evidence.ts';

export interface ReadEvidence {
  readonly evidence: readonly Evidence[];
  readonly clocks: readonly BootClock[];
  /** When each file was written, for logs without a year. */
  readonly fileSeconds: ReadonlyMap<string, number>;
  readonly notes: readonly string[];
  readonly usedCount: number;
  readonly unusedCount: number;
  readonly unread: readonly UnreadFile[];
}

interface Found {
  readonly evidence: readonly Evidence[];
  readonly clocks?: readonly BootClock[];
  readonly notes?: readonly string[];
}

/** What one log may add; a log of more kills than this is read to its end all the same. */
const MAX_LOG_EVIDENCE = 50_000;
/** A boot has two such lines. */
const MAX_CLOCKS = 10_000;
const HEAD_BYTES = 64 * 1024;

export async function readEvidence(items: AsyncIterable<PileItem>, names: ProcessNames): Promise<ReadEvidence> {
  const evidence: Evidence[] = [];
  const clocks: BootClock[] = [];
  const fileSeconds = new Map<string, number>();
  const notes: string[] = [];
  const unread: UnreadFile[] = [];
  let usedCount = 0;
  let unusedCount = 0;
  for await (const item of items) {
    if (item.kind === 'problem') {
      unread.push({ path: item.path, message: item.message });
      continue;
    }
    try {
      const found = readMember(item, names);
      for (const one of found.evidence) evidence.push(one);
      for (const clock of found.clocks ?? []) clocks.push(clock);
      notes.push(...(found.notes ?? []).map(note => `${nameOf(item.path)}: ${note}`));
      if (found.evidence.length > 0) {
        usedCount++;
        if (item.mtimeSeconds !== undefined) fileSeconds.set(item.path, item.mtimeSeconds);
        if (item.damage !== undefined) notes.push(`${nameOf(item.path)}: ${item.damage}`);
      } else unusedCount++;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      unread.push({ path: item.path, message: error.describe() });
    }
  }
  return { evidence, clocks, fileSeconds, notes, usedCount, unusedCount, unread };
}

/** The last two names of a path: enough to find the file again. */
export function nameOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}

function readMember(member: PileMember, names: ProcessNames): Found {
  const head = member.bytes.subarray(0, HEAD_BYTES);
  if (sniffExposition(head)) return metricsEvidence(member);
  const begin = decodeText(head.subarray(0, 4096)).trimStart();
  // `[12345.678]` is the beginning of a kernel log.
  if (/^(?:\{|\[\s*[{\]])/.test(begin) && !/^\{"log":|"__REALTIME_TIMESTAMP"|"MESSAGE"\s*:/.test(begin))
    return kubeEvidence(member);
  // Of profiles and other binaries no line is a log's.
  return head.subarray(0, 1024).includes(0) ? { evidence: [] } : logEvidence(member, names);
}

function kubeEvidence({ path, bytes }: PileMember): Found {
  const { objects, isCut } = readKubeObjects(bytes);
  const evidence: Evidence[] = [];
  const add = (host: string, { atSeconds, ...body }: Evidence['body'] & { atSeconds: number | undefined }): void => {
    const stamp = atSeconds === undefined ? NO_STAMP : ({ kind: 'instant', seconds: atSeconds } as const);
    evidence.push({ path, line: 0, host, isOfNode: true, stamp, body });
  };
  for (const object of objects) {
    const event = readNodeEvent(object);
    if (event !== undefined) add(event.node, event.observation);
    const status = readNodeStatus(object);
    for (const condition of status?.conditions ?? []) add(status?.node ?? '', condition);
    if (status?.boot !== undefined) add(status.node, status.boot);
  }
  return { evidence, notes: isCut && evidence.length > 0 ? ['the JSON ends early; what there is was read'] : [] };
}

function logEvidence({ path, bytes }: PileMember, names: ProcessNames): Found {
  const evidence: Evidence[] = [];
  const clocks: BootClock[] = [];
  let omitted = 0;
  for (const { event, stamp, host, line } of readNodeLog(bytes)) {
    if (event.kind === 'clock') {
      if (stamp.kind === 'since-boot' && clocks.length < MAX_CLOCKS)
        clocks.push({ path, host, bootSeconds: event.unixSeconds - stamp.seconds });
      continue;
    }
    if (event.kind === 'unit' && !names.isUnit(event.unit)) continue;
    if (event.kind === 'go-death' && event.process !== '' && !names.isProcess(event.process)) continue;
    if (evidence.length >= MAX_LOG_EVIDENCE * 2) omitted += evidence.splice(0, MAX_LOG_EVIDENCE).length;
    const body = event.kind === 'boot' ? event : ({ kind: 'log', event } as const);
    evidence.push({ path, line, host, isOfNode: true, stamp, body });
  }
  return {
    evidence,
    clocks,
    notes: omitted === 0 ? [] : [`its first ${omitted} lines that tell something are left out`],
  };
}
