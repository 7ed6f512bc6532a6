import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { it } from 'node:test';
import { credentialFiles } from './credential-files.ts';
import { httpSender } from './send-request.ts';
import { openPrometheus } from './prometheus.ts';

it('a token file that is not there is an outcome of the request', async () => {
  const none = { user: '', passwordFile: '', certificateAuthority: '', insecure: false };
  const options = { url: 'http://127.0.0.1:1', tokenFile: 'absent', ...none };
  const history = openPrometheus(options, httpSender({}), credentialFiles(tmpdir()));
  const reply = await history.instant('up', { deadlineSeconds: 3600, maxBytes: 1000 });
  assert.equal(reply.kind, 'credentials');
});
