/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY, read as Go reads them. */
import { isIP } from 'node:net';
import { RequestError } from '../../request-sender.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export function proxyFromEnvironment(target: URL, env: Environment): URL | undefined {
  const read = (name: string): string => env[name.toUpperCase()] || env[name] || '';
  const text = target.protocol === 'https:' ? read('https_proxy') : read('http_proxy');
  if (text === '' || isExempt(target, read('no_proxy'))) return undefined;
  return parseProxyUrl(text);
}

export function parseProxyUrl(text: string): URL {
  const full = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(full)) throw new RequestError('proxy', `cannot read the proxy's URL ${JSON.stringify(text)}`);
  return new URL(full);
}

/** Loopback addresses never go through a proxy. `.example.com` and `example.com` include subdomains. */
function isExempt(target: URL, noProxy: string): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))) return true;
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  for (const entry of noProxy.toLowerCase().split(/[\s,]+/)) {
    if (entry === '*') return true;
    const [, name = '', ofPort = ''] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (name === '' || (ofPort !== '' && ofPort !== port)) continue;
    if (name.includes('/') ? isInRange(host, name) : host === name || host.endsWith(`.${name.replace(/^\*?\./, '')}`))
      return true;
  }
  return false;
}

/** `10.96.0.0/12`: this is how clusters exempt their own ranges. */
function isInRange(host: string, range: string): boolean {
  const [network = '', bitsText] = range.split('/');
  if (isIP(host) !== 4 || isIP(network) !== 4) return false;
  const bits = Number(bitsText);
  const number = (ip: string): number => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - bits);
  return Math.floor(number(host) / size) === Math.floor(number(network) / size);
}
