import { it } from 'node:test';

it('is killed', () => void process.kill(process.pid, 'SIGKILL'));
