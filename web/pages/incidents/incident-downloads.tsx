/** The evidence of an incident, to take away. */
const REPORTS = [
  ['upstream', 'for the project'],
  ['provider', 'for the provider'],
  ['incident', 'for the team'],
] as const;

export function Downloads({ path, hasEvidence }: { readonly path: string; readonly hasEvidence: boolean }) {
  if (!hasEvidence)
    return (
      <section>
        <h2>Downloads</h2>
        <p class="muted">None: no profile was captured.</p>
      </section>
    );
  return (
    <section>
      <h2>Downloads</h2>
      <ul class="incident-downloads">
        <li>
          <a class="button" href={`${path}/bundle`} download>
            Evidence bundle
          </a>{' '}
          <span class="muted">redacted; opens with oakum analyze</span>
        </li>
        {REPORTS.map(([audience, text]) => (
          <li key={audience}>
            <a class="button" href={`${path}/report?for=${audience}`} download={`${audience}-report.md`}>
              Report {text}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
