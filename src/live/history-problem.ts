/**
 * What is wrong with an answer of a Prometheus, Thanos, Mimir or VictoriaMetrics, and what to do, in the words of the
 * options that reach it.
 *
 *     422 {"status":"error","errorType":"execution","error":"query processing would load too many samples ..."}
 *     200 <!doctype html> ...                          a login page, or a path that is missing in the address
 */
import { parseJson, recordOf, textOf } from '../base/json.ts';
import { oneLine } from '../base/text-layout.ts';
import { decodeText } from '../base/text.ts';
import { visible } from '../base/visible-text.ts';
import { explain } from './doctor/explain.ts';
import type { Answer, Reply } from './reply.ts';
import type { MetricsHistory } from './ports.ts';
import type { HistoryProblem } from './past-profiles.ts';

const PATH = '/api/v1/query_range';
const MAX_CHARS = 300;
const HEAD_BYTES = 16_384;
const ADDRESS =
  'check the address: what stands before /api/v1 belongs to it, such as /prometheus for Mimir, and a login page needs --prometheus-token-file';
const TENANT = "name the tenant with --prometheus-header 'X-Scope-OrgID: TENANT'";
const CREDENTIALS = "give --prometheus-token-file, or --prometheus-header 'NAME: VALUE'";

/** What a database may say, and the way out. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/no org id/i, TENANT],
  [
    /too many (?:samples|series|chunks)|max(?:imum)?[\w -]*(?:samples|series|chunks|points|resolution)|limit.*(?:samples|series|chunks)|memory/i,
    'shorten --since, narrow --selector, load the rules that oakum rules --format recording prints, or raise its limit (--query.max-samples)',
  ],
  [
    /time(?:d )?out|deadline|cancell?ed/i,
    'shorten --since, narrow --selector, load the rules that oakum rules --format recording prints, or raise its --query.timeout',
  ],
  [/parse error|bad_data|invalid parameter/i, 'check --selector: it takes label matchers such as job="kubelet"'],
  [/store|partial|unavailable/i, 'check that every store behind it is up, and try again'],
];

/** Undefined when the answer may be read. */
export function historyProblem(history: MetricsHistory, reply: Reply): HistoryProblem | undefined {
  const { address } = history;
  const problem = (sentence: string, nextStep: string, isRefused = false): HistoryProblem => ({
    isRefused,
    sentence: `Prometheus: ${sentence}`,
    nextStep,
  });
  if (reply.kind === 'answer' && reply.cut === undefined) {
    const said = errorIn(reply);
    const refused = reply.status === 401 || reply.status === 403;
    const tells = said === '' ? '' : `: ${said}`;
    const hint = HINTS.find(([pattern]) => pattern.test(said))?.[1];
    if (refused) return problem(`${address} refuses the request${tells}`, hint === TENANT ? TENANT : CREDENTIALS, true);
    if (reply.status === 404) return problem(`${address} does not serve ${PATH}`, ADDRESS);
    if (said !== '') return problem(`${address} answered with an error${tells}`, hint ?? 'look for it in its log');
    if (reply.status === 200 && isJson(reply)) return undefined;
    if (reply.status === 200) return problem(`${address} answered with ${whatItIs(reply)} instead of JSON`, ADDRESS);
  }
  const why = explain(reply, { target: address, via: 'http', address, path: PATH });
  return why === undefined ? undefined : problem(why.sentence, why.nextStep, why.kind === 'forbidden');
}

function headOf({ body }: Answer): string {
  return decodeText(body.subarray(0, HEAD_BYTES)).replace(/^\ufeff?\s*/, '');
}

function isJson(answer: Answer): boolean {
  return headOf(answer).startsWith('{');
}

function whatItIs(answer: Answer): string {
  const head = headOf(answer);
  if (head === '') return 'nothing';
  const title = /<title[^>]*>([^<]{1,80})/i.exec(head)?.[1];
  if (title !== undefined) return `the page “${visible(oneLine(title)).trim()}”`;
  return head.startsWith('<') ? 'a web page' : 'something else';
}

/** What the API says in its error, or a Mimir in plain text; '' if it says nothing. */
function errorIn(answer: Answer): string {
  const head = headOf(answer);
  if (!head.startsWith('{')) return answer.status === 200 || head.startsWith('<') ? '' : shortened(head);
  if (answer.body.length > HEAD_BYTES) return '';
  const { status, errorType, error } = recordOf(parseJson(head));
  if (status !== 'error') return '';
  return shortened([textOf(errorType), textOf(error)].filter(text => text !== '').join(': ') || 'no reason given');
}

function shortened(text: string): string {
  const line = visible(text.replace(/\s+/g, ' ').trim());
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}...` : line;
}
