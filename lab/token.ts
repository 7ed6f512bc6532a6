/**
 * An expired service account token, signed with the cluster's key, as in a kubeconfig made yesterday. The API server
 * itself issues none for less than ten minutes.
 */
import { createPrivateKey, sign } from 'node:crypto';

export const TOKEN_ISSUER = 'https://kubernetes.default.svc';
const HOUR_SECONDS = 3600;

export function expiredToken(privateKeyPem: string, now: Date): string {
  const nowSeconds = Math.floor(now.getTime() / 1000);
  const claims = {
    iss: TOKEN_ISSUER,
    sub: 'system:serviceaccount:lab:capture',
    aud: [TOKEN_ISSUER],
    iat: nowSeconds - 2 * HOUR_SECONDS,
    nbf: nowSeconds - 2 * HOUR_SECONDS,
    exp: nowSeconds - HOUR_SECONDS,
    'kubernetes.io': {
      namespace: 'lab',
      serviceaccount: { name: 'capture', uid: '00000000-0000-4000-8000-000000000000' },
    },
  };
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'ES256', typ: 'JWT' })}.${part(claims)}`;
  const key = createPrivateKey(privateKeyPem);
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
