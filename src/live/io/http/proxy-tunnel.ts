/** A tunnel through an HTTP proxy, over which TLS can be spoken with the server behind it. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { RequestError } from '../../request-sender.ts';

export function openTunnel(proxy: URL, hostAndPort: string, signal: AbortSignal): Promise<Socket> {
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(new RequestError('proxy', `the proxy ${proxy.host} did not connect to ${hostAndPort}: ${why}`));
    const sent = request({
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

export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
