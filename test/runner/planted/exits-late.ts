import { it } from 'node:test';

process.on('exit', () => (process.exitCode = 9));
it('passes', () => {});
