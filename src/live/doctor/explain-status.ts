/** Answers with a status other than 200. */
import { formatSeconds } from '../../base/say.ts';
import {
  type Explanation,
  type FailureKind,
  GO_WITHOUT_IT,
  type RequestContext,
  nameOf,
  peerOf,
} from './explanation.ts';
import type { Answer } from '../reply.ts';
import { targetKind } from '../../evidence/target.ts';
import { parseJson, recordOf, textOf } from '../../base/json.ts';
import { decodeText } from '../../base/text.ts';
import { visible } from '../../base/visible-text.ts';

const MAX_CHARS = 300;

const API_SERVER =
  /User "(?<user>[^"]*)" cannot (?<verb>\S+) (?:resource "(?<resource>[^"]*)" in API group "[^"]*"(?: in the namespace "(?<namespace>[^"]*)")?|path "(?<path>[^"]*)")/;

/** `subresource=proxy` until 1.31, `subresource(s)=[configz proxy]` since: any one of the list is enough. */
const KUBELET =
  /Forbidden \(user=(?<user>.*?), verb=(?<verb>\w+), resource=(?<resource>\w+), subresource(?:\(s\))?=\[?(?<subresource>\w+)[\w ]*\]?\)/;

interface Case {
  readonly answer: Answer;
  readonly said: AnswerText;
  readonly request: RequestContext;
}

export function explainStatus(answer: Answer, request: RequestContext): Explanation {
  const one: Case = { answer, said: answerText(answer), request };
  // Old API servers use other codes for it, so the text decides.
  if (/error (?:trying to reach service|dialing backend)|proxy error from/i.test(one.said.message))
    return unreached(one);
  switch (answer.status) {
    case 400:
      return badRequest(one);
    case 401:
      return unauthorized(one);
    case 403:
      return forbidden(one);
    case 404:
      return notFound(one);
    case 405:
      return refusedMethod(one);
    case 429:
      return passing('throttled', `${peerOf(request)} has too many requests`, waitFor(answer));
    case 500:
      return internal(one);
    case 502:
    case 504:
      return passing(
        'gateway',
        `${answer.status} from a gateway between here and ${nameOf(request)}${quoted(one)}`,
        'check that konnectivity (or the load balancer in front) is up; --direct bypasses the API server',
      );
    case 503:
      return passing('target-down', `${peerOf(request)} says it cannot serve${quoted(one)}`, waitFor(answer));
    default:
      if (answer.status >= 300 && answer.status < 400) return redirected(one);
      return final(
        'other',
        `${request.path} was answered with ${answer.status}${quoted(one)}`,
        'check what serves this address',
      );
  }
}

function badRequest(one: Case): Explanation {
  if (/HTTP request to an HTTPS server/.test(one.said.message))
    return final('bad-request', `${one.request.address} speaks TLS`, 'write https:// instead of http://');
  return final(
    'bad-request',
    `${one.request.path} was not understood${quoted(one)}`,
    'this is a bug: please report it',
  );
}

/** A 401 from a kubelet does not prove a bad token: it asks the API server about every token, and answers 401 if it cannot. */
const SLOW_SECONDS = 5;

function unauthorized({ answer, said, request }: Case): Explanation {
  if (request.via === 'api-server-proxy' && !said.fromApiServer)
    return final(
      'unauthorized',
      `${nameOf(request)} does not accept the API server's own credentials`,
      "compare the API server's --kubelet-client-certificate with the kubelet's clientCAFile",
    );
  if (request.via === 'kubelet') {
    const slow = answer.tookSeconds >= SLOW_SECONDS ? `, after ${formatSeconds(Math.round(answer.tookSeconds))}` : '';
    return {
      kind: 'unauthorized',
      sentence:
        `${nameOf(request)} answers Unauthorized${slow}: the token is bad or has expired, ` +
        'or the kubelet cannot reach the API server to check it (then good tokens get 401 too)',
      nextStep:
        slow === ''
          ? 'try the token against the API server: kubectl auth whoami; if it is good there, check the network from the node to the API server'
          : 'such a long wait suggests the latter: check that the node reaches the API server, and try again',
      passing: slow !== '',
    };
  }
  const who = request.via === 'http' ? request.address : peerOf(request);
  return final(
    'unauthorized',
    `${who} does not accept the credentials: there is no token, or it is bad or has expired`,
    request.via === 'http'
      ? 'give --token-file, or --client-certificate and --client-key'
      : 'log in again; kubectl auth whoami shows who you are',
  );
}

function forbidden({ said, request }: Case): Explanation {
  const right = missingRight(said.message);
  if (right === undefined)
    return final('forbidden', `access to ${request.path} is denied: ${said.message}`, 'ask whoever runs it for access');
  const scope = right.namespace === '' ? '' : ` in ${right.namespace}`;
  return final(
    'forbidden',
    `${right.user} may not ${right.verb} ${right.what}${scope}, which ${request.path} needs`,
    forbiddenStep(right, request),
  );
}

function forbiddenStep(
  { verb, what }: { readonly verb: string; readonly what: string },
  { path, via }: RequestContext,
): string {
  if (what === 'nodes/proxy') {
    const danger = 'it allows running commands in every container of the node';
    if (via === 'api-server-proxy' && /^\/(?:metrics|stats)/.test(path))
      return `try --direct, where ${path} needs only nodes/${path.startsWith('/stats') ? 'stats' : 'metrics'}; nodes/proxy allows much more: ${danger}`;
    return `let somebody with get nodes/proxy take the capture, or hold that permission only as long as needed: ${danger}`;
  }
  if (what.startsWith('/')) return `ask for a ClusterRole with nonResourceURLs: ["${what}"] and verbs: ["${verb}"]`;
  return `ask for a role with verbs: ["${verb}"] and resources: ["${what}"]`;
}

