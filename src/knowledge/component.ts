/** Which version tells whether a program has a leak: its own, or that of the Kubernetes release it was built from. */
import { normaliseFrame } from '../profile/families/normalise.ts';
import type { Signature } from './known-leak.ts';

/** Programs whose version is that of Kubernetes; k3s and its like hold all of them. */
const KUBERNETES: ReadonlySet<string> = new Set(
  (
    'kubelet kube-apiserver kube-scheduler kube-controller-manager kube-proxy cloud-controller-manager kubectl ' +
    'kubernetes hyperkube kubemark k3s k0s rke2 kubelite'
  ).split(' '),
);
const ALL_IN_ONE: ReadonlySet<string> = new Set('kubernetes hyperkube kubemark k3s k0s rke2 kubelite'.split(' '));

/** Code that other programs are built with. */
const LIBRARIES: ReadonlySet<string> = new Set(['client-go', 'apimachinery']);

/** Packages that only these programs have. */
const OWN_PACKAGES: Readonly<Record<string, RegExp>> = {
  kcp: /^github\.com\/kcp-dev\//,
  containerd: /^github\.com\/containerd\/containerd\//,
};
const KUBERNETES_PACKAGES = /^k8s\.io\/(?:kubernetes|apiserver|kube-aggregator)[/.]/;

export type ComponentVersion =
  /** `version` can be held against the leak's ranges; '' when it is not known. */
  | { readonly kind: 'comparable'; readonly version: string }
  /** The leak is in a library, and which version of it the program has is not known. */
  | { readonly kind: 'inside-another' }
  /** The leak belongs to another program. */
  | { readonly kind: 'other-program' };

/** `component` is '' when nothing tells which program it is; then its version is taken to be of the leak's program. */
export function componentVersion(leakComponent: string, component: string, version: string): ComponentVersion {
  const comparable = { kind: 'comparable', version: release(component, version) } as const;
  if (component === '' || component === leakComponent) return comparable;
  if (LIBRARIES.has(leakComponent)) {
    return KUBERNETES.has(component) || LIBRARIES.has(component) ? comparable : { kind: 'inside-another' };
  }
  const holds = KUBERNETES.has(leakComponent) && KUBERNETES.has(component);
  return holds && (ALL_IN_ONE.has(leakComponent) || ALL_IN_ONE.has(component)) ? comparable : { kind: 'other-program' };
}

/** Does the stack itself say which program it is of? Code of a library does not, nor does a copy that is compared as it. */
export function namesProgram(leakComponent: string, signature: Signature): boolean {
  const own = OWN_PACKAGES[leakComponent] ?? (KUBERNETES.has(leakComponent) ? KUBERNETES_PACKAGES : undefined);
  if (own === undefined) return LIBRARIES.has(leakComponent);
  return [...signature.frames, ...signature.createdBy].some(frame => own.test(normaliseFrame(frame)));
}

/** client-go 0.36.2 is of Kubernetes 1.36.2. */
function release(component: string, version: string): string {
  return LIBRARIES.has(component) ? version.replace(/^v?0\./, '1.') : version;
}
