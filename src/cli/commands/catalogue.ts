import { defineCommand, type Command } from '../options/command.ts';
import { folder } from '../options/kinds.ts';
import { outputFormat } from '../options/shared.ts';
import { shown } from '../options/option.ts';
import { Failure } from '../../base/errors.ts';

const ACTIONS = ['list', 'show', 'lint'] as const;

export const command: Command = defineCommand({
  name: 'catalogue',
  summary: 'show the known leaks, or check entries of your own',
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
  run: async (request, io) => (await import('../tasks/catalogue.ts')).showCatalogue(request, io),
});
