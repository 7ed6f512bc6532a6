/** Roles as the YAML that `kubectl apply` takes. */
import { stringify } from 'yaml';
import type { Role } from '../plan/roles.ts';

export function rolesYaml(roles: readonly Role[]): string {
  return roles.map(({ note, manifest }) => `# ${note}\n${stringify(manifest, { lineWidth: 0 })}`).join('---\n');
}