function notFound({ said, request }: Case): Explanation {
  const [, kind, name] = /^(nodes|pods) "([^"]*)" not found/.exec(said.message) ?? [];
  if (kind === 'nodes')
    return final('no-such-node', `the cluster has no node ${name}`, 'see kubectl get nodes, and --context');
  if (kind === 'pods') return final('no-such-pod', `there is no pod ${name}`, 'see kubectl get pods -A, and --context');
  const profile = /\/debug\/pprof\/(\w+)/.exec(request.path)?.[1];
  if (profile !== undefined && (said.fromPprof || /Unknown profile/.test(said.message))) {
    const since = profile === 'goroutineleak' ? ': it comes with Go 1.27' : '';
    return final('no-such-profile', `${nameOf(request)} has no profile ${profile}${since}`, GO_WITHOUT_IT);
  }
  if (profile !== undefined)
    return final(
      'no-such-path',
      `${nameOf(request)} does not serve ${request.path}: it has no profiles at that address`,
      'import net/http/pprof in the program, or find the port that serves it; a kubelet with profiling off answers 405 instead',
    );
  return final('no-such-path', `${nameOf(request)} does not serve ${request.path}`, GO_WITHOUT_IT);
}

function refusedMethod(one: Case): Explanation {
  const { said, request } = one;
  if (/Debug endpoints are disabled/.test(said.message))
    return final(
      'handlers-off',
      `${nameOf(request)} has its debugging handlers switched off`,
      'set enableDebuggingHandlers: true in its configuration and restart it (which also clears a leak: read its metrics first)',
    );
  if (/profiling endpoint is disabled/.test(said.message))
    return final(
      'profiling-off',
      `${nameOf(request)} has profiling switched off`,
      'set enableProfilingHandler: true in its configuration and restart it (which also clears a leak: read its metrics first)',
    );
  return final(
    'method-refused',
    `${request.path} does not answer to GET${quoted(one)}`,
    'check what serves this address',
  );
}

function internal(one: Case): Explanation {
  const { said, request } = one;
  if (/Could not enable CPU profiling|cpu profiling already in use/i.test(said.message))
    return passing(
      'busy',
      'somebody else is taking a CPU profile of it',
      'wait until that is done (30 s by default) and try again',
    );
  if (/Authorization error/.test(said.message))
    return passing(
      'authorizer-down',
      `${nameOf(request)} could not ask the API server whether this is allowed`,
      'check that the node reaches the API server, and try again',
    );
  return final(
    'server-error',
    `${nameOf(request)} failed on ${request.path}${quoted(one)}`,
    `look for the same words in its log; the rest can be taken without ${request.path}`,
  );
}

/** The API server could not reach the target. */
function unreached(one: Case): Explanation {
  const { said, request } = one;
  const name = nameOf(request);
  if (/connection refused/.test(said.message))
    return passing(
      'target-down',
      `${name} is not running: its node refuses the API server's connection`,
      stepFor(request),
    );
  if (/x509|certificate|tls:/.test(said.message))
    return final(
      'target-tls',
      `the API server does not accept the certificate of ${name}: ${said.message}`,
      "compare the kubelet's serving certificate with the API server's --kubelet-certificate-authority",
    );
  return passing(
    'target-unreachable',
    `the API server cannot reach ${name}: ${said.message}`,
    'check that the node is up and that the network (or konnectivity) between them works: kubectl get node -o wide',
  );
}

function stepFor({ target }: RequestContext): string {
  return targetKind(target) === 'node'
    ? 'on the node: systemctl status kubelet; journalctl -u kubelet may hold its last stacks'
    : 'check that it runs and listens on that port: kubectl describe pod';
}

function redirected({ answer, request }: Case): Explanation {
  const to = answer.headers['location'] ?? 'somewhere else';
  return final(
    'redirected',
    `${request.path} redirects to ${to}; credentials are not sent there`,
    'name that address as the target if it is right',
  );
}

function waitFor({ headers }: Answer): string {
  const seconds = /^\d{1,5}$/.exec(headers['retry-after'] ?? '')?.[0];
  return seconds === undefined ? 'wait a little and try again' : `wait ${formatSeconds(seconds)} and try again`;
}

function quoted({ said }: Case): string {
  return said.message === '' ? '' : `: ${said.message}`;
}

function final(kind: FailureKind, sentence: string, nextStep: string): Explanation {
  return { kind, sentence, nextStep, passing: false };
}

function passing(kind: FailureKind, sentence: string, nextStep: string): Explanation {
  return { kind, sentence, nextStep, passing: true };
}

/** What an answer that is not 200 says, and who says it: the API server in JSON, a kubelet and Go's handlers in text. */
interface AnswerText {
  /** Whether it is the API server's own Status object; otherwise the answer comes from behind it. */
  readonly fromApiServer: boolean;
  /** One line, cut and safe to print. */
  readonly message: string;
  /** From net/http/pprof. */
  readonly fromPprof: boolean;
}

function answerText({ headers, body }: Answer): AnswerText {
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
interface MissingRight {
  readonly user: string;
  readonly verb: string;
  /** `nodes/proxy`, `pods/proxy`, or a path such as `/metrics`. */
  readonly what: string;
  /** '' at the cluster scope. */
  readonly namespace: string;
}

function missingRight(message: string): MissingRight | undefined {
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
