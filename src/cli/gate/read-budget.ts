/** Reads `oakum.budget.yaml` and the baseline; a wrong one is a usage failure that says what is wrong and where. */
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { Failure, systemReason } from '../../base/failure.ts';
import { oneLine } from '../../base/text-layout.ts';
import { type Baseline, readBaseline } from '../../gate/baseline.ts';
import { type Budget, NO_BUDGET } from '../../gate/budget.ts';
import { NO_BUDGET_FILE, readBudget } from '../../gate/budget-file.ts';
import type { Io } from '../terminal/io.ts';

const MAX_BYTES = 1 << 20;

export async function budgetIn(path: string | undefined, baseline: string | undefined, io: Io): Promise<Budget> {
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
