/** What an answer that is not 200 says, and who says it: the API server in JSON, a kubelet and Go's handlers in text. */
import { parseJson, recordOf, textOf } from '../../base/json.ts';
import { decodeText } from '../../base/text.ts';
import type { Answer } from '../reply.ts';
import { visible } from '../../base/visible-text.ts';

export interface AnswerText {
  /** Whether it is the API server's own Status object; otherwise the answer comes from behind it. */
  readonly fromApiServer: boolean;
  /** One line, cut and safe to print. */
  readonly message: string;
  /** From net/http/pprof. */
  readonly fromPprof: boolean;
}

const MAX_CHARS = 300;

export function answerText({ headers, body }: Answer): AnswerText {
  const text = decodeText(body.subarray(0, 4096)).trim();
  const fromPprof = headers['x-go-pprof'] !== undefined;
  const status = text.startsWith('{') ? statusMessage(text) : undefined;
  return { fromApiServer: status !== undefined, message: short(status ?? text), fromPprof };
}

function statusMessage(text: string): string | undefined {
  const { kind, message } = recordOf(parseJson(text));
  return kind === 'Status' ? textOf(message) : undefined;
}

/** HTML pages of load balancers lose their tags. */
function short(text: string): string {
  const plain = text.startsWith('<') ? text.replace(/<[^>]*>/g, ' ') : text;
  const line = visible(plain.replace(/\s+/g, ' ').trim());
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}...` : line;
}

/** The permission that a 403 names as missing, in RBAC's terms. */
export interface MissingRight {
  readonly user: string;
  readonly verb: string;
  /** `nodes/proxy`, `pods/proxy`, or a path such as `/metrics`. */
  readonly what: string;
  /** '' at the cluster scope. */
  readonly namespace: string;
}

const API_SERVER =
  /User "(?<user>[^"]*)" cannot (?<verb>\S+) (?:resource "(?<resource>[^"]*)" in API group "[^"]*"(?: in the namespace "(?<namespace>[^"]*)")?|path "(?<path>[^"]*)")/;
/** `subresource=proxy` until 1.31, `subresource(s)=[configz proxy]` since: any one of the list is enough. */
const KUBELET =
  /Forbidden \(user=(?<user>.*?), verb=(?<verb>\w+), resource=(?<resource>\w+), subresource(?:\(s\))?=\[?(?<subresource>\w+)[\w ]*\]?\)/;

export function missingRight(message: string): MissingRight | undefined {
  const api = API_SERVER.exec(message)?.groups;
  if (api !== undefined) {
    return {
      user: api['user'] ?? '',
      verb: api['verb'] ?? '',
      what: api['resource'] ?? api['path'] ?? '',
      namespace: api['namespace'] ?? '',
    };
  }
  const kubelet = KUBELET.exec(message);
  if (kubelet === null) return undefined;
  const { user = '', verb = '', resource = '', subresource = '' } = kubelet.groups ?? {};
  return { user, verb, what: `${resource}/${subresource}`, namespace: '' };
}
