import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { it } from 'node:test';
import { OAKUM } from '../../../test/places.ts';
import { whereToLook } from './run-watch.ts';

it('prints the address, and how to log in if a token is needed', () => {
  assert.deepEqual(whereToLook('http://localhost:7777', ''), ['  http://localhost:7777', '']);
  const [address, , login] = whereToLook('http://localhost:7777', 'token.txt');
  assert.equal(address, '  http://localhost:7777');
  assert.match(login, /http:\/\/localhost:7777\/login\?token=TOKEN, where TOKEN is the content of token\.txt/);
});

it('ends if it cannot be served, and says why', () => {
  const argv = [OAKUM, 'watch', '--demo', '--listen', '0.0.0.0:0'];
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /^oakum: others can reach 0\.0\.0\.0, .*--listen-token-file FILE; or listen on localhost\n$/);
});
