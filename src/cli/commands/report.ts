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
import { renderIssue } from '../../report/issue/render.ts';
import type { Io } from '../io.ts';
import { openPlanFiles } from '../connect/act-ports.ts';
import { catalogueOf } from '../connect/load-catalogue.ts';
import { packageVersion } from '../package-files.ts';
import { readLimits, readKeyFile } from '../connect/read-source.ts';
import { OWNER_ONLY, writeFileAtomically } from '../connect/write-file-atomically.ts';
import { planStory } from '../../act/plan/plan-text.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { choice, file, flag } from '../options/kinds.ts';
import { CATALOGUE, KEY_FILE, OPERATIONS, REDACT_MODULES } from '../options/shared.ts';
import { someOf } from '../options/option.ts';

const line = commandLine({
  name: 'report',
  usage: ['PATH... --for upstream|provider|incident [options]'],
  examples: [
    ['oakum report ./worker-17/ --for upstream > issue.md'],
    ['oakum report worker-17.tar.gz --for provider'],
    ['oakum report ./worker-17/ --for incident -o incident.md'],
    ['oakum report ./worker-17/ --for incident --plan plan.yaml', 'with what was done, and whether it helped'],
  ],
  about:
    "Writes what the evidence proves as Markdown. For upstream, in the order of Kubernetes' bug template, with a list of what is not known and the command that finds it out; for a provider, with exactly what only they can collect; for your team, with the timeline, what to do now and what not to do. Names are hashed for upstream and provider, as in a bundle.",
  operands: { completes: 'files' },
  options: {
    for: choice(['upstream', 'provider', 'incident'])({ placeholder: 'AUDIENCE', help: '' }),
    output: file({ short: 'o', help: 'where to write', defaultNote: 'stdout' }),
    operations: OPERATIONS,
    catalogue: CATALOGUE,
    keyFile: KEY_FILE,
    redactModules: REDACT_MODULES,
    redact: flag({ excludes: ['noRedact'], help: 'hash names for an incident too' }),
    noRedact: flag({ help: 'keep names' }),
    plan: file({ excludes: ['redact'], help: 'for an incident: also what this plan did, and whether it helped' }),
  },
  request: ({ for: audience, redactModules, redact, noRedact, ...values }, operands) => {
    const paths = someOf(operands, 'report needs a folder, a bundle or files');
    if (audience === undefined) throw new Failure('usage', 'report needs --for upstream, provider or incident');
    if (values.plan !== undefined && audience !== 'incident')
      throw new Failure('usage', '--plan is for --for incident: a plan names nodes and people');
    const redacts = !noRedact && (audience !== 'incident' || redact);
    return { ...values, paths, audience, privateModules: redactModules, redact: redacts };
  },
});

export const command: Command = defineCommand(line, report);

type Request = RequestOf<typeof line>;

async function report(request: Request, io: Io): Promise<number> {
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
  const { plan, log } = await openPlanFiles(path, io.cwd, { to: 'look' });
  return planStory(plan, await log.read());
}
