import { defineCommand, type Command } from '../options/command.ts';
import { choice, file, flag } from '../options/kinds.ts';
import { CATALOGUE, KEY_FILE, OPERATIONS, REDACT_MODULES } from '../options/shared.ts';
import { someOf } from '../options/option.ts';
import { Failure } from '../../base/errors.ts';

export const command: Command = defineCommand({
  name: 'report',
  summary: 'write what the evidence proves as a document for others',
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
  run: async (request, io) => (await import('../tasks/report.ts')).report(request, io),
});
