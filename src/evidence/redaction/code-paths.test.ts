import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { plainRedactor } from '../../../test/redaction/plain-redactor.ts';
import { redactBinaryPath, redactCall, redactSourcePath } from './code-paths.ts';

const word = fc.constantFrom(
  ...['k8s.io', 'client-go', 'client-go@v0.36.0', 'rest', 'github.com', 'corp.example', '!azure', 'Azure', 'a@b'],
  ...['go', 'src', 'pkg', 'mod', 'vendor', 'vendor.go', 'staging', '_output', 'go-alice', 'go1.19', 'golang.org'],
  ...['home', 'alice', 'usr', 'local', 'C:', '..', '', 'x y', '%2e', 'redacted-kqzjxabcdef'],
  ...['net', 'http', 'internal', 'runtime', 'main', 'request.go', 'toolchain@v0.0.1-go1.26.0.linux-amd64'],
);
const separator = fc.constantFrom('/', '/', '/', '\\');
const path = fc
  .array(fc.tuple(separator, word), { minLength: 1, maxLength: 9 })
  .map(parts => parts.flat().slice(1).join(''));
const packagePath = fc.array(word, { minLength: 1, maxLength: 5 }).map(words => words.join('/'));
const functionName = fc.oneof(
  fc.constantFrom('', 'main.main'),
  packagePath.map(name => `${name}.(*T).f`),
  packagePath.map(name => `${name}.F[go.shape.int]`),
);

it('a second redaction of a source path changes nothing', () => {
  fc.assert(
    fc.property(path, functionName, (source, name) => {
      const first = plainRedactor();
      const once = redactCall(name, source, first);
      const second = plainRedactor();
      assert.deepEqual(redactCall(once.fn, once.file, second), once);
      assert.deepEqual([...second.originals], []);
    }),
  );
});

it('a second redaction of a binary path changes nothing', () => {
  fc.assert(
    fc.property(path, binary => {
      const once = redactBinaryPath(binary, plainRedactor());
      const second = plainRedactor();
      assert.equal(redactBinaryPath(once, second), once);
      assert.deepEqual([...second.originals], []);
    }),
  );
});

it('the package that a path with backslashes names stays', () => {
  const path = 'C:\\Users\\alice\\go\\pkg\\mod\\k8s.io\\client-go@v0.36.0\\rest\\request.go';
  const redacted = redactSourcePath(path, '', plainRedactor());
  assert.match(redacted, /\\mod\\k8s\.io\\client-go@v0\.36\.0\\rest\\request\.go$/);
  assert.doesNotMatch(redacted, /alice/);
});
