import { defineCommand, type Command } from '../options/command.ts';
import { text } from '../options/kinds.ts';
import { outputFormat } from '../options/shared.ts';
import { Failure } from '../../base/errors.ts';

export const command: Command = defineCommand({
  name: 'store',
  summary: 'copy the store of oakum watch to another place; check one',
  usage: ['copy FROM TO [options]', 'verify PLACE [options]'],
  examples: [
    ['oakum store copy /var/lib/oakum postgres://oakum@db/oakum', 'the rows; profiles stay where they are'],
    ['oakum store copy /var/lib/oakum postgres://oakum@db/oakum --evidence-to s3://bucket/prefix'],
    ['oakum store copy /var/lib/oakum s3://bucket/prefix', 'only the profiles; then watch with --evidence'],
    ['oakum store copy s3://bucket/prefix /var/lib/oakum', 'the profiles that this store names, back'],
    ['oakum store verify /var/lib/oakum', 'reads every row and every profile'],
  ],
  about:
    'Copies a store: rows between a data folder and PostgreSQL, profiles between a data folder and S3. Run it again after Ctrl-C or a kill: it continues where it stopped. At the end it compares a digest of every table, and reads every profile back. Nothing in FROM is changed. A data folder must not be in use; the target has to be empty, or an unfinished copy of the same store.',
  operands: { subcommands: ['copy', 'verify'], completes: 'files' },
  options: {
    evidenceFrom: text({ placeholder: 'PLACE', help: 'where the profiles are: a data folder or s3://BUCKET/PREFIX' }),
    evidenceTo: text({
      placeholder: 'PLACE',
      help: 'where the profiles go; default: with the rows, if TO is a folder',
    }),
    output: outputFormat(['text', 'json']),
  },
  request: (values, [action, from, to, ...more]) => {
    if (action === 'verify' && from !== undefined && to === undefined)
      return { ...values, action: 'verify' as const, from, to: '' };
    if (action === 'copy' && from !== undefined && to !== undefined && more.length === 0)
      return { ...values, action: 'copy' as const, from, to };
    throw new Failure('usage', 'store takes copy FROM TO, or verify PLACE');
  },
  run: async (request, io) => (await import('../tasks/store.ts')).runStore(request, io),
});
