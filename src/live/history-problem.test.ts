import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../base/text.ts';
import type { Reply } from './reply.ts';
import { historyProblem } from './history-problem.ts';
import type { MetricsHistory } from './ports.ts';

const unasked = (): never => assert.fail('nothing is asked');
const history: MetricsHistory = { address: 'http://prometheus', instant: unasked, range: unasked };

function problemOf(status: number, body: string): string {
  const reply: Reply = {
    kind: 'answer',
    status,
    headers: {},
    body: encodeText(body),
    cut: undefined,
    headAtSeconds: 0,
    dateSeconds: undefined,
    tookSeconds: 0,
  };
  const problem = historyProblem(history, reply);
  return problem === undefined ? '' : `${problem.sentence}; ${problem.nextStep}`;
}

const failed = (errorType: string, error: string): string => JSON.stringify({ status: 'error', errorType, error });

describe('what is wrong with an answer of Prometheus', () => {
  it('is nothing if it is JSON', () => {
    assert.equal(problemOf(200, '{"status":"success","data":{"resultType":"matrix","result":[]}}'), '');
  });

  it('is what the API says, with the option that mends it', () => {
    const parse = failed('bad_data', 'invalid parameter "query": 1:9: parse error: unexpected "="');
    assert.match(problemOf(400, parse), /answered with an error: bad_data: .*parse error.*; check --selector/);
    const samples = failed('execution', 'query processing would load too many samples into memory in query execution');
    assert.match(
      problemOf(422, samples),
      /too many samples .*; shorten --since, narrow --selector, .*--query\.max-samples/,
    );
    assert.match(problemOf(503, failed('timeout', 'query timed out in expression evaluation')), /--query\.timeout/);
    assert.match(
      problemOf(422, failed('execution', 'proxy Series(): store 10.0.0.1 unavailable')),
      /every store behind/,
    );
    assert.match(problemOf(500, failed('internal', '')), /answered with an error: internal; look for it in its log/);
  });

  it('is a missing tenant or credential', () => {
    assert.match(problemOf(401, 'no org id'), /refuses the request: no org id; name the tenant with .*X-Scope-OrgID/);
    assert.match(problemOf(401, ''), /refuses the request; give --prometheus-token-file/);
    assert.match(problemOf(403, '<html>Forbidden</html>'), /refuses the request; give --prometheus-token-file/);
  });

  it('is an address of something else', () => {
    const page = '<!doctype html><html><head><title>Log\n in</title></head></html>';
    assert.match(problemOf(200, page), /answered with the page “Log in” instead of JSON; check the address/);
    assert.match(problemOf(200, ''), /answered with nothing instead of JSON/);
    assert.match(problemOf(200, 'up 1\n'), /answered with something else instead of JSON/);
    assert.match(problemOf(404, '404 page not found'), /does not serve \/api\/v1\/query_range; check the address/);
    assert.match(problemOf(404, '<html>not here</html>'), /does not serve \/api\/v1\/query_range; check the address/);
  });

  it('is that it is busy or out of order', () => {
    assert.match(problemOf(503, '<html>Service Unavailable</html>'), /cannot serve.*; wait a little/);
    assert.match(problemOf(429, ''), /too many requests; wait a little/);
  });
});
