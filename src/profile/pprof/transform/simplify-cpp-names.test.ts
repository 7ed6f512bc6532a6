import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ProfileBuilder } from '../../profile-builder.ts';
import { simplifyCppNames } from './simplify-cpp-names.ts';

function simplified(name: string, systemName = name): string {
  const b = new ProfileBuilder([{ type: 'x', unit: 'y' }]);
  b.internFunction(name, '', systemName);
  const { functions, strings } = simplifyCppNames(b.finish());
  return strings[functions.name[0]];
}

it('cuts names that look like C++', () => {
  for (const [name, want] of [
    ['ns::f(int, char)', 'ns::f'],
    ['std::vector<int>::push_back(int const&)', 'std::vector::push_back'],
    ['a::operator<(x)', 'a::operator<'],
    ['a::f(g(h))', 'a::f'],
    ['a::f)b', 'a::f)b'],
  ]) {
    assert.equal(simplified(name), want, name);
  }
});

it('leaves other names alone', () => {
  for (const name of [
    'main.main',
    'main.(*T).f',
    'main.generic[...]',
    'main.(*box[go.shape.int]).f',
    'Foo.<init>',
    '_ZN3fooEv',
    'runtime.gopark',
    '',
  ]) {
    assert.equal(simplified(name), name, name);
  }
  assert.equal(simplified('shown', 'ns::f(int)'), 'shown', 'demangled already');
  assert.equal(simplified('', 'plain'), 'plain', 'a missing name is the system name');
});

it('returns a profile unchanged if nothing needs cutting', () => {
  const b = new ProfileBuilder([{ type: 'x', unit: 'y' }]);
  b.internFunction('main.main', 'main.go');
  const profile = b.finish();
  assert.equal(simplifyCppNames(profile), profile);
});
