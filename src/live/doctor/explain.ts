/**
 * One sentence and a next step for everything that may come back instead of the expected answer. The texts of kubelets
 * and API servers come from real ones; the tests use the recordings.
 */
import { formatSeconds } from '../../base/say.ts';
import { visible } from '../../base/visible-text.ts';
import { targetKind } from '../../evidence/target.ts';
import { type Explanation, nameOf, peerOf, type RequestContext } from './explanation.ts';
import type { Answer, NoAnswer, Reply, TlsProblem } from '../reply.ts';
import { explainStatus } from './explain-status.ts';

/** Undefined when all is well. */
export function explain(reply: Reply, request: RequestContext): Explanation | undefined {
  if (reply.kind !== 'answer') return explainNoAnswer(reply, request);
  if (reply.status !== 200 && reply.status !== 201) return explainStatus(reply, request);
  return explainCut(reply, request);
}

function explainCut(answer: Answer, request: RequestContext): Explanation | undefined {
  const { cut, body, streamedBytes = 0, tookSeconds } = answer;
  if (cut === undefined) return undefined;
  const size = body.length + streamedBytes;
  const got = `${size} bytes of ${request.path} in ${formatSeconds(tookSeconds.toFixed(1))}`;
  switch (cut.why) {
    case 'deadline':
      return {
        kind: 'cut',
        sentence: `the answer was too slow: ${got} before the deadline`,
        nextStep: 'raise --request-timeout, or try again when the target is less busy',
        passing: true,
      };
    case 'connection':
      return {
        kind: 'cut',
        sentence: `the connection broke during the answer: ${got}`,
        nextStep: `check whether ${nameOf(request)} was restarted or killed just then, and run the same command again`,
        passing: true,
      };
    case 'too-large':
      return {
        kind: 'too-large',
        sentence: `the answer is larger than the cap: only the first ${size} bytes of ${request.path} were read`,
        nextStep: 'raise --max-bytes if there is room for more',
        passing: false,
      };
    case 'stopped':
      return {
        kind: 'stopped',
        sentence: `stopped after ${got}`,
        nextStep: 'run the same command again',
        passing: true,
      };
  }
}

/** Requests that nobody answered, by the step at which they failed. */
function explainNoAnswer(failure: NoAnswer, request: RequestContext): Explanation {
  const peer = peerOf(request);
  const said = visible(failure.message.replace(/\s+/g, ' ').trim()).slice(0, 300);
  switch (failure.kind) {
    case 'refused':
      return {
        kind: 'refused',
        sentence: `${peer} refuses the connection: nothing listens there`,
        nextStep: refusedStep(request),
        passing: true,
      };
    case 'dns':
      return {
        kind: 'dns',
        sentence: `the name in ${request.address} cannot be resolved`,
        nextStep: 'check the address, --context, and whether a VPN is needed',
        passing: false,
      };
    case 'unreachable':
      return {
        kind: 'unreachable',
        sentence: `there is no route to ${peer}: ${said}`,
        nextStep:
          request.via === 'kubelet'
            ? 'leave out --direct to go through the API server, or run it inside the cluster'
            : 'check the address, and whether a VPN is needed',
        passing: true,
      };
    case 'timeout':
      return { kind: 'timeout', ...timedOut(said, failure.wasSent === true, request), passing: true };
    case 'reset':
      return {
        kind: 'reset',
        sentence: `${peer} closed the connection without an answer`,
        nextStep: `see whether ${nameOf(request)} was restarted just then, and try again`,
        passing: true,
      };
    case 'tls':
      return { kind: 'tls', ...tls(failure.tls, said, request), passing: false };
    case 'not-http':
      return {
        kind: 'not-http',
        sentence: `what listens at ${request.address} does not speak HTTP: ${said}`,
        nextStep: 'check the port; if it speaks TLS, write https://',
        passing: false,
      };
    case 'socket':
      return {
        kind: 'socket',
        sentence: `the socket ${request.address} cannot be opened: ${said}`,
        nextStep: /EACCES/.test(said)
          ? 'run it as the user who owns the socket'
          : 'check that the process runs and was started with that path (kcp: --debug-socket-path)',
        passing: false,
      };
    case 'proxy':
      return {
        kind: 'proxy',
        sentence: said,
        nextStep: "check HTTPS_PROXY, NO_PROXY and the kubeconfig's proxy-url",
        passing: true,
      };
    case 'credentials':
      return {
        kind: 'credentials',
        sentence: said,
        nextStep: 'try kubectl auth whoami with the same kubeconfig; if it fails too, log in again',
        passing: false,
      };
    case 'stopped':
      return {
        kind: 'stopped',
        sentence: 'stopped before the answer',
        nextStep: 'run the same command again',
        passing: true,
      };
    case 'other':
      return { kind: 'other', sentence: said, nextStep: `see whether ${request.address} is right`, passing: false };
  }
}

