/** The import path of the package that a source file belongs to, as far as the path shows it. */
import { COPY_MARKS } from './rules.ts';

/**
 *     /go/pkg/mod/k8s.io/apimachinery@v0.36.0/pkg/util/wait/wait.go   k8s.io/apimachinery/pkg/util/wait
 *     k8s.io/kubernetes/vendor/k8s.io/klog/v2/klog.go                 k8s.io/klog/v2
 *     /usr/local/go/src/net/http/server.go                            net/http
 *     /go/src/k8s.io/kubernetes/_output/go/src/k8s.io/api/x.go         k8s.io/api
 *     /home/me/leak/main.go                                           '' (only the build knows)
 */
export function packageOfFile(file: string): string {
  const slash = file.lastIndexOf('/');
  if (slash <= 0) return '';
  const dir = file.slice(0, slash);
  for (const mark of COPY_MARKS) {
    const at = dir.lastIndexOf(mark);
    if (at >= 0) return withoutVersion(dir.slice(at + mark.length));
  }
  const module = dir.lastIndexOf('/pkg/mod/');
  if (module >= 0) return withoutVersion(dir.slice(module + '/pkg/mod/'.length));
  if (!dir.startsWith('/') && !/^[A-Za-z]:/.test(dir)) return withoutVersion(dir);
  return withoutVersion(dir.slice(sourceRoot(dir)));
}

/** Where the last GOPATH or GOROOT in a path ends; builds in a container nest them. */
function sourceRoot(dir: string): number {
  const roots = [...dir.matchAll(/\/go[^/]*\/src\//g)];
  const last = roots.at(-1);
  return last === undefined ? dir.length : last.index + last[0].length;
}

/** Removes module versions, and decodes `!x`, which the module cache writes for `X`. */
function withoutVersion(path: string): string {
  return path.replace(/@[^/]*/, '').replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
