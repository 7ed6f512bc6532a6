/** Reads a pile of files for what it says about the OOM cycle: scrapes, range queries, kubectl's events and nodes, logs. */
import { FileContent } from '../formats/file-content.ts';
import { readNodeEvent } from '../formats/kube-events.ts';
import { NO_STAMP } from '../formats/log-stamp.ts';
import { type FormatName, FORMATS, recogniseFormat } from '../formats/registry.ts';
import { type PileItem, type PileMember, type UnreadFile, readMembers } from '../pile.ts';
import type { ProcessNames, BootClock, Evidence } from './cycle.ts';
import { metricsEvidence, responsesEvidence } from './metrics-evidence.ts';
import { readNodeStatus } from '../formats/kube-objects.ts';

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

/** How much of one log is kept: its end, however long it is. */
const MAX_LOG_EVIDENCE = 50_000;
/** A boot has two such lines. */
const MAX_CLOCKS = 10_000;

export async function readEvidence(items: AsyncIterable<PileItem>, names: ProcessNames): Promise<ReadEvidence> {
  const evidence: Evidence[] = [];
  const clocks: BootClock[] = [];
  const fileSeconds = new Map<string, number>();
  const notes: string[] = [];
  let usedCount = 0;
  let unusedCount = 0;
  const unread = await readMembers(items, member => {
    const found = readMember(member, names);
    for (const one of found.evidence) evidence.push(one);
    for (const clock of found.clocks ?? []) clocks.push(clock);
    notes.push(...(found.notes ?? []).map(note => `${nameOf(member.path)}: ${note}`));
    if (found.evidence.length > 0) {
      usedCount++;
      if (member.mtimeSeconds !== undefined) fileSeconds.set(member.path, member.mtimeSeconds);
      if (member.damage !== undefined) notes.push(`${nameOf(member.path)}: ${member.damage}`);
    } else unusedCount++;
  });
  return { evidence, clocks, fileSeconds, notes, usedCount, unusedCount, unread };
}

/** The last two parts of a path: enough to find the file again. */
export function nameOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}

type Reader = (member: PileMember, file: FileContent, names: ProcessNames) => Found;

const nothing: Reader = () => ({ evidence: [] });

/** A log that holds a dump is recognised as the dump, so every text is searched for lines of a log. */
const READERS: Readonly<Record<FormatName, Reader>> = {
  exposition: metricsEvidence,
  'kubectl-json': kubeEvidence,
  json: kubeEvidence,
  'json-lines': kubeEvidence,
  log: logEvidence,
  debug1: logEvidence,
  debug2: logEvidence,
  'heap-text': logEvidence,
  'contention-text': logEvidence,
  legacy: logEvidence,
  folded: logEvidence,
  pprof: nothing,
  otlp: nothing,
  'range-query': responsesEvidence,
  'capture-manifest': nothing,
  'bundle-manifest': nothing,
  version: nothing,
};

function readMember(member: PileMember, names: ProcessNames): Found {
  const file = new FileContent(member.bytes);
  const format = recogniseFormat(file);
  return (format === undefined ? logEvidence : READERS[format])(member, file, names);
}

function kubeEvidence({ path }: PileMember, file: FileContent): Found {
  const { objects, isCut } = FORMATS['kubectl-json'].read(file);
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
  return {
    evidence,
    notes: isCut && evidence.length > 0 ? ['the JSON is cut; the objects before the cut were read'] : [],
  };
}

function logEvidence({ path }: PileMember, file: FileContent, names: ProcessNames): Found {
  if (!file.isText) return { evidence: [] };
  const evidence: Evidence[] = [];
  const clocks: BootClock[] = [];
  let omitted = 0;
  for (const { event, stamp, host, line } of FORMATS.log.read(file)) {
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
    notes: omitted === 0 ? [] : [`its first ${omitted} relevant lines are left out`],
  };
}
