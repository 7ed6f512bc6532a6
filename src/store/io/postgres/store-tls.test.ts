/** TLS to a real server, with authorities of the test: what works, and what each failure says. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  Authority,
  contentOf,
  fileWith,
  type KeyPair,
  lockedKey,
  opensslAbsent,
} from '../../../../test/postgres/certificates.ts';
import { postgresAbsent, PostgresServer } from '../../../../test/postgres/postgres-server.ts';
import { EvidenceFolder } from '../evidence-folder.ts';
import { openPostgresStore } from './watch-store.ts';
import { Database } from './database.ts';
import { parseStoreUrl } from './store-url.ts';

const PASSWORD = 'pass-word-of-the-test';
const HBA = `
local   all all                     trust
hostssl all certified 127.0.0.1/32  cert
hostssl all guarded   127.0.0.1/32  scram-sha-256
host    all oakum     127.0.0.1/32  trust
`;

describe('TLS to PostgreSQL', { skip: postgresAbsent || opensslAbsent }, () => {
  let server: PostgresServer;
  let folder: string;
  let ours: Authority;
  let theirs: Authority;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oakum-tls-'));
    [ours, theirs] = [new Authority(folder, 'ours'), new Authority(folder, 'theirs')];
    server = new PostgresServer({ port: await freePort() });
    server.write('pg_hba.conf', HBA);
    server.write('root.crt', contentOf(ours.own).certificate);
    await serveWith(ours.sign({ commonName: 'db', altNames: 'DNS:localhost' }));
    await server.run(`CREATE ROLE certified LOGIN SUPERUSER; CREATE ROLE guarded LOGIN PASSWORD '${PASSWORD}'`);
  });
  after(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Restarts the server with that certificate, or without TLS. */
  async function serveWith(pair: KeyPair | undefined): Promise<void> {
    await server.stop();
    const settings = server.settings.filter(one => !one.startsWith('ssl'));
    if (pair === undefined) server.settings = [...settings, 'ssl=off'];
    else {
      const { certificate, key } = contentOf(pair);
      server.write('server.crt', certificate);
      server.write('server.key', key);
      server.settings = [...settings, 'ssl=on', 'ssl_ca_file=root.crt'];
    }
    await server.start();
  }

  const urlOf = (host: string, parameters: Record<string, string>, user = 'oakum'): string =>
    `postgres://${user}@${host}:${server.port}/postgres?${new URLSearchParams({ schema: 'tls', ...parameters }).toString()}`;

  /** Whether the connection is encrypted. */
  async function connects(url: string): Promise<boolean> {
    const db = await Database.open(parseStoreUrl(url), false);
    try {
      const [row] = await db.all('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      return row?.['ssl'] === true;
    } finally {
      await db.close();
    }
  }

  async function refusalOf(url: string): Promise<string> {
    const files = new EvidenceFolder(join(folder, 'files'));
    try {
      const store = await openPostgresStore(url, files);
      await store.close();
      return 'it was opened';
    } catch (error) {
      const { message } = error as Error;
      assert.ok(!message.includes('\n'), `one line: ${message}`);
      assert.ok(!message.includes(PASSWORD), 'no password');
      return message;
    }
  }

  it('is used by every mode but disable, and checks what the mode says', async () => {
    const sslrootcert = ours.own.certificate;
    for (const [host, parameters, isEncrypted] of [
      ['localhost', { sslmode: 'verify-full', sslrootcert }, true],
      ['127.0.0.1', { sslmode: 'verify-ca', sslrootcert }, true],
      ['127.0.0.1', { sslmode: 'require', sslrootcert }, true],
      ['127.0.0.1', { sslmode: 'require' }, true],
      ['127.0.0.1', { sslmode: 'prefer' }, true],
      ['127.0.0.1', {}, true],
      ['127.0.0.1', { sslmode: 'disable' }, false],
    ] as const)
      assert.equal(await connects(urlOf(host, parameters)), isEncrypted, `${host} ${JSON.stringify(parameters)}`);
  });

  it('a wrong host, authority or file is refused, with what to do', async () => {
    const sslrootcert = ours.own.certificate;
    const wrong = theirs.own.certificate;
    const noCertificate = fileWith(folder, 'no.pem', 'hello');
    for (const [host, parameters, message] of [
      [
        '127.0.0.1',
        { sslmode: 'verify-full', sslrootcert },
        /its certificate is for another host \(.*127\.0\.0\.1.*\); connect by a name that it has, or say sslmode=verify-ca$/,
      ],
      [
        'localhost',
        { sslmode: 'verify-full', sslrootcert: wrong },
        /not signed by an authority .*; give .* as sslrootcert$/,
      ],
      ['localhost', { sslmode: 'verify-ca', sslrootcert: wrong }, /not signed by an authority .* as sslrootcert$/],
      ['localhost', { sslmode: 'require', sslrootcert: wrong }, /not signed by an authority .* as sslrootcert$/],
      ['localhost', { sslmode: 'verify-full' }, /not signed by an authority .* as sslrootcert$/],
      ['localhost', { sslmode: 'verify-full', sslrootcert: '/none' }, /^--store: sslrootcert: cannot read \/none$/],
      [
        'localhost',
        { sslmode: 'verify-full', sslrootcert: noCertificate },
        /^--store: sslrootcert: .*no\.pem has no certificate in PEM form$/,
      ],
    ] as const)
      assert.match(await refusalOf(urlOf(host, parameters)), message);
  });

  it('a certificate of the client lets its user in, and nothing else does', async () => {
    const [good, other] = [ours.sign({ commonName: 'certified' }), ours.sign({ commonName: 'somebody' })];
    const [unknown, old] = [theirs.sign({ commonName: 'certified' }), ours.sign({ commonName: 'certified', days: -1 })];
    const asClient = ({ certificate, key }: KeyPair): string =>
      urlOf('localhost', { sslmode: 'require', sslcert: certificate, sslkey: key }, 'certified');
    assert.equal(await connects(asClient(good)), true);
    for (const [url, message] of [
      [
        urlOf('localhost', { sslmode: 'require' }, 'certified'),
        /wants a certificate of the client; give .* sslcert and sslkey$/,
      ],
      [asClient(other), /the certificate of the client is not for this user; check sslcert and the user$/],
      [asClient(unknown), /does not accept the certificate of the client; check sslcert and its authority$/],
      [asClient(old), /the certificate of the client has expired; renew sslcert$/],
      [asClient({ ...good, key: other.key }), /^--store: sslkey: the key in .* does not belong to the certificate in /],
      [
        asClient({ ...good, key: lockedKey(good) }),
        /^--store: sslkey: .* has no private key in PEM form, without a passphrase$/,
      ],
      [asClient({ ...good, key: '/none' }), /^--store: sslkey: cannot read \/none$/],
      [
        urlOf('localhost', { sslcert: good.certificate }, 'certified'),
        /^--store: sslcert and sslkey belong together; give both$/,
      ],
    ] as const)
      assert.match(await refusalOf(url), message);
  });

  it('a certificate of the client that is renewed is used by the next connection', async () => {
    const [first, second] = [ours.sign({ commonName: 'somebody' }), ours.sign({ commonName: 'certified' })];
    const renewed = { certificate: join(folder, 'renewed.pem'), key: join(folder, 'renewed.key') };
    const replace = (pair: KeyPair): void => {
      copyFileSync(pair.key, renewed.key);
      copyFileSync(pair.certificate, renewed.certificate);
    };
    replace(second);
    const parameters = { sslmode: 'require', sslcert: renewed.certificate, sslkey: renewed.key };
    const db = await Database.open(parseStoreUrl(urlOf('localhost', parameters, 'certified')), false);
    try {
      replace(first);
      const connectAgain = (): Promise<unknown> => db.session('urgent').all('SELECT 1');
      await assert.rejects(connectAgain(), /certificate authentication failed/);
      copyFileSync(second.key, renewed.key);
      // Half of it is replaced: the pair of before is used, and nothing breaks.
      await assert.rejects(connectAgain(), /certificate authentication failed/);
      replace(second);
      await connectAgain();
    } finally {
      await db.close();
    }
  });

  it('a password is checked over TLS, and never shown', async () => {
    const withPassword = (password: string, parameters: Record<string, string>): string =>
      urlOf('localhost', parameters, `guarded:${password}`);
    assert.equal(await connects(withPassword(PASSWORD, { sslmode: 'require' })), true);
    assert.match(
      await refusalOf(withPassword(`${PASSWORD}-wrong`, { sslmode: 'require' })),
      /: the password is wrong; check /,
    );
    assert.match(
      await refusalOf(urlOf('localhost', { sslmode: 'require' }, 'guarded')),
      /: it wants a password; set PGPASSWORD/,
    );
    assert.match(
      await refusalOf(withPassword(PASSWORD, { sslmode: 'disable' })),
      /: the server lets this user in only with TLS; say sslmode=require, or change pg_hba\.conf$/,
    );
    assert.match(await refusalOf(withPassword(PASSWORD, { sslmode: 'verify-full' })), /as sslrootcert$/);
  });

  it('a certificate that has expired, or is for an address, is told from others', async () => {
    const sslrootcert = ours.own.certificate;
    await serveWith(ours.sign({ commonName: 'localhost', altNames: 'DNS:localhost', days: -1 }));
    const expired = /its certificate has expired; renew it on the server$/;
    assert.match(await refusalOf(urlOf('localhost', { sslmode: 'verify-full', sslrootcert })), expired);
    assert.match(await refusalOf(urlOf('localhost', { sslmode: 'verify-ca', sslrootcert })), expired);
    assert.equal(await connects(urlOf('localhost', { sslmode: 'require' })), true, 'it is not checked');
    await serveWith(ours.sign({ commonName: 'db', altNames: 'IP:127.0.0.1' }));
    assert.equal(await connects(urlOf('127.0.0.1', { sslmode: 'verify-full', sslrootcert })), true);
    assert.match(await refusalOf(urlOf('localhost', { sslmode: 'verify-full', sslrootcert })), /for another host/);
  });

  it('a server without TLS is used only if that may be', async () => {
    await serveWith(undefined);
    const sslrootcert = ours.own.certificate;
    const without = /the server does not support TLS; turn it on there, or say sslmode=disable if that is right$/;
    for (const sslmode of ['require', 'verify-ca', 'verify-full'])
      assert.match(await refusalOf(urlOf('localhost', { sslmode, sslrootcert })), without);
    assert.equal(await connects(urlOf('localhost', { sslmode: 'prefer' })), false);
    assert.equal(await connects(urlOf('localhost', {})), false);
  });
});

function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise(resolve => {
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
