import assert from 'node:assert/strict';
import { it } from 'node:test';
import { whereToLook } from './run-watch.ts';

it('says where to look, and how to log in where a token is asked for', () => {
  assert.deepEqual(whereToLook('http://localhost:7777', ''), ['  http://localhost:7777', '']);
  const [address, , login] = whereToLook('http://localhost:7777', 'token.txt');
  assert.equal(address, '  http://localhost:7777');
  assert.match(login, /http:\/\/localhost:7777\/login\?token=TOKEN, with what is in token\.txt for TOKEN/);
});
