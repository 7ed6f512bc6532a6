/**
 * The systemd drop-in that limits a kubelet. It prints; it changes nothing.
 *
 *     GOMEMLIMIT < MemoryMax < what the node can spare
 *
 * MemoryHigh is left out on purpose: a kubelet that is throttled stalls, misses its lease and turns NotReady, which is
 * worse than a clean kill and a restart.
 */
import { formatAge, formatBytes } from '../../base/say.ts';
import { distributionOf, unitOf } from './distribution.ts';
import type { NodeFacts } from './cluster-facts.ts';

const MIB = 1024 * 1024;
/** Below this a busy kubelet does not run well. */
const MIN_BYTES = 256 * MIB;
/** The collector works from here on; the rest is for what it does not count. */
const GO_SHARE = 0.85;

export interface LimitRequest {
  readonly node: Pick<
    NodeFacts,
    'name' | 'osImage' | 'operatingSystem' | 'kubeletVersion' | 'isControlPlane' | 'labels'
  >;
  /** MemoryMax. */
  readonly bytes: number;
  /** Where the leak is now and how fast it grows; null if that is not known. */
  readonly level: number | null;
  readonly slopePerHour: number | null;
}

/** The file, its name, how to install it, and what it does and does not cure. Undefined where there is no systemd unit. */
export interface LimitAdvice {
  readonly path: string;
  readonly file: string;
  readonly commands: readonly string[];
  readonly does: readonly string[];
  readonly doesNot: readonly string[];
}

export function limitProblem({ bytes }: Pick<LimitRequest, 'bytes'>): string | undefined {
  return bytes < MIN_BYTES ? `a kubelet needs at least ${formatBytes(MIN_BYTES)}` : undefined;
}

export function limitAdvice(request: LimitRequest): LimitAdvice | undefined {
  const { node, bytes, slopePerHour, level } = request;
  const unit = unitOf(distributionOf(node), node.isControlPlane);
  if (unit === undefined) return undefined;
  const goBytes = Math.floor((bytes * GO_SHARE) / MIB) * MIB;
  const path = `/etc/systemd/system/${unit}.service.d/90-oakum.conf`;
  const isInside = unit !== 'kubelet';
  return {
    path,
    file: [
      '[Service]',
      `Environment=GOMEMLIMIT=${goBytes / MIB}MiB`,
      `MemoryMax=${Math.floor(bytes / MIB)}M`,
      'Restart=always',
      'RestartSec=10',
      '',
    ].join('\n'),
    commands: ['sudo systemctl daemon-reload', `sudo systemctl restart ${unit}`],
    does: [
      `MemoryMax: at ${formatBytes(bytes)} the kernel kills the ${unit} alone, and systemd starts it again after 10 s; other processes of the node are safe from it`,
      `GOMEMLIMIT: above ${formatBytes(goBytes)} the Go collector works harder, so garbage does not count against the limit`,
      ...(slopePerHour !== null && slopePerHour > 0 && level !== null && level < bytes
        ? [
            `at the rate of now it is killed for the first time in about ${formatAge((3600 * (bytes - level)) / slopePerHour)}`,
          ]
        : []),
      ...(isInside ? [`the kubelet is inside ${unit}: the limits hold for all of it`] : []),
    ],
    doesNot: [
      'it does not cure a leak: what is live stays live, and GOMEMLIMIT frees none of it; near the limit the collector takes up to half of the CPU',
      'it does not keep evidence: the kernel kills without a dump; let oakum watch --capture take it before',
      'it does not limit goroutines, threads or file descriptors',
      'it has no MemoryHigh on purpose: a kubelet that is throttled misses its lease and its node turns NotReady',
      'a limit on the slice (kubeReservedCgroup, systemReservedCgroup) may be lower and kill earlier',
    ],
  };
}

/** A limit for a kubelet: the file to install, and what it does and does not cure. */

/** The file itself on stdout can be piped; so everything else is a comment. */
export function limitText(node: string, { path, file, commands, does, doesNot }: LimitAdvice): string {
  const lines = [
    `# ${path} on ${node}`,
    ...does.map(line => `# + ${line}`),
    ...doesNot.map(line => `# - ${line}`),
    `# Then: ${commands.join(' && ')}`,
    file.trimEnd(),
  ];
  return `${lines.join('\n')}\n`;
}
