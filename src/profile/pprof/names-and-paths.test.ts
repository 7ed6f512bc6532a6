import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileGoRegexp } from './go-regexp.ts';
import { shortenFunctionName, pathTrimmer } from './sample-index.ts';

it('shortenFunctionName', () => {
  for (const [name, want] of [
    ['main.main', 'main.main'],
    ['k8s.io/client-go/tools/cache.(*Reflector).ListAndWatch', 'cache.(*Reflector).ListAndWatch'],
    ['github.com/foo/bar/v2.F', 'bar.F'],
    ['github.com/foo/bar/v10/baz.F', 'baz.F'],
    ['github.com/foo/v1.F', 'v1.F'],
    ['java.lang.Thread.run', 'Thread.run'],
    ['java.util.Map.<init>', 'Map.<init>'],
    ['(anonymous namespace)::f', 'f'],
    ['foo::Bar::baz', 'Bar::baz'],
    ['foo::bar', 'foo::bar'],
  ]) {
    assert.equal(shortenFunctionName(name), want, name);
  }
});

describe('pathTrimmer', () => {
  it('removes the given prefixes', () => {
    const trim = pathTrimmer('/build:/src/', '');
    assert.equal(trim('/build/a.go'), 'a.go');
    assert.equal(trim('/src/x/a.go'), 'x/a.go');
    assert.equal(trim('/builder/a.go'), '/builder/a.go');
    assert.equal(trim('/proc/self/cwd/a.go'), 'a.go');
    assert.equal(trim('/proc/self/cwd/./a.go'), 'a.go');
  });

  it('guesses from the source path', () => {
    const trim = pathTrimmer('', '/home/me/kubernetes:/other');
    assert.equal(trim('/go/src/kubernetes/pkg/a.go'), 'pkg/a.go');
    assert.equal(trim('/elsewhere/a.go'), '/elsewhere/a.go');
  });
});

describe('compileGoRegexp', () => {
  it('matches anywhere, as RE2 does', () => {
    const { matches } = compileGoRegexp('in(form|Form)er.*\\)\\.run$');
    assert.ok(matches('cache.(*informer).run'));
    assert.ok(!matches('cache.(*informer).run.func1'));
    assert.ok(compileGoRegexp('').matches('x'));
    assert.ok(compileGoRegexp('(?i)MAIN').matches('main.main'));
  });

  it('fails with the messages of Go', () => {
    for (const [source, message] of [
      ['(', 'error parsing regexp: missing closing ): `(`'],
      ['[', 'error parsing regexp: missing closing ]: `[`'],
      ['*', 'error parsing regexp: missing argument to repetition operator: `*`'],
      ['a(?=b)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
      ['\\8', 'error parsing regexp: invalid escape sequence: `\\8`'],
    ]) {
      assert.throws(() => compileGoRegexp(source), { message }, source);
    }
  });

  it('takes linear time', () => {
    // Backtracking would never end.
    assert.ok(!compileGoRegexp('(a*)*b').matches('a'.repeat(50_000)));
  });
});
