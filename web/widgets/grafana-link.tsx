/** A link to the dashboard that the configuration names, for a target and a time. */
import { status } from '../state/live.ts';
import { grafanaUrl } from '../text/grafana-url.ts';

interface GrafanaLinkProps {
  readonly target: string;
  /** Unix seconds; to now if `to` is not given. */
  readonly from: number;
  readonly to: number | undefined;
}

export function GrafanaLink({ target, from, to }: GrafanaLinkProps) {
  const template = status.value?.grafana ?? null;
  if (template === null) return null;
  return (
    <a href={grafanaUrl(template, target, from, to)} target="_blank" rel="noreferrer">
      Grafana
    </a>
  );
}
