/** `oakum catalogue`: lists the known leaks, shows one, or checks your own entries. */
import { lintCatalogue } from '../../knowledge/lint.ts';
import { renderLeak, renderMarkdown, renderTable } from '../../report/catalogue-text.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { Io } from '../io.ts';
import { catalogueOf, loadCatalogue, type LoadedCatalogue } from '../connect/load-catalogue.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { renderJson, renderYaml } from '../../report/json.ts';
import { shown } from '../options/option.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { folder } from '../options/kinds.ts';
import { outputFormat } from '../options/shared.ts';

const ACTIONS = ['list', 'show', 'lint'] as const;

const line = commandLine({
  name: 'catalogue',
  usage: ['list | show ID | lint [options]'],
  examples: [
    ['oakum catalogue list'],
    ['oakum catalogue show kubelet-startpodsync-context'],
    ['oakum catalogue show kubernetes#139823'],
    ['oakum catalogue lint --catalogue ./our-leaks'],
  ],
  about:
    'list prints the known leaks. show prints one, by id or reference. lint checks every entry: it tries the signatures on stacks made from them and on near misses, and checks versions and references.',
  operands: { subcommands: ACTIONS },
  options: {
    catalogue: folder({ help: 'add the entries in DIR/*.yaml; one with the id of a bundled entry replaces it' }),
    output: outputFormat(['text', 'json', 'yaml', 'markdown']),
  },
  request: ({ catalogue, output }, [verb, id, ...more]) => {
    const action = ACTIONS.find(one => one === verb);
    if (action === undefined)
      throw new Failure(
        'usage',
        verb === undefined ? 'catalogue needs list, show or lint' : `there is no catalogue ${shown(verb)}`,
      );
    if (action !== 'show' && id !== undefined)
      throw new Failure('usage', `${action} takes no argument, got ${shown(id)}`);
    if (action === 'show' && (id === undefined || more.length > 0)) throw new Failure('usage', 'show takes one ID');
    if (output === 'markdown' && action !== 'list') throw new Failure('usage', '--output markdown is for list');
    return { action, id: id ?? '', output, catalogue };
  },
});

export const command: Command = defineCommand(line, showCatalogue);

type Request = RequestOf<typeof line>;

async function showCatalogue(request: Request, io: Io): Promise<number> {
  const { action, output } = request;
  if (action === 'lint') return lint(await loadCatalogue(request.catalogue, io), output, io);
  const leaks = await catalogueOf(request.catalogue, io);
  if (action === 'list') {
    io.stdout.write(list(leaks, output));
    return EXIT.done;
  }
  const wanted = request.id.toLowerCase();
  const leak = leaks.find(one => one.id === wanted) ?? leaks.find(one => one.refs.includes(wanted));
  if (leak === undefined)
    throw new Failure('usage', `no known leak ${shown(request.id)}; oakum catalogue list shows them all`);
  io.stdout.write(output === 'text' ? renderLeak(leak) : data(leak, output));
  return EXIT.done;
}

function list(leaks: readonly KnownLeak[], format: Request['output']): string {
  if (format === 'text') return renderTable(leaks);
  return format === 'markdown' ? renderMarkdown(leaks) : data(leaks, format);
}

function lint({ leaks, problems: unreadable }: LoadedCatalogue, output: Request['output'], io: Io): number {
  const problems = [
    ...unreadable,
    ...lintCatalogue(leaks).map(({ id, field, problem }) => `${id}: ${field}: ${problem}`),
  ];
  const signatures = leaks.reduce((sum, leak) => sum + leak.signatures.length, 0);
  if (output === 'text') {
    for (const problem of problems) io.stdout.write(`${problem}\n`);
    io.stdout.write(`${leaks.length} known leaks, ${signatures} signatures, ${problems.length} problems\n`);
  } else {
    io.stdout.write(data({ leaks: leaks.length, signatures, problems }, output));
  }
  return problems.length === 0 ? EXIT.done : EXIT.couldNotObserve;
}

function data(value: object, format: Request['output']): string {
  return format === 'yaml' ? renderYaml(value) : renderJson(value);
}
