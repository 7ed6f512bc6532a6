/** Which version tells whether a component has a leak: its own, or that of the Kubernetes release it was built from. */

const KUBERNETES: ReadonlySet<string> = new Set([
  'kubelet',
  'kube-apiserver',
  'kube-scheduler',
  'kube-controller-manager',
  'kube-proxy',
  'cloud-controller-manager',
  'kubectl',
]);

/** Code that other programs are built with; `kubernetes` stands for any Kubernetes program. */
const LIBRARIES: ReadonlySet<string> = new Set(['client-go', 'apimachinery', 'kubernetes']);

export type ComponentVersion =
  /** `version` can be held against the leak's ranges; '' when it is not known. */
  | { readonly kind: 'comparable'; readonly version: string }
  /** The leak is in a library, and which version of it the program has is not known. */
  | { readonly kind: 'inside-another'; readonly component: string }
  /** The leak belongs to another program. */
  | { readonly kind: 'other-program'; readonly component: string };

export function componentVersion(leakComponent: string, component = '', version = ''): ComponentVersion {
  if (component === '' || component === leakComponent)
    return { kind: 'comparable', version: release(component, version) };
  if (!LIBRARIES.has(leakComponent)) return { kind: 'other-program', component };
  if (KUBERNETES.has(component) || LIBRARIES.has(component)) {
    return { kind: 'comparable', version: release(component, version) };
  }
  return leakComponent === 'kubernetes' ? { kind: 'other-program', component } : { kind: 'inside-another', component };
}

/** client-go 0.36.2 is of Kubernetes 1.36.2. */
function release(component: string, version: string): string {
  const isModule = component === 'client-go' || component === 'apimachinery';
  return isModule ? version.replace(/^(v?)0\./, (_, v: string) => `${v}1.`) : version;
}
