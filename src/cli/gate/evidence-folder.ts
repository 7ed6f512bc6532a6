/** The folder in which a gate keeps its profiles, logs and answer. */
import { makeFolder } from '../../evidence/io/make-folder.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { encodeText } from '../../base/text.ts';
import type { TargetRef } from '../../evidence/target.ts';
import { captureFolderName } from '../connect/capture-ports.ts';
import type { Io } from '../io.ts';
import { Failure, systemReason } from '../../base/errors.ts';

/** `oakum-gate-localhost-6060-20261115T2354Z` */
export function gateFolderName(ref: TargetRef): string {
  return captureFolderName(ref).replace(/^oakum-/, 'oakum-gate-');
}

export class EvidenceFolder {
  /** As the user named it. */
  readonly name: string;
  readonly #path: string;
  #logs: Promise<void> = Promise.resolve();

  constructor(name: string, io: Pick<Io, 'cwd'>) {
    this.name = name;
    this.#path = resolve(io.cwd, name);
  }

  async save(name: string, body: Uint8Array, flag = 'w'): Promise<void> {
    const path = join(this.#path, name);
    try {
      await makeFolder(dirname(path));
      await writeFile(path, body, { flag });
    } catch (error) {
      throw new Failure('cannot-write', `open ${join(this.name, name)}: ${systemReason(error as Error)}`, {
        cause: error,
      });
    }
  }

  /** Undefined if it is not there. */
  async read(name: string): Promise<Uint8Array | undefined> {
    return readFile(join(this.#path, name)).catch(() => undefined);
  }

  /** Appends to a log, in order; a log that cannot be written does not end the gate. */
  log(name: string): (text: string) => void {
    return text => {
      this.#logs = this.#logs.then(() => this.save(name, encodeText(text), 'a')).catch(() => {});
    };
  }

  /** Until everything logged so far is on disk. */
  async flush(): Promise<void> {
    await this.#logs;
  }
}
