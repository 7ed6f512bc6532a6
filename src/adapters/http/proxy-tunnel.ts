/** HTTP_PROXY, HTTPS_PROXY and NO_PROXY as Go reads them, and the tunnel that leads through a proxy to a TLS server. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { RequestError } from './no-answer.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export function proxyFromEnvironment(target: URL, env: Environment): URL | undefined {
  const read = (name: string): string => env[name.toUpperCase()] || env[name] || '';
  const text = target.protocol === 'https:' ? read('https_proxy') : read('http_proxy');
  if (text === '' || isExempt(target, read('no_proxy'))) return undefined;
  return proxyUrl(text);
}

export function proxyUrl(text: string): URL {
  const full = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(full)) throw new RequestError('proxy', `the proxy's URL ${JSON.stringify(text)} cannot be read`);
  return new URL(full);
}

/** Local addresses never go through a proxy. `.example.com` and `example.com` stand for subdomains too. */
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

/** `10.96.0.0/12`: clusters exempt their own ranges this way. */
function isInRange(host: string, range: string): boolean {
  const [network, bitsText] = range.split('/');
  if (isIP(host) !== 4 || isIP(network) !== 4) return false;
  const bits = Number(bitsText);
  const number = (ip: string): number => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - bits);
  return Math.floor(number(host) / size) === Math.floor(number(network) / size);
}

export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** A connection to `host:port` through the proxy, on which TLS can be spoken. */
export function openTunnel(proxy: URL, hostAndPort: string, signal: AbortSignal): Promise<Socket> {
  const ask = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new RequestError('proxy', `the proxy ${proxy.host} did not connect to ${hostAndPort}: ${why}`));
    const sent = ask({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: hostAndPort,
      headers: { host: hostAndPort, ...proxyAuthorization(proxy) },
      agent: false,
      signal,
    });
    sent.on('connect', (response, socket) => {
      if (response.statusCode === 200) return resolve(socket as Socket);
      socket.destroy();
      fail(`${response.statusCode} ${response.statusMessage}`);
    });
    sent.on('response', response => {
      response.destroy();
      fail(`${response.statusCode} ${response.statusMessage}`);
    });
    sent.on('error', error => fail(error.message || (error as NodeJS.ErrnoException).code || 'no connection'));
    sent.end();
  });
}
