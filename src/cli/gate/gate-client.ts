/** `oakum gate begin`, `round` and `end`: a gate around a test harness of one's own. */
import { decodeText, encodeText } from '../../base/text.ts';
import { addStoredRound, beginGate, endGate, readStored, STATE_FILE, type StoredGate } from '../../gate/client-gate.ts';
import type { GateChoices } from '../../gate/gate-log.ts';
import type { RoundPorts } from '../../gate/take-round.ts';
import { type TargetRef, targetText } from '../../evidence/target.ts';
import { openTarget, reportUnreachable } from '../connect/open-target.ts';
import { EvidenceFolder } from './evidence-folder.ts';
import { choicesOf, progressLine, roundPorts, waitForAnswer } from './gate-ports.ts';
import type { GateForm } from './gate-request.ts';
import { reportEnd, reportFailure } from './report-gate.ts';
import { countInSystem } from './programs.ts';
import { requiredTarget } from '../options/connection.ts';
import { type Io, stopSignal } from '../io.ts';
import { EXIT, Failure } from '../../base/errors.ts';

type Begin = GateForm<'begin'>;
type Later = GateForm<'round'> | GateForm<'end'>;

const FOLDER = 'oakum-gate';

export async function gateClient(request: Begin | Later, io: Io): Promise<number> {
  const evidence = new EvidenceFolder(request.evidence ?? FOLDER, io);
  const stored = await storedIn(evidence);
  if (request.form === 'begin') return begin(request, stored, evidence, io);
  if (stored === undefined)
    throw new Failure(
      'not-found',
      `no gate has begun in ${evidence.name}: oakum gate begin --target TARGET begins one`,
    );
  if (stored.ended)
    throw new Failure('usage', `the gate in ${evidence.name} has ended; oakum gate begin begins another`);
  return later(request, stored, evidence, io);
}

async function storedIn(evidence: EvidenceFolder): Promise<StoredGate | undefined> {
  const bytes = await evidence.read(STATE_FILE);
  if (bytes === undefined) return undefined;
  const stored = readStored(decodeText(bytes));
  if (stored === undefined)
    throw new Failure('usage', `${evidence.name}/${STATE_FILE}: is not the state of a gate; remove the folder`);
  return stored;
}

function store(stored: StoredGate, evidence: EvidenceFolder): Promise<void> {
  return evidence.save(STATE_FILE, encodeText(`${JSON.stringify(stored)}\n`));
}

async function begin(
  request: Begin,
  before: StoredGate | undefined,
  evidence: EvidenceFolder,
  io: Io,
): Promise<number> {
  if (before !== undefined && !before.ended)
    throw new Failure(
      'usage',
      `a gate has begun in ${evidence.name} already: end it with oakum gate end, remove the folder, or name another with --evidence`,
    );
  const { pid, settleSeconds, maxRounds, operation } = request;
  const settings = {
    target: targetText(request.ref),
    operation,
    budgetFile: request.budgetFile ?? null,
    baselineFile: request.baselineFile ?? null,
    catalogue: request.catalogue ?? null,
    pid: pid ?? null,
    settleSeconds,
    maxRounds,
  };
  // A wrong budget is told now, not after the last round.
  await choicesOf(request, evidence, undefined, io);
  return connected(request.ref, request, evidence, io, async ports => {
    await waitForAnswer(ports.connection, undefined, request.waitSeconds, ports.signal, io);
    const begun = await beginGate(ports, settings);
    if (begun.kind !== 'begun') return reportFailure(begun, undefined, evidence, io);
    await store(begun.stored, evidence);
    io.stderr.write(
      `began in ${evidence.name}: oakum gate round --operations N after each batch, then oakum gate end\n`,
    );
    return EXIT.done;
  });
}

async function later(request: Later, stored: StoredGate, evidence: EvidenceFolder, io: Io): Promise<number> {
  const { target, operation, pid, settleSeconds, maxRounds } = stored;
  const settings = {
    ...request,
    operation,
    settleSeconds,
    maxRounds,
    pid: pid ?? undefined,
    budgetFile: request.budgetFile ?? stored.budgetFile ?? undefined,
    baselineFile: request.baselineFile ?? stored.baselineFile ?? undefined,
    catalogue: request.catalogue ?? stored.catalogue ?? undefined,
  };
  const choices = await choicesOf(settings, evidence, undefined, io);
  const ref = requiredTarget([target], request.options);
  return connected(ref, settings, evidence, io, ports =>
    request.form === 'round'
      ? addRound(ports, stored, choices, evidence, io)
      : end(settings, ports, stored, choices, evidence, io),
  );
}

/** Prints whether to go on: `continue`, `leaks`, `within budget`, or `undecided` after the last round. */
async function addRound(
  ports: RoundPorts,
  stored: StoredGate,
  choices: GateChoices,
  evidence: EvidenceFolder,
  io: Io,
): Promise<number> {
  const added = await addStoredRound(ports, stored, choices.operations, choices, path => evidence.read(path));
  if (added.kind !== 'added') return reportFailure(added, undefined, evidence, io);
  await store(added.stored, evidence);
  const round = added.stored.operations.length;
  const operations = added.stored.operations.reduce((sum, one) => sum + one, 0);
  io.stderr.write(progressLine({ round, operations, measures: added.judged.measures }, choices.operation));
  io.stdout.write(added.outcome === 'undecided' && round < choices.maxRounds ? 'continue\n' : `${added.outcome}\n`);
  return EXIT.done;
}

async function end(
  settings: Pick<Later, 'outputs' | 'color' | 'budgetFile'>,
  ports: RoundPorts,
  stored: StoredGate,
  choices: GateChoices,
  evidence: EvidenceFolder,
  io: Io,
): Promise<number> {
  if (stored.operations.length === 0)
    throw new Failure('usage', `the gate in ${evidence.name} has no rounds: oakum gate round --operations N adds one`);
  const over = await endGate(ports, stored, choices, path => evidence.read(path));
  const code = await reportEnd(over, undefined, settings, evidence, io);
  if (over.kind === 'judged') await store({ ...stored, ended: true }, evidence);
  return code;
}

async function connected(
  ref: TargetRef,
  settings: Pick<Begin, 'options' | 'settleSeconds' | 'pid'>,
  evidence: EvidenceFolder,
  io: Io,
  work: (ports: RoundPorts) => Promise<number>,
): Promise<number> {
  const opened = await openTarget(ref, settings.options);
  if (opened.kind === 'not-opened') return reportUnreachable(opened, targetText(ref), io);
  const stop = stopSignal();
  try {
    const parts = { connection: opened.connection, evidence, signal: stop.signal };
    return await work(roundPorts({ ...parts, countInSystem: () => countInSystem(settings.pid) }, settings));
  } finally {
    stop.release();
  }
}
