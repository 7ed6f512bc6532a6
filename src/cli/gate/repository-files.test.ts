import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileOfProgram, inRepository, repositoryAt } from './report-gate.ts';

const root = mkdtempSync(join(tmpdir(), 'oakum-repository-'));
after(() => rmSync(root, { recursive: true, force: true }));
mkdirSync(join(root, '.git'));
mkdirSync(join(root, 'operator/pkg/sync'), { recursive: true });
writeFileSync(join(root, 'operator/go.mod'), 'module example.com/operator // the operator\n\ngo 1.26\n');
writeFileSync(join(root, 'operator/main.go'), 'package main\n');
writeFileSync(join(root, 'operator/pkg/sync/sync.go'), 'package sync\n');

describe('files of stacks in a repository', () => {
  const repository = repositoryAt(join(root, 'operator'));
  const found = (file: string): string | undefined =>
    repository === undefined ? 'none' : inRepository(file, repository);

  it('are found wherever the program was built', () => {
    assert.equal(found(join(root, 'operator/main.go')), 'operator/main.go');
    assert.equal(found('example.com/operator/main.go'), 'operator/main.go', 'with -trimpath');
    assert.equal(found('/workspace/operator/pkg/sync/sync.go'), 'operator/pkg/sync/sync.go', 'in an image');
  });

  it('are not mistaken for those of others', () => {
    assert.equal(found('/usr/local/go/src/net/http/server.go'), undefined);
    assert.equal(found('/root/go/pkg/mod/example.com/operator/main.go'), undefined);
    assert.equal(found('/elsewhere/main.go'), undefined, 'a bare name is no evidence');
    assert.equal(found('/../../etc/passwd'), undefined);
  });

  it('have one that stands for the whole program', () => {
    assert.equal(fileOfProgram(join(root, 'operator'), undefined), 'operator/go.mod');
    assert.equal(fileOfProgram(join(root, 'operator'), 'ci/oakum.budget.yaml'), 'operator/ci/oakum.budget.yaml');
    assert.equal(fileOfProgram(join(root, 'operator'), '/etc/oakum.budget.yaml'), 'operator/go.mod');
    assert.equal(fileOfProgram(tmpdir(), undefined), 'go.mod');
  });

  it('are unknown outside a repository', () => {
    assert.equal(repositoryAt(tmpdir()), undefined);
  });
});