function refusedStep(request: RequestContext): string {
  switch (request.via) {
    case 'kubelet':
      return 'on the node: systemctl status kubelet; leave out --direct to see what the API server says about the node';
    case 'api-server':
    case 'api-server-proxy':
      return 'check --context; if it is right, the API server is down: ask the kubelets themselves with https://NODE:10250 and --token-file';
    default:
      return 'check that it runs, and on which port it listens';
  }
}

/** Advice to end a process is only for a request that provably reached it. */
function timedOut(said: string, wasSent: boolean, request: RequestContext): SentenceAndStep {
  const peer = peerOf(request);
  if (!wasSent)
    return {
      sentence: `${said} from ${peer}: no connection came about; a firewall drops what is sent to it, or the machine is down`,
      nextStep:
        request.via === 'kubelet'
          ? 'leave out --direct to see what the API server says about the node'
          : 'check the address, and whether a VPN is needed; raise --request-timeout if the way is only slow',
    };
  if (request.via === 'api-server-proxy')
    return {
      sentence: `${said}: the API server took the request, but ${nameOf(request)} does not answer it, or the API server cannot reach it`,
      nextStep: reachStep(request),
    };
  return {
    sentence: `${said} from ${peer}: it took the request, and hangs or is slow`,
    nextStep: `raise --request-timeout if it is only slow; if it hangs: ${hungStep(request)}`,
  };
}

/** How to find out whether the target itself hangs. */
function reachStep({ target }: RequestContext): string {
  return targetKind(target) === 'node'
    ? 'see whether it answers on the node: curl -k --max-time 10 https://localhost:10250/healthz; or try --direct'
    : 'see whether it answers nearby: kubectl port-forward to it, and ask http://localhost:PORT';
}

/** The last evidence of a process that answers nobody. */
function hungStep({ target, via }: RequestContext): string {
  if (via === 'api-server') return 'its log says why, and /livez?verbose which part';
  return targetKind(target) === 'node'
    ? 'on the node, kill -QUIT $(pidof kubelet) writes every stack to the journal and ends the kubelet; save journalctl -u kubelet'
    : 'kill -QUIT makes a hung Go process print its stacks and exit';
}

interface SentenceAndStep {
  readonly sentence: string;
  readonly nextStep: string;
}

function tls(problem: TlsProblem | undefined, said: string, request: RequestContext): SentenceAndStep {
  const peer = peerOf(request);
  switch (problem) {
    case 'unknown-ca':
      return {
        sentence: `the certificate of ${peer} is signed by an authority that is not known here`,
        nextStep:
          request.via === 'kubelet'
            ? 'many kubelets sign their own: leave out --direct, give --certificate-authority FILE, or accept with --insecure-skip-tls-verify that the token may reach somebody else'
            : 'give --certificate-authority FILE; --insecure-skip-tls-verify only where nobody can listen in',
      };
    case 'expired':
      return {
        sentence: `the certificate of ${peer} has expired`,
        nextStep: 'renew it (a kubelet: rotateCertificates, serverTLSBootstrap); check the clock here as well: date -u',
      };
    case 'not-yet-valid':
      return {
        sentence: `the certificate of ${peer} is not valid yet`,
        nextStep: 'one of the two clocks is wrong: compare date -u here and there',
      };
    case 'wrong-name':
      return {
        sentence: `the certificate of ${peer} is for another name: ${said}`,
        nextStep: 'use a name from its certificate, or set tls-server-name in the kubeconfig',
      };
    case 'plain-http':
      return {
        sentence: `${request.address} does not speak TLS`,
        nextStep: 'write http:// instead of https:// if that is what you want',
      };
    case 'client-certificate':
      return {
        sentence: `${peer} wants a client certificate, or does not accept the one it got`,
        nextStep: "give --client-certificate and --client-key, or renew the kubeconfig's",
      };
    default:
      return {
        sentence: `TLS with ${peer} failed: ${said}`,
        nextStep: 'check that the address and the port are right',
      };
  }
}
