import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plainRedactor } from '../../../test/redaction/plain-redactor.ts';
import { encodeText } from '../../base/text.ts';
import { redactMember } from './redact-member.ts';

it('what cannot be read after redaction is left out, so that every bundle is sound', () => {
  const version = (text: string): Uint8Array => encodeText(`${text}\n`);
  assert.equal(redactMember(version('v1.36.0'), plainRedactor()).format, 'version');
  assert.throws(
    () => redactMember(version('v9223372036854775808.36.0'), plainRedactor()),
    /nothing that can be read is left of it/,
  );
});
