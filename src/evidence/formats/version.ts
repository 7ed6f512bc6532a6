/** A file that holds nothing but a version of Kubernetes, as `kubelet --version` or a shell script leaves it. */
import type { FileContent } from './file-content.ts';

const KUBE_VERSION = /^v\d+\.\d+\.\d+[\w.+-]*$/;
const MAX_BYTES = 200;

export function sniffVersion(file: FileContent): boolean {
  return file.bytes.length < MAX_BYTES && KUBE_VERSION.test(readVersion(file));
}

/** `v1.36.0` */
export function readVersion(file: FileContent): string {
  return file.start.split('\n', 1)[0].trim();
}
