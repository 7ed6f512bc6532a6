import { it } from 'node:test';

it('passes', () => void (process.exitCode = 7));
