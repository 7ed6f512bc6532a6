/** Which modules to look into, and which range of their releases. */
import type { BisectedVersion, VersionFamily } from './bisection.ts';

const VERSION = /^v?\d+\.\d+/;

export function whatToRead(good: BisectedVersion, bad: BisectedVersion, families: readonly VersionFamily[]): string[] {
  const modules = [...new Set(families.map(one => moduleOf(one.package)).filter(name => name !== ''))];
  const [from, to] = [good.version ?? good.name, bad.version ?? bad.name];
  const range = `${from} to ${to}`;
  const lines = modules.map(module => {
    const repository = repositoryOf(module);
    const link =
      repository === undefined || !VERSION.test(from) || !VERSION.test(to)
        ? ''
        : `: https://${repository}/compare/${tag(from)}...${tag(to)}`;
    // A dependency has versions of its own: the program's go.mod says which.
    return module === 'k8s.io/kubernetes' || repository === undefined
      ? `${module}, ${range}${link}`
      : `${module}, the versions that go.mod had at ${range}`;
  });
  const [minor] = /^\d+\.\d+/.exec(to.replace(/^v/, '')) ?? [];
  if (modules.includes('k8s.io/kubernetes') && minor !== undefined) {
    lines.push(`release notes: https://github.com/kubernetes/kubernetes/blob/master/CHANGELOG/CHANGELOG-${minor}.md`);
  }
  if (good.goVersion !== null && bad.goVersion !== null && good.goVersion !== bad.goVersion) {
    lines.push(`the Go release changed as well: ${good.goVersion} to ${bad.goVersion}`);
  }
  return lines;
}

function tag(version: string): string {
  return version.startsWith('v') ? version : `v${version}`;
}

/** The module of a package, by how hosts name them; '' for the standard library. */
export function moduleOf(name: string): string {
  const parts = name.split('/');
  const [host = ''] = parts;
  if (!host.includes('.')) return '';
  const length = host === 'k8s.io' || host === 'sigs.k8s.io' || host === 'go.etcd.io' || host === 'gopkg.in' ? 2 : 3;
  const isMajor = /^v\d+$/.test(parts[length] ?? '');
  return parts.slice(0, isMajor ? length + 1 : length).join('/');
}

function repositoryOf(module: string): string | undefined {
  if (module === 'k8s.io/kubernetes') return 'github.com/kubernetes/kubernetes';
  const [host, ...rest] = module.split('/');
  if (host === 'k8s.io') return `github.com/kubernetes/${rest.join('/')}`;
  if (host === 'sigs.k8s.io') return `github.com/kubernetes-sigs/${rest.join('/')}`;
  return host === 'github.com' ? `github.com/${rest.slice(0, 2).join('/')}` : undefined;
}
