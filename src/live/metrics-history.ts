/**
 * A database of metrics over time: Prometheus, Thanos, VictoriaMetrics and others. Answers are those of the Prometheus
 * HTTP API; `formats/range-query` reads them.
 */
import type { RequestLimits } from './target-connection.ts';
import type { Reply } from './reply.ts';

export interface RangeRequest {
  readonly query: string;
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly stepSeconds: number;
}

export interface MetricsHistory {
  /** `https://prometheus.example.com`, for messages. */
  readonly address: string;
  /** The values at one moment; now by default. */
  instant(query: string, limits: RequestLimits, atSeconds?: number): Promise<Reply>;
  range(request: RangeRequest, limits: RequestLimits): Promise<Reply>;
}
