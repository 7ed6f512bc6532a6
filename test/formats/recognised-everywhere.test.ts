/** All users of the recogniser agree on the format of every file, whatever its name. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { processNames } from '../../src/evidence/cycle/cycle.ts';
import { FormatError } from '../../src/base/errors.ts';
import { keepPile } from '../../src/evidence/redaction/redact-pile.ts';
import { judgeBody } from '../../src/live/capture/take-step.ts';
import { readEvidence } from '../../src/evidence/cycle/read-evidence.ts';
import { readRecording } from '../../src/evidence/recording/read-recording.ts';
import { readMember } from '../../src/evidence/snapshots/read-member.ts';
import { FileContent } from '../../src/evidence/formats/file-content.ts';
import { UNRECOGNIZED_FILE } from '../../src/profile/formats/unrecognized.ts';
import { readAny } from '../../src/evidence/formats/read.ts';
import { FORMATS, isProfileFormat, recogniseFormat } from '../../src/evidence/formats/registry.ts';
import type { PileItem, PileMember } from '../../src/evidence/pile.ts';
import { Redactor } from '../../src/evidence/redaction/redactor.ts';
import { redactMember } from '../../src/evidence/redaction/redact-member.ts';
import { openProfile } from '../../web/reader/open-profile.ts';
import { formatSamples, UNRECOGNIZED } from './samples.ts';

const samples = formatSamples();
const hash = (text: string): Uint8Array => createHash('sha256').update(text).digest();

const member = (bytes: Uint8Array): PileMember => ({
  kind: 'member',
  path: 'pile/unknown',
  bytes,
  mtimeSeconds: undefined,
  damage: undefined,
});

async function* pile(bytes: Uint8Array): AsyncGenerator<PileItem> {
  yield member(bytes);
}

async function kept(bytes: Uint8Array): Promise<string> {
  for await (const item of keepPile(pile(bytes), ['pile'], false)) {
    return item.kind === 'left-out' ? item.reason : item.format;
  }
  return 'nothing';
}

function redacted(bytes: Uint8Array): string {
  try {
    return redactMember(bytes, new Redactor(hash)).format;
  } catch (error) {
    assert.ok(error instanceof FormatError, String(error));
    return error.message;
  }
}

it('has a sample of every format', () => {
  const seen = new Set(samples.map(({ format }) => format));
  assert.deepEqual(
    Object.keys(FORMATS).filter(name => !seen.has(name as keyof typeof FORMATS)),
    [],
  );
});

describe('one recogniser', () => {
  for (const { what, format, bytes } of samples) {
    it(`${format}: ${what}`, async () => {
      assert.equal(recogniseFormat(new FileContent(bytes)), format);

      assert.equal(readMember(member(bytes))[0].format, format, 'analyze');

      const isMetrics = format === 'exposition' || format === 'range-query';
      const { readPaths, otherCount, unread } = await readRecording(pile(bytes));
      assert.deepEqual([readPaths.length, otherCount, unread], [isMetrics ? 1 : 0, isMetrics ? 0 : 1, []], 'detect');

      assert.deepEqual((await readEvidence(pile(bytes), processNames())).unread, [], 'cycle');

      const { storedAs } = FORMATS[format];
      assert.equal(await kept(bytes), storedAs, 'bundle --no-redact');
      const profileOnly = format === 'legacy' || format === 'folded';
      if (profileOnly) assert.equal(redacted(bytes), 'pprof', 'bundle');
      else if (storedAs !== 'other' && what !== 'cut') {
        assert.match(redacted(bytes), new RegExp(`^(?:${storedAs}|JSON that cannot be parsed)$`), 'bundle');
      }

      if (isProfileFormat(format)) {
        assert.equal(readAny(bytes).format, format, 'pprof');
        assert.equal(openProfile(bytes, 'unknown').opened.format, format, 'web');
      } else {
        assert.throws(() => readAny(bytes), /unrecognized profile format/, 'pprof');
        assert.throws(() => openProfile(bytes, 'unknown'), /not a profile/, 'web');
      }
      if (format === 'pprof') assert.equal(judgeBody('heap', bytes).kind, 'good', 'capture');
      else assert.equal(judgeBody('heap', bytes).kind, 'bad', 'capture');
    });
  }
});

describe('an unrecognised file', () => {
  for (const [what, bytes] of UNRECOGNIZED) {
    it(`${what}: the same message everywhere`, async () => {
      const file = new FileContent(bytes);
      assert.equal(recogniseFormat(file), undefined);
      if (file.isText) assert.deepEqual(readMember(member(bytes))[0].notes, [UNRECOGNIZED_FILE]);
      else assert.throws(() => readMember(member(bytes)), { message: UNRECOGNIZED_FILE });
      assert.equal(redacted(bytes), UNRECOGNIZED_FILE);
      assert.equal(await kept(bytes), `${UNRECOGNIZED_FILE}; --include-unknown includes it`);
      assert.throws(
        () => openProfile(bytes, 'unknown'),
        (error: Error) => error.message.startsWith(`${UNRECOGNIZED_FILE};`),
      );
      assert.deepEqual(judgeBody('heap', bytes), { kind: 'bad', why: `it is ${UNRECOGNIZED_FILE}` });
      assert.throws(() => readAny(bytes), /unrecognized profile format/, "pprof's own words");
    });
  }
});
