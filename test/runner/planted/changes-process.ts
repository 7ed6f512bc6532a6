import { tmpdir } from 'node:os';
import { beforeEach, it } from 'node:test';

process.env['PLANTED'] = 'yes';
delete process.env['PATH'];
process.chdir(tmpdir());
beforeEach(() => {
  throw new Error('a hook of another file');
});
it('fails by its own hook', () => {});
