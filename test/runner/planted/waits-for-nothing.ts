import { it } from 'node:test';

it('waits', () => new Promise(() => {}));
