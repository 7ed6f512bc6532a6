/** `oakum report`: evidence as a document for maintainers, for a provider or for the team. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { digestsFor } from '../../evidence/io/digests.ts';
import { filePile } from '../../evidence/io/pile.ts';
import { encodeText } from '../../base/text.ts';
import { redactedItems } from '../../evidence/redaction/redact-pile.ts';
import { gatherFacts, readIssuePile } from '../../report/issue/gather-facts.ts';
import { privateModules } from '../../evidence/redaction/code-names.ts';
import { Redactor } from '../../evidence/redaction/redactor.ts';
import type { ReportAudience } from '../../report/issue/issue-facts.ts';
import { renderIssue } from '../../report/issue-render.ts';
import type { Io } from '../terminal/io.ts';
import { openPlanFiles } from '../connect/plan-files.ts';
import { catalogueOf } from '../connect/load-catalogue.ts';
import { packageVersion } from '../terminal/package-files.ts';
import { readLimits, readKeyFile } from '../connect/read-source.ts';
import { OWNER_ONLY, writeFileAtomically } from '../connect/write-file-atomically.ts';
import { planStory } from '../../act/plan/plan-text.ts';
import { EXIT, Failure } from '../../base/errors.ts';

export interface ReportRequest {
  readonly paths: readonly string[];
  readonly audience: ReportAudience;
  /** undefined: stdout. */
  readonly output: string | undefined;
  readonly operations: number | undefined;
  readonly catalogue: string | undefined;
  readonly keyFile: string | undefined;
  readonly privateModules: readonly string[];
  readonly redact: boolean;
  /** The plan that was applied; for an incident only. */
  readonly plan: string | undefined;
}

export async function report(request: ReportRequest, io: Io): Promise<number> {
  const catalogue = await catalogueOf(request.catalogue, io);
  const key = request.keyFile === undefined ? undefined : await readKeyFile(request.keyFile, io.cwd);
  const roots = request.paths.map(path => resolve(io.cwd, path));
  for (const root of roots) await stat(root);
  const items = filePile({ limits: readLimits(io) }).read(roots);
  const isPrivate = privateModules(request.privateModules);
  const seen = request.redact
    ? redactedItems(items, roots, new Redactor(digestsFor(key).keyedHash, { isPrivate }))
    : items;
  const facts = gatherFacts(await readIssuePile(seen), {
    catalogue,
    operations: request.operations,
    oakumVersion: packageVersion(),
    redacted: request.redact,
  });
  if (facts.targets.length === 0) {
    const what = `nothing in ${request.paths.join(' ')} is a profile, a goroutine dump or metrics`;
    throw new Failure('no-evidence', `${what}; oakum analyze says what each file is`);
  }
  const text = renderIssue(facts, request.audience) + (await storyOf(request.plan, io));
  if (request.output === undefined) io.stdout.write(text);
  else await writeFileAtomically(request.output, encodeText(text), io.cwd, request.redact ? undefined : OWNER_ONLY);
  return EXIT.done;
}

async function storyOf(path: string | undefined, io: Io): Promise<string> {
  if (path === undefined) return '';
  const { plan, log } = await openPlanFiles(path, io.cwd);
  return planStory(plan, await log.read());
}
