/** What a known leak needs besides the version, judged against what is known of the target. */
import type { Precondition } from './known-leak.ts';
import { compareVersions, parseVersion } from './version.ts';

/** What is known of a target; leave out what is not. */
export interface TargetFacts {
  /** `kubelet`, `kube-apiserver`, `kcp` ... */
  readonly component?: string | undefined;
  readonly version?: string | undefined;
  readonly goVersion?: string | undefined;
  readonly featureGates?: ReadonlyMap<string, boolean> | undefined;
  readonly cgroupVersion?: number | undefined;
  /** `5.15.0-1034-aws`. */
  readonly kernel?: string | undefined;
  /** `linux`, `windows`. */
  readonly os?: string | undefined;
}

export type PreconditionState = 'met' | 'not-met' | 'unknown';

export interface PreconditionJudgement {
  readonly state: PreconditionState;
  /** A sentence. */
  readonly why: string;
}

export function judgePrecondition(precondition: Precondition, facts: TargetFacts): PreconditionJudgement {
  const { kind, value, note } = precondition;
  const [state, seen] = judge(precondition, facts);
  const requirement = `needs ${KIND_NAMES[kind]} ${value}${note === '' ? '' : ` (${note})`}`;
  switch (state) {
    case 'met':
      return { state, why: `${requirement}: met, ${seen}` };
    case 'not-met':
      return { state, why: `${requirement}: not met, ${seen}` };
    case 'unknown':
      return { state, why: `${requirement}: not known here` };
  }
}

const KIND_NAMES: Readonly<Record<Precondition['kind'], string>> = {
  'feature-gate': 'feature gate',
  kernel: 'kernel',
  cgroup: 'cgroup',
  runtime: 'runtime',
  flag: 'flag',
  workload: 'workload:',
  os: 'operating system',
};

function judge({ kind, value }: Precondition, facts: TargetFacts): [PreconditionState, string] {
  switch (kind) {
    case 'feature-gate': {
      const [name = '', wanted = 'true'] = value.split('=');
      const on = facts.featureGates?.get(name);
      return on === undefined ? UNKNOWN : [yes(String(on) === wanted), `${name} is ${on ? 'on' : 'off'}`];
    }
    case 'cgroup': {
      const version = facts.cgroupVersion;
      return version === undefined ? UNKNOWN : [yes(value === `v${version}`), `cgroup v${version}`];
    }
    case 'kernel':
      return facts.kernel === undefined ? UNKNOWN : compare(facts.kernel, value, `kernel ${facts.kernel}`);
    case 'runtime': {
      const wanted = /^go (.+)$/.exec(value)?.[1];
      if (wanted === undefined || facts.goVersion === undefined) return UNKNOWN;
      return compare(facts.goVersion.replace(/^go/, ''), wanted, facts.goVersion);
    }
    case 'os': {
      const os = facts.os?.toLowerCase();
      if (os === undefined || !['linux', 'windows', 'darwin'].includes(os)) return UNKNOWN;
      return [yes(os === value), os];
    }
    case 'flag':
    case 'workload':
      return UNKNOWN;
  }
}

const UNKNOWN: [PreconditionState, string] = ['unknown', ''];

function yes(met: boolean): PreconditionState {
  return met ? 'met' : 'not-met';
}

/** `>=5.15`, `<1.5.8`, `>=1.2 <1.4`. */
function compare(got: string, wanted: string, seen: string): [PreconditionState, string] {
  const version = parseVersion(got);
  const bounds = Array.from(wanted.matchAll(/(>=|<=|<|>|=)\s*(\S+)/g));
  if (version === undefined || bounds.length === 0) return UNKNOWN;
  let met = true;
  for (const [, operator = '', text = ''] of bounds) {
    const bound = parseVersion(text);
    if (bound === undefined) return UNKNOWN;
    const order = compareVersions(version, bound);
    met &&= operator.includes('=') && order === 0 ? true : operator.includes('<') ? order < 0 : order > 0;
    if (operator === '=' && order !== 0) met = false;
  }
  return [yes(met), seen];
}
