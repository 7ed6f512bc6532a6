/** Damaged files of every format are read, refused with a reason, or left out; and no reason quotes redacted text. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { processNames } from '../../src/evidence/cycle/cycle.ts';
import { FormatError } from '../../src/base/errors.ts';
import { readEvidence } from '../../src/evidence/cycle/read-evidence.ts';
import { readMember } from '../../src/evidence/snapshots/read-member.ts';
import type { PileMember } from '../../src/evidence/pile.ts';
import { Redactor } from '../../src/evidence/redaction/redactor.ts';
import { redactMember } from '../../src/evidence/redaction/redact-member.ts';
import { mutate } from '../fuzz/mutate.ts';
import { Random } from '../fuzz/random.ts';
import { formatSamples } from './samples.ts';

const MUTANTS = 25;
const MAX_BYTES = 20_000;

/** Reasons that redaction may give: none can contain a part of the file. */
const REASONS =
  /^(?:empty|could not be read|nothing that can be read is left of it|not a profile, a dump, metrics, kubectl JSON or a log|a log: free text cannot be redacted|JSON (?:of an unknown kind|that cannot be parsed)|objects of a kind whose fields are not known|the manifest of an earlier bundle|a Prometheus response, which cannot be redacted yet)$/;

function refusal(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof FormatError, String((error as Error).stack));
    return error.message;
  }
}

it('are read or refused in one line, and no reason quotes them', async () => {
  const samples = formatSamples().filter(({ bytes }) => bytes.length < MAX_BYTES);
  const specimens = samples.map(({ what, bytes }) => ({ name: what, bytes }));
  const hash = (text: string): Uint8Array => createHash('sha256').update(text).digest();
  for (const [number, { format, what, bytes }] of samples.entries()) {
    for (let i = 0; i < MUTANTS; i++) {
      const mutant = mutate({ name: what, bytes }, specimens, new Random(number, i), format === 'pprof');
      const member: PileMember = {
        kind: 'member',
        path: 'x/unknown',
        bytes: mutant.bytes,
        mtimeSeconds: undefined,
        damage: undefined,
      };
      const story = `${format}, ${what}: ${mutant.history.join(', ')}`;
      const message = refusal(() => readMember(member));
      assert.ok(message === undefined || !message.includes('\n'), story);
      const reason = refusal(() => redactMember(mutant.bytes, new Redactor(hash)));
      assert.ok(reason === undefined || REASONS.test(reason), `${story}: ${reason}`);
      await readEvidence(
        (async function* () {
          yield member;
        })(),
        processNames(),
      );
    }
  }
});
