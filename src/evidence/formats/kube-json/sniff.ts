/** Whether JSON comes from Kubernetes: objects as kubectl prints them, versions, a kubelet's configuration or statistics. */
import { listOf, recordOf, textOf } from '../../../base/json.ts';
import type { FileContent } from '../file-content.ts';

/** For JSON that is cut, and for objects that follow one another, the first kilobytes decide. */
export function sniffKubeJson(file: FileContent): boolean {
  if (!file.isJsonLike) return false;
  if (file.json === undefined) return kindInStart(file) !== undefined;
  const root = recordOf(file.json);
  const server = recordOf(root['serverVersion'] ?? root['clientVersion'] ?? root);
  return (
    textOf(root['kind']) !== '' ||
    listOf(root['items']).length > 0 ||
    textOf(server['gitVersion']) !== '' ||
    Object.keys(recordOf(root['kubeletconfig'])).length > 0 ||
    textOf(recordOf(root['node'])['nodeName']) !== ''
  );
}

/** The first kind named in JSON that cannot be parsed as a whole: `Node` of a NodeList. */
export function kindInStart({ start }: FileContent): string | undefined {
  return /"kind": ?"(\w+?)(?:List)?"/.exec(start)?.[1];
}
