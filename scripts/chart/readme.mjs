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
| act | only with \`rbac.act.create\`: patch nodes, evict pods, the lock; with \`rbac.act.restartPod\` a privileged pod | people who run \`oakum apply\`, never the watch |

The pod runs under the restricted Pod Security Standard, with a read-only root file system. One replica writes the store, so upgrades recreate it.

## Values

| value | default | what it is |
| --- | --- | --- |
${rows.join('\n')}
`;
}
