import { it } from 'node:test';

it('passes', () => void setInterval(() => {}, 1000));
