/** What ends the wait of a family: another goroutine, the outside world, or time alone. */
import type { Family } from '../../profile/families/family.ts';
import { packageOf } from '../../profile/families/normalise.ts';
import { endOfWait } from '../../profile/wait-reasons.ts';

export interface WaitsFor {
  readonly what: 'goroutine' | 'outside' | 'time';
  /** A timer may end it as well: a select or receive has no way to tell a timer's channel from another. */
  readonly mayTimeOut: boolean;
}

/** Undefined where they run, or wait for the runtime. */
export function waitsFor(state: string, { frames }: Family): WaitsFor | undefined {
  const end = endOfWait(state);
  if (end === undefined) return undefined;
  if (end === 'outside' || end === 'time') return { what: end, mayTimeOut: true };
  return { what: isOfConnection(frames) ? 'outside' : 'goroutine', mayTimeOut: end === 'goroutine or timer' };
}

/** Packages whose loops live as long as a connection. */
const CONNECTION = [
  'net',
  'crypto/tls',
  'golang.org/x/net',
  'golang.org/x/crypto/ssh',
  'google.golang.org/grpc',
  'github.com/gorilla/websocket',
  'github.com/containerd/ttrpc',
  'github.com/moby/spdystream',
  'github.com/quic-go/quic-go',
];
const BENEATH = /^(?:runtime|internal|sync|io|bufio|context|time)(?:\/|$)/;

/** Nothing but the loops of a connection: half of what waits for the other side waits on a channel to the half that reads. */
function isOfConnection(frames: readonly string[]): boolean {
  const packages = frames.map(packageOf).filter(name => !BENEATH.test(name));
  return (
    packages.length > 0 && packages.every(name => CONNECTION.some(one => name === one || name.startsWith(`${one}/`)))
  );
}
