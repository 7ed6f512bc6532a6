import assert from 'node:assert/strict';
import { generateKeyPairSync, verify } from 'node:crypto';
import { it } from 'node:test';
import { expiredToken } from './token.ts';

it('an expired token is signed by the cluster’s key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = new Date('2026-05-01T12:00:00Z');
  const token = expiredToken(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, now);
  const [header, claims, signature] = token.split('.');
  const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  assert.ok(verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url')));
  const { exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, number>;
  assert.ok(iat < exp && exp < now.getTime() / 1000);
});
