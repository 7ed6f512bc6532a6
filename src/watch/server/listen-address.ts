/**
 * The address to listen on, as the user types it, and whether only this machine can reach it.
 *
 *     ':8080'             localhost, port 8080
 *     'localhost:'        any free port
 *     '0:7777'            every address of the machine
 *     '[::1]:7777'        brackets around IPv6
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

export interface ListenAddress {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
}

export function parseListenAddress(text: string): ListenAddress | { readonly problem: string } {
  const match = /^(?:\[([^\][]*)\]|([^:\][\s]*)):(\d*)$/.exec(text);
  if (match === null) return { problem: `expected HOST:PORT, such as localhost:7777, not ${JSON.stringify(text)}` };
  const [, bracketed, plain, digits] = match;
  if (bracketed !== undefined && isIP(bracketed) !== 6) {
    return { problem: `brackets are for an IPv6 address, not ${JSON.stringify(bracketed)}` };
  }
  const port = Number(digits);
  if (port > 65_535) return { problem: `a port is a number up to 65535, not ${digits}` };
  return { host: bracketed ?? (plain || 'localhost'), port };
}

/** The IP address of a host name; undefined if it has none. */
export async function resolveHost(host: string): Promise<string | undefined> {
  if (isIP(host) !== 0) return host;
  // C libraries, and so go tool pprof, read it this way; not every resolver does.
  if (host === '0') return '0.0.0.0';
  try {
    return (await lookup(host)).address;
  } catch {
    return undefined;
  }
}

/** Whether an IP address is a loopback address. */
export function isLoopback(address: string): boolean {
  const v4 = address.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(v4) === 4 ? v4.startsWith('127.') : address === '::1' || /^(?:0{1,4}:){7}0{0,3}1$/.test(address);
}

/** For the host in a `Host` header or a URL, with or without a port: names that no foreign DNS server can answer for. */
export function isLoopbackHost(hostAndPort: string): boolean {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(hostAndPort);
  if (match === null) return false;
  const host = (match[1] ?? match[2] ?? '').toLowerCase().replace(/\.$/, '');
  return host === 'localhost' || host.endsWith('.localhost') || isLoopback(host);
}

/** The URL to open; for a server on all addresses, the name that works on this machine. */
export function urlOf(host: string, port: number): string {
  const shown = host === '0' || host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${isIP(shown) === 6 ? `[${shown}]` : shown}:${port}`;
}
