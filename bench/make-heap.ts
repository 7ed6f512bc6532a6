/**
 * A large heap profile, shaped like those of kubelet, etcd and kube-controller-manager: about 1.5 locations per
 * function, 4 to 11 % of frames with something inlined, a few hundred functions above half a percent, stacks that
 * share their upper frames, four value columns and a `bytes` label.
 */
import { ProfileBuilder } from '../src/profile/profile-builder.ts';
import type { Profile } from '../src/profile/profile.ts';
import { randomFrom } from './random.ts';

const FUNCTIONS = 20_000;
const CALL_SITES_PER_FUNCTION = 2;
const INLINING_SITES = 0.08;
const PACKAGES = [
  'k8s.io/kubernetes/pkg/kubelet',
  'k8s.io/client-go/tools/cache',
  'google.golang.org/grpc',
  'net/http',
];

export function makeHeapProfile(sampleCount: number, depth: number): Profile {
  const random = randomFrom(42);
  const below = (limit: number): number => Math.floor(random() * limit);
  const builder = new ProfileBuilder([
    { type: 'alloc_objects', unit: 'count' },
    { type: 'alloc_space', unit: 'bytes' },
    { type: 'inuse_objects', unit: 'count' },
    { type: 'inuse_space', unit: 'bytes' },
  ]);
  builder.addMapping({
    start: 0x400000n,
    limit: 0x4000000n,
    file: '/usr/bin/kubelet',
    buildId: 'b'.repeat(40),
    hasFunctions: true,
  });

  // Call sites: a location in each function, some with one or two callees inlined into it.
  const sites: number[] = [];
  const calleeOf: number[] = [];
  const fns: number[] = [];
  for (let f = 0; f < FUNCTIONS; f++) {
    const pkg = PACKAGES[f % PACKAGES.length];
    fns.push(
      builder.internFunction(`${pkg}.(*type${f % 97}).method${f}`, `/src/${pkg}/file${f % 301}.go`, undefined, 10),
    );
  }
  for (let f = 0; f < FUNCTIONS; f++) {
    for (let site = 0; site < CALL_SITES_PER_FUNCTION; site++) {
      // The compiler inlines small functions: one in ten here.
      const inlined = Array.from(
        { length: random() < INLINING_SITES ? 1 + below(2) : 0 },
        () => Math.floor((FUNCTIONS / 10) * random() ** 3) * 10 + 9,
      );
      sites.push(
        builder.addLocation({
          mapping: 0,
          address: BigInt(0x401000 + sites.length * 16),
          lines: [...inlined, f].map((fn, i) => ({ fn: fns[fn], line: 20 + site * 7 + i })),
        }),
      );
      // Most calls go to a few popular callees, as in real programs.
      calleeOf.push(Math.floor(FUNCTIONS * random() ** 6));
    }
  }

  const stack = new Array<number>(depth);
  for (let sample = 0; sample < sampleCount; sample++) {
    let fn = below(8); // a handful of roots
    for (let level = depth - 1; level >= 0; level--) {
      const site = fn * CALL_SITES_PER_FUNCTION + Math.floor(CALL_SITES_PER_FUNCTION * random() ** 1.5);
      stack[level] = sites[site];
      fn = calleeOf[site];
    }
    const size = 16 << below(14);
    const allocated = 1 + below(5000);
    const inUse = random() < 0.5 ? 0 : 1 + below(allocated);
    builder.addSample(stack, [allocated, allocated * size, inUse, inUse * size], [{ key: 'bytes', num: size }]);
  }
  return builder.finish({
    periodType: { type: 'space', unit: 'bytes' },
    period: 524288n,
    timeNanos: 1_700_000_000n * 10n ** 9n,
  });
}
