// The chart's README.md from Chart.yaml and values.yaml.

export function readmeOf(chart, values) {
  const rows = values.map(({ path, value, about }) => {
    const shown = JSON.stringify(value).replaceAll('|', '\\|');
    return `| \`${path.join('.')}\` | \`${shown === '""' ? "''" : shown}\` | ${about.replaceAll('|', '\\|')} |`;
  });
  return `# Oakum's chart

<!-- Made by \`npm run chart\` from Chart.yaml and values.yaml; edit those. -->

${chart.description} Version ${chart.version}, for Kubernetes ${chart.kubeVersion.replace('-0', '')}.

\`\`\`text
helm install oakum deploy/helm/oakum --namespace oakum --create-namespace
helm test oakum --namespace oakum
\`\`\`

## Rights

| role | granted | to |
| --- | --- | --- |
| watch | by default: \`get\`, \`list\`, \`watch\` nodes; \`list\`, \`watch\` events and pods; \`get\` nodes/metrics, nodes/stats, nodes/configz | the service account |
| capture | only with \`capture.enabled\` or \`rbac.capture.subjects\`: \`get\` nodes/proxy, **which allows commands in every container of every node** | the service account, or people |
| replicas | only with \`replicaCount\` > 1 in the one cluster that is watched: \`get\`, \`list\`, \`create\`, \`update\`, \`delete\` leases in the namespace of the release | the service account |
| act | only with \`rbac.act.create\`: patch nodes, evict pods, the lock; with \`rbac.act.restartPod\` a privileged pod | people who run \`oakum apply\`, never the watch |

The pod runs under the restricted Pod Security Standard, with a read-only root file system.

## Store, bucket, replicas, clusters

By default one pod keeps a SQLite file in its volume; upgrades recreate it. No value takes a secret: name Secrets that exist.

\`\`\`text
kubectl -n oakum create secret generic oakum-store --from-literal=url='postgres://oakum:PASSWORD@db.example.com/oakum?sslmode=verify-full&sslrootcert=/etc/oakum/store/ca.crt' --from-file=ca.crt
kubectl -n oakum create secret generic oakum-bucket --from-file=credentials=$HOME/.aws/credentials
kubectl -n oakum create secret generic oakum-clusters --from-file=clusters/
\`\`\`

| you want | values |
| --- | --- |
| the store in PostgreSQL | \`store.existingSecret=oakum-store\`; every key of the Secret is a file in \`/etc/oakum/store\` |
| captures in S3 | \`evidence.url=s3://bucket/prefix\`, and \`evidence.existingSecret=oakum-bucket\` or a role in \`serviceAccount.annotations\`; the volume has what waits for the bucket |
| replicas | \`replicaCount=3\`, with both of the above: a StatefulSet instead of the Deployment, a volume and a name for each, spread over nodes and zones, with a PodDisruptionBudget, updated one after the other |
| several clusters | \`clusters.existingSecret=oakum-clusters\`, with \`clusters.own=NAME\` for the cluster that it runs in; kubeconfigs with a token or a certificate, since the image has no credential plugins |

The claim of a single pod stays after \`helm uninstall\` and after an upgrade to replicas, as do those of replicas. Settings of \`persistence\` cannot be changed while there are replicas: \`kubectl delete statefulset --cascade=orphan\` first. A changed Secret is read when the pod starts; only the credentials of a bucket are read again.

## Values

| value | default | what it is |
| --- | --- | --- |
${rows.join('\n')}
`;
}
