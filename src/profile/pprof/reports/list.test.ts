import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Profile, StringTable } from 'pprof-format';
import { memoryIo } from '../../../../test/double/memory-io.ts';
import { run } from '../../../cli/run.ts';

/** One sample in `line` of a function that claims to start at `startLine` of a missing file. */
function profileOf(line: number, startLine: number): Uint8Array {
  const stringTable = new StringTable();
  const [type, unit, name, filename] = ['samples', 'count', 'main.main', 'no/such.go'].map(text =>
    stringTable.dedup(text),
  );
  return new Profile({
    stringTable,
    sampleType: [{ type, unit }],
    function: [{ id: 1, name, systemName: name, filename, startLine }],
    location: [{ id: 1, mappingId: 0, address: 1, line: [{ functionId: 1, line }] }],
    sample: [{ locationId: [1], value: [7], label: [] }],
  }).encode();
}

describe('-list', () => {
  // Like go tool pprof: it opens a file only when it needs a line of it.
  it('ignores a missing file if it shows no line of it', async () => {
    const list = async (line: number, startLine: number): Promise<string[]> => {
      const io = memoryIo({ stdin: profileOf(line, startLine) });
      assert.equal(await run(['pprof', '-list=main', '-'], io), 0, io.err());
      return io.out().trimEnd().split('\n').slice(3);
    };
    assert.match((await list(12, 10)).join('\n'), /^ Error: could not find file no\/such\.go on path /);
    assert.deepEqual(await list(1, 10), []);
  });
});
