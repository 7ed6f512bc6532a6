/** `oakum access`: the roles that Oakum needs, as YAML. */
import { ROLE_NAMES, rolesFor } from '../../act/plan/rights.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { choice, name, isNamespace } from '../options/kinds.ts';
import { rolesYaml } from '../../act/plan/plan-text.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import type { Io } from '../io.ts';

const line = commandLine({
  name: 'access',
  usage: ['--for watch|capture|condition|act|approve|replicas [options]'],
  examples: [
    ['oakum access --for watch | kubectl apply -f -'],
    ['oakum access --for condition', 'for oakum watch --node-condition'],
    ['oakum access --for act', 'the rights of oakum apply, in a role of their own'],
    ['oakum access --for act --via pod', 'with a namespace that lets the restart pod in'],
    ['oakum access --for replicas --replica-namespace monitoring', 'for oakum watch --replica lease'],
  ],
  about:
    'Prints ClusterRoles and Roles as YAML. It asks no cluster and binds nobody: bind a role to a person, for as long as they need it.',
  operands: {},
  options: {
    for: choice(ROLE_NAMES)({ placeholder: 'WHAT', help: '' }),
    via: choice(['command', 'pod', 'print'])({
      default: 'print',
      help: 'how kubelets are restarted; a pod needs more rights',
    }),
    lockNamespace: name({ default: 'oakum', help: 'namespace of the lock and of the restart pod' }),
    replicaNamespace: name({ default: 'oakum', help: 'for replicas: namespace of their Leases' }),
  },
  request: ({ for: role, via, lockNamespace, replicaNamespace }, operands) => {
    if (role === undefined) throw new Failure('usage', `access needs --for ${ROLE_NAMES.join(', ')}`);
    if (operands.length > 0) throw new Failure('usage', `access takes no argument, got ${operands.join(' ')}`);
    if (!isNamespace(replicaNamespace))
      throw new Failure('usage', `--replica-namespace: ${replicaNamespace} is not a namespace`);
    return { role, namespace: lockNamespace, withPod: via === 'pod', replicaNamespace };
  },
});

export const command: Command = defineCommand(line, printRoles);

async function printRoles({ role, ...options }: RequestOf<typeof line>, io: Io): Promise<number> {
  io.stdout.write(rolesYaml(rolesFor(role, options)));
  return EXIT.done;
}
