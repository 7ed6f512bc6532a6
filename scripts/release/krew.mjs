// The krew manifest of a release, and krew's own rules for it (krew v0.4.5, internal/index/validation).
import { stringify } from 'yaml';

/** The platforms of a release: krew's os and arch, and the end of the archive's name. */
export const PLATFORMS = [
  { os: 'linux', arch: 'amd64' },
  { os: 'linux', arch: 'arm64' },
  { os: 'darwin', arch: 'amd64' },
  { os: 'darwin', arch: 'arm64' },
  { os: 'windows', arch: 'amd64' },
];

export function archiveName({ os, arch }) {
  return `oakum-${os}-${arch}.${os === 'windows' ? 'zip' : 'tar.gz'}`;
}

/** `archives`: [{ os, arch, sha256 }]; `baseUrl` is where they will be. */
export function krewManifest({ version, baseUrl, homepage, archives }) {
  return {
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'oakum' },
    spec: {
      version: `v${version}`,
      homepage,
      shortDescription: 'Find and prove leaks in kubelets and other Go daemons',
      description: `Finds, proves and explains leaks in Go control planes: the kubelet first, and
the API server, controllers, operators, containerd, etcd or any Go daemon
with /debug/pprof. Reads metrics, profiles, goroutine dumps and logs; says
what leaks, since when, how fast, which known issue it is and when the limit
is reached. Read-only unless asked.
`,
      caveats: `Metrics need get on nodes/metrics. Profiles need get on nodes/proxy, which
allows commands in every container of a node: run "kubectl oakum doctor
node/NAME" to see what you may do.
`,
      platforms: archives.map(({ os, arch, sha256 }) => {
        const bin = os === 'windows' ? 'oakum.exe' : 'oakum';
        return {
          selector: { matchLabels: { os, arch } },
          uri: `${baseUrl}/${archiveName({ os, arch })}`,
          sha256,
          bin,
          files: [
            { from: bin, to: '.' },
            { from: 'LICENSE', to: '.' },
            { from: 'NOTICE', to: '.' },
          ],
        };
      }),
    },
  };
}

export function krewText(manifest) {
  return stringify(manifest, { lineWidth: 0 });
}

const SAFE_NAME = /^[\w-]+$/;
const WINDOWS_RESERVED = /^(?:CON|PRN|AUX|NUL|COM\d|LPT\d)$/i;
const SEMVER = /^v(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[\w.-]+)?(?:\+[\w.-]+)?$/;

/** What krew would refuse; empty if nothing. `fileName` is that of the manifest without its ending. */
export function krewProblems(manifest, fileName) {
  const problems = [];
  const check = (holds, problem) => {
    if (!holds) problems.push(problem);
  };
  const { apiVersion, kind, metadata = {}, spec = {} } = manifest;
  check(apiVersion === 'krew.googlecontainertools.github.com/v1alpha2', 'apiVersion is not krew v1alpha2');
  check(kind === 'Plugin', 'kind is not Plugin');
  check(SAFE_NAME.test(metadata.name ?? '') && !WINDOWS_RESERVED.test(metadata.name), 'the name is not safe');
  check(metadata.name === fileName, 'the name is not that of the file');
  check(SEMVER.test(spec.version ?? ''), 'the version is no semantic version with v');
  check((spec.shortDescription ?? '') !== '', 'there is no shortDescription');
  check(!/[\r\n]/.test(spec.shortDescription ?? ''), 'shortDescription has more than one line');
  check(Array.isArray(spec.platforms) && spec.platforms.length > 0, 'there are no platforms');
  for (const [i, platform] of (spec.platforms ?? []).entries()) {
    const { uri, sha256, bin, selector, files } = platform;
    const at = `platforms[${i}]`;
    check(/^https?:\/\/.+\.(?:zip|tar\.gz)$/.test(uri ?? ''), `${at}: uri is no .zip or .tar.gz`);
    check(/^[0-9a-f]{64}$/.test(sha256 ?? ''), `${at}: sha256 has not 64 hex digits`);
    check((bin ?? '') !== '', `${at}: there is no bin`);
    check(selector !== undefined && selector !== null, `${at}: there is no selector`);
    const labels = { ...selector?.matchLabels };
    const expressions = (selector?.matchExpressions ?? []).map(({ key }) => key);
    check(
      [...Object.keys(labels), ...expressions].every(key => key === 'os' || key === 'arch'),
      `${at}: selector has another key than os and arch`,
    );
    check(files === undefined || files.length > 0, `${at}: files is empty`);
    check(
      (files ?? []).every(({ from, to }) => Boolean(from) && Boolean(to)),
      `${at}: a file has no from or no to`,
    );
    check(labels.os !== 'windows' || /\.exe$/.test(bin ?? ''), `${at}: bin of Windows is no .exe`);
  }
  return problems;
}
