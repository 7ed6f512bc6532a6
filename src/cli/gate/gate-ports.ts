/** What a gate needs of the world: a connection, the clock, the evidence folder, the started program. */
import { setTimeout as delay } from 'node:timers/promises';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { inflateBody } from '../../live/io/capture-folder.ts';
import { explain } from '../../live/doctor/explain.ts';
import type { GateChoices } from '../../gate/gate-log.ts';
import { plural } from '../../gate/gate-answer.ts';
import type { GateProgress } from '../../gate/run-gate.ts';
import type { RoundPorts, SystemCounts } from '../../gate/take-round.ts';
import type { TargetConnection } from '../../live/ports.ts';
import { amountOf, intervalText, measureName } from '../../gate/report/gate-amounts.ts';
import { catalogueOf } from '../connect/load-catalogue.ts';
import type { Io } from '../io.ts';
import type { EvidenceFolder } from './evidence-folder.ts';
import type { GateSettings } from './gate-request.ts';
import type { StartedTarget } from './programs.ts';
import { oneLine } from '../../base/text-layout.ts';
import { type Baseline, readBaseline } from '../../gate/baseline.ts';
import { type Budget, NO_BUDGET } from '../../gate/budget.ts';
import { NO_BUDGET_FILE, readBudget } from '../../gate/budget-file.ts';
import { Failure, systemReason } from '../../base/errors.ts';

const MAX_BYTES = 1 << 20;

export interface PortParts {
  readonly connection: TargetConnection;
  readonly evidence: EvidenceFolder;
  readonly signal: AbortSignal;
  readonly countInSystem: () => Promise<SystemCounts | undefined>;
}

export function roundPorts(
  { connection, evidence, signal, countInSystem }: PortParts,
  { options, settleSeconds }: Pick<GateSettings, 'options' | 'settleSeconds'>,
): RoundPorts {
  return {
    connection,
    save: (path, body) => evidence.save(path, body),
    inflate: inflateBody,
    sleep: seconds => delay(seconds * 1000, undefined, { signal }).catch(() => {}),
    now: () => Date.now() / 1000,
    signal,
    requestTimeoutSeconds: options.requestTimeoutSeconds,
    settleSeconds,
    countInSystem,
  };
}

export async function choicesOf(
  settings: Omit<GateSettings, 'options' | 'outputs' | 'color' | 'evidence'>,
  evidence: EvidenceFolder,
  askedRate: number | undefined,
  io: Io,
): Promise<GateChoices> {
  return {
    operations: settings.operations,
    maxRounds: settings.maxRounds,
    budget: await budgetIn(settings.budgetFile, settings.baselineFile, io),
    today: new Date().toISOString().slice(0, 10),
    catalogue: await catalogueOf(settings.catalogue, io),
    evidence: evidence.name,
    operation: settings.operation,
    askedRate,
  };
}

const POLL_MS = 250;
const REQUEST_SECONDS = 5;
/** What may pass while a program starts; a wrong name or certificate does not. */
const STARTING: readonly string[] = ['refused', 'reset', 'unreachable', 'timeout', 'socket'];

/** Waits until the target answers. If it does not, the first round says why. */
export async function waitForAnswer(
  connection: TargetConnection,
  started: StartedTarget | undefined,
  waitSeconds: number,
  signal: AbortSignal,
  io: Io,
): Promise<void> {
  const path = '/debug/pprof/';
  const until = Date.now() + waitSeconds * 1000;
  let isTold = started !== undefined;
  while (!signal.aborted) {
    const words = started?.outputTail();
    if (words !== undefined)
      throw new Failure('no-answer', `the started program ended before it answered: it ${words}`);
    const reply = await connection.get(path, { deadlineSeconds: REQUEST_SECONDS, maxBytes: 1 << 20, signal });
    const isStarting =
      reply.kind === 'answer'
        ? explain(reply, { ...connection, path })?.passing === true
        : STARTING.includes(reply.kind);
    if (!isStarting || Date.now() >= until) return;
    if (!isTold) io.stderr.write(`waiting for ${connection.target} to answer\n`);
    isTold = true;
    await delay(POLL_MS);
  }
}

/** `round 3: 150 widgets; per widget: goroutines 2 (1.9 to 2.1), heap ...` */
export function progressLine({ round, operations, measures }: GateProgress, operation: string): string {
  const parts = measures
    .filter(({ growth }) => growth !== null)
    .map(one => `${measureName(one)} ${intervalText(one, amountOf(one.unit === 'bytes'))}`);
  const growth = parts.length === 0 ? '' : `; per ${operation}: ${parts.join(', ')}`;
  return `round ${round}: ${operations} ${plural(operation, operations)}${growth}\n`;
}

/** Reads `oakum.budget.yaml` and the baseline; a wrong one is a usage failure that says what is wrong and where. */
async function budgetIn(path: string | undefined, baseline: string | undefined, io: Io): Promise<Budget> {
  if (path === undefined && baseline === undefined) return NO_BUDGET;
  const { budget, problems } =
    path === undefined
      ? { budget: NO_BUDGET_FILE, problems: [] }
      : readBudget(contentOf(await textIn(path, io), path), path);
  refuse(problems);
  const beside = budget.baseline === undefined || path === undefined ? undefined : join(dirname(path), budget.baseline);
  const known = baseline ?? beside;
  return { ...budget, baseline: known === undefined ? undefined : await baselineIn(known, io) };
}

async function baselineIn(path: string, io: Io): Promise<Baseline> {
  const { baseline, problems } = readBaseline(await textIn(path, io), path);
  refuse(problems);
  return baseline;
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new Failure('usage', problems.slice(0, 5).join('; '));
}

async function textIn(path: string, io: Io): Promise<string> {
  const bytes = await readFile(resolve(io.cwd, path)).catch((error: Error) => {
    throw new Failure('not-found', `open ${path}: ${systemReason(error)}`, { cause: error });
  });
  if (bytes.length > MAX_BYTES) throw new Failure('usage', `${path}: larger than 1 MiB`);
  return bytes.toString('utf8');
}

/** Without a schema every scalar is text: 2027-01-31 stays a day. */
function contentOf(text: string, path: string): unknown {
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) throw new Failure('usage', `${path}: ${oneLine(error.message)}`);
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch (thrown) {
    throw new Failure('usage', `${path}: ${oneLine((thrown as Error).message)}`);
  }
}
