import { defineCommand, type Command } from '../options/command.ts';
import { file, flag, list, text, wholeNumber } from '../options/kinds.ts';
import { outputFormat } from '../options/shared.ts';
import { someOf } from '../options/option.ts';
import { Failure } from '../../base/errors.ts';

const TENANT = 'logicalcluster';

export const command: Command = defineCommand({
  name: 'labels',
  summary: 'count goroutines by pprof label; find those of tenants that no longer exist',
  usage: ['FILE... [--by KEY,...] [options]'],
  examples: [
    ['oakum labels goroutines.pb.gz'],
    ['oakum labels before.txt after.txt --by controller', 'what changed'],
    ["oakum labels dump.txt --orphans --live-from 'kubectl get workspaces -o name'"],
  ],
  about:
    'Counts goroutines by the values of their pprof labels. A FILE is a goroutine profile or dump in any form, or - for stdin. With several files, each has a column, and CHANGE is the last minus the first.',
  operands: { completes: 'files' },
  options: {
    by: list()({ placeholder: 'KEY,...', default: `controller,${TENANT}`, help: 'labels to count by' }),
    orphans: flag({ needs: ['liveFrom'], help: 'only labels of tenants that no longer exist' }),
    liveFrom: file({
      placeholder: 'FROM',
      default: '',
      help: "the tenants that exist: a file with one name per line or the lines of kubectl -o name; or, if it has spaces, a shell command such as 'kubectl get workspaces -o name'",
    }),
    tenant: text({
      placeholder: 'KEY',
      default: '',
      defaultNote: `${TENANT}, else the last of --by`,
      help: 'the label that names the tenant',
    }),
    top: wholeNumber(0)({ default: '20', help: 'rows to show; 0 for all' }),
    output: outputFormat(['text', 'json']),
  },
  request: ({ by: keys, tenant: named, ...values }, operands) => {
    const files = someOf(operands, 'labels needs a FILE');
    const tenant = named || (keys.includes(TENANT) ? TENANT : keys.at(-1));
    if (tenant === undefined) throw new Failure('usage', '--by needs at least one label');
    if (!keys.includes(tenant)) throw new Failure('usage', `--tenant ${tenant} is not one of --by`);
    if (values.liveFrom === '-' && files.includes('-')) throw new Failure('usage', 'stdin can only be read once');
    return { ...values, files, keys, tenant };
  },
  run: async (request, io) => (await import('../tasks/labels.ts')).labels(request, io),
});
