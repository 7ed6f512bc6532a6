import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closurePath } from './frame-interner.ts';

describe('the path of a closure', () => {
  const cases: readonly (readonly [name: string, path: string])[] = [
    ['main.main', ''],
    ['main.main.func3', '3'],
    ['main.main.func1.2', '1.2'],
    ['main.main.func2.gowrap1', '2'],
    ['main.main.gowrap1', ''],
    ['main.main.func2-range1', '2'],
    ['main.(*T).run-fm', ''],
    ['main.(*box[go.shape.struct { a.func2 int }]).wait.func4', '4'],
    ['k8s.io/quota.(*Controller).Run.func3.(*Controller).worker.1', '1'],
    ['k8s.io/quota.(*Controller).worker.func1', '1'],
    ['k8s.io/apimachinery/pkg/util/wait.PollUntilWithContext.poller.func1.1', '1.1'],
    ['io.glob..func1', ''],
    ['io.init.func2', ''],
    ['main.init.0.func1', ''],
    ['gopkg.in/yaml%2ev3.(*parser).peek.func2', '2'],
    [`main.${'f'.repeat(5000)}.func2`, ''],
  ];
  for (const [name, path] of cases) {
    it(`${name.slice(0, 60)}: ${path}`, () => assert.equal(closurePath(name), path));
  }
});
