import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { encodeProfile } from '../../profile/formats/pprof/encode.ts';
import { ProfileBuilder } from '../../profile/profile-builder.ts';
import { run } from '../run.ts';

const folder = mkdtempSync(join(tmpdir(), 'oakum-pprof-terminal-'));
after(() => rmSync(folder, { recursive: true, force: true }));

it('a terminal gets no control characters of a profile, and a pipe its bytes', async () => {
  const builder = new ProfileBuilder([{ type: 'samples', unit: 'count' }]);
  const fn = builder.internFunction('main.\u001b[2Jevil\u009b', 'main.go');
  builder.addSample([builder.addLocation({ lines: [{ fn, line: 1 }] })], [1]);
  writeFileSync(join(folder, 'x.pb'), encodeProfile(builder.finish()));
  for (const report of ['-top', '-traces', '-tree', '-raw']) {
    const io = memoryIo({ cwd: folder });
    assert.equal(await run(['pprof', report, 'x.pb'], { ...io, stdout: { ...io.stdout, isTTY: true } }), 0, io.err());
    assert.doesNotMatch(io.out(), /[\u001b\u009b]/, report);
    assert.match(io.out(), /\\x1b\[2Jevil\\x9b/, report);
    const pipe = memoryIo({ cwd: folder });
    await run(['pprof', report, 'x.pb'], pipe);
    assert.ok(pipe.out().includes('\u001b[2Jevil'), report);
  }
});
