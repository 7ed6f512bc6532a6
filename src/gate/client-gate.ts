/**
 * A gate around a test harness of one's own: begin, a round after each batch of operations, end. What was seen so far is
 * in the evidence folder, so each step may be a process of its own.
 *
 *     oakum-gate/gate-state.json    levels, operations and files of each round
 *     oakum-gate/round-03/...       the profiles, from which families are read again
 */
import type { FamilyTable } from '../profile/families/family.ts';
import { type GateOutcome, readKept } from './gate.ts';
import { finishGate } from './finish-gate.ts';
import { outcomeOf } from './gate-answer.ts';
import { type GateChoices, GateLog } from './gate-log.ts';
import type { JudgedRounds } from './judge-rounds.ts';
import { addRound, beginRounds, type GateEnd, type GateFailure, guarded } from './run-gate.ts';
import type { RoundFacts, RoundPorts, RoundState } from './take-round.ts';

export interface StoredGate {
  readonly schema: 'oakum.gate-state/v1';
  readonly target: string;
  readonly operation: string;
  readonly budgetFile: string | null;
  readonly baselineFile: string | null;
  readonly catalogue: string | null;
  /** The id of the process, if it is on this machine. */
  readonly pid: number | null;
  readonly settleSeconds: number;
  readonly maxRounds: number;
  readonly states: readonly RoundFacts[];
  readonly operations: readonly number[];
  /** The list of all goroutines before the first round. */
  readonly listed: string | null;
  readonly ended: boolean;
}

export const STATE_FILE = 'gate-state.json';
const SCHEMA = 'oakum.gate-state/v1';

/** Reads a file of the evidence; undefined if it is not there. */
export type ReadEvidence = (path: string) => Promise<Uint8Array | undefined>;

/** Undefined if it is not the state of a gate. */
export function readStored(text: string): StoredGate | undefined {
  try {
    const value = JSON.parse(text) as StoredGate;
    const isWhole =
      value.schema === SCHEMA &&
      typeof value.target === 'string' &&
      Array.isArray(value.states) &&
      Array.isArray(value.operations) &&
      value.states.length === value.operations.length + 1;
    return isWhole ? value : undefined;
  } catch {
    return undefined;
  }
}

export interface GateBegun {
  readonly kind: 'begun';
  readonly stored: StoredGate;
}

export async function beginGate(
  ports: RoundPorts,
  settings: Omit<StoredGate, 'schema' | 'states' | 'operations' | 'listed' | 'ended'>,
): Promise<GateBegun | GateFailure> {
  const log = new GateLog();
  let listed: string | null = null;
  const save: RoundPorts['save'] = async (path, body) => {
    await ports.save(path, body);
    if (path.includes('/goroutine-d2-')) listed = path;
  };
  return guarded(ports, log, async (): Promise<GateBegun> => {
    await beginRounds({ ...ports, save }, log);
    const states = log.states.map(factsOf);
    return { kind: 'begun', stored: { schema: SCHEMA, ...settings, states, operations: [], listed, ended: false } };
  });
}

export interface RoundAdded {
  readonly kind: 'added';
  readonly stored: StoredGate;
  readonly judged: JudgedRounds;
  readonly outcome: GateOutcome;
}

export async function addStoredRound(
  ports: RoundPorts,
  stored: StoredGate,
  operations: number,
  choices: GateChoices,
  read: ReadEvidence,
): Promise<RoundAdded | GateFailure> {
  const log = await logOf(stored, read);
  return guarded(ports, log, async (): Promise<RoundAdded | GateFailure> => {
    const over = await addRound(ports, log, operations);
    if (over !== undefined) return over;
    const judged = log.judge(choices);
    const next = { ...stored, states: log.states.map(factsOf), operations: [...log.operations] };
    return { kind: 'added', stored: next, judged, outcome: outcomeOf(judged, choices.budget) };
  });
}

export async function endGate(
  ports: RoundPorts,
  stored: StoredGate,
  choices: GateChoices,
  read: ReadEvidence,
): Promise<GateEnd> {
  const log = await logOf(stored, read);
  return guarded(ports, log, async (): Promise<GateEnd> => ({
    kind: 'judged',
    result: await finishGate(ports, log, choices, log.judge(choices)),
  }));
}

/** Without the families, which are in the files. */
function factsOf({ goroutines: _, heap: __, ...facts }: RoundState): RoundFacts {
  return facts;
}

async function logOf(stored: StoredGate, read: ReadEvidence): Promise<GateLog> {
  const log = new GateLog();
  const tableIn = async (path: string | null | undefined): Promise<FamilyTable | undefined> => {
    const bytes = path == null ? undefined : await read(path);
    const kept = bytes === undefined || path == null ? undefined : readKept(path, bytes);
    return typeof kept === 'object' ? kept[0]?.families : undefined;
  };
  for (const facts of stored.states) {
    const { goroutines, heap } = facts.files;
    log.states.push({ ...facts, goroutines: await tableIn(goroutines), heap: await tableIn(heap) });
  }
  log.operations.push(...stored.operations);
  log.listedBefore = await tableIn(stored.listed);
  return log;
}
