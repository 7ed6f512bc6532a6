import { describe, it } from 'node:test';

describe('a suite', () => {
  it('passes', () => {});
  it('is skipped', { skip: 'no tide' }, () => {});
});
describe('a suite that is skipped', { skip: 'no wind' }, () => {
  it('never runs', () => {});
});
