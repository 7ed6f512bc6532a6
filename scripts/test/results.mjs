// What the events of the workers add up to, file by file.

/** The results of one file. */
export class FileResult {
  passed = 0;
  failed = 0;
  skipped = 0;
  ms = 0;
  cpuMs = 0;
  /** Of cpuMs, that of processes that the tests started. */
  childrenMs = 0;
  /** { name, error } */
  failures = [];
  /** [reason, name] */
  skips = [];
  /** node:test has said all that it has to say. */
  isReported = false;
  /** Names of the tests under way, from the outermost in. */
  #path = [];

  constructor(file) {
    this.file = file;
  }

  /** The last test that began, as far as the worker could say so. */
  get lastTest() {
    return this.#path.slice(1).join(' > ');
  }

  /** The suite around the file is at nesting 1; its tests are at 2 and deeper. */
  hear(event) {
    const depth = event.nesting - 1;
    if (event.kind === 'test:dequeue') {
      this.#path = [...this.#path.slice(0, depth), event.name];
      return;
    }
    const name = [...this.#path.slice(1, depth), event.name].join(' > ');
    if (depth === 0) {
      this.isReported = true;
      this.ms = event.ms;
      // A test that waits for nothing is cancelled, and the file with it.
      const isNamed = this.failed > 0 && event.failureType === 'cancelledByParent';
      if (event.kind === 'test:fail' && event.failureType !== 'subtestsFailed' && !isNamed) this.fail('', event.error);
      return;
    }
    if (event.skip !== undefined || event.todo !== undefined) {
      this.skipped++;
      this.skips.push([reasonOf(event), name]);
    } else if (event.kind === 'test:fail') {
      // A parent fails because a child did; the child says why.
      if (event.failureType !== 'subtestsFailed') this.fail(name, event.error);
      else if (!event.isSuite) this.failed++;
    } else if (!event.isSuite) {
      this.passed++;
    }
  }

  /** `name` is '' when it is the file itself that failed. */
  fail(name, error) {
    this.failed++;
    this.failures.push({ name: name === '' ? '(the file itself)' : name, error });
  }

  /** After its last event. */
  end({ cpuMs, childrenMs, exitCode, strayErrors }) {
    this.cpuMs = cpuMs;
    this.childrenMs = childrenMs;
    if (this.failed > 0) return;
    if (exitCode !== 0) {
      this.fail('', [`it left exit code ${exitCode}: an error outside its tests`, ...strayErrors].join('\n'));
    } else if (this.passed + this.skipped === 0) {
      this.fail('', 'it has no test');
    }
  }

  get line() {
    const parts = [`${this.passed} passed`];
    if (this.failed > 0) parts.push(`${this.failed} failed`);
    if (this.skipped > 0) parts.push(`${this.skipped} skipped`);
    return `${this.failed > 0 ? 'FAILED' : 'ok'} ${this.file}: ${parts.join(', ')} (${Math.round(this.ms)} ms)`;
  }
}

function reasonOf({ skip }) {
  if (skip === undefined) return 'to do';
  return typeof skip === 'string' && skip !== '' ? skip : 'no reason given';
}
