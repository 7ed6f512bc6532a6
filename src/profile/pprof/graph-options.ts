/** What a graph is made of and how much of it is kept. Reports derive it from their name and pprof's flags. */
import type { Profile } from '../profile.ts';
import type { NodeOptions } from './node-table.ts';
import type { TagOptions } from './node-tags.ts';
import type { Weights } from './tally.ts';

export interface GraphOptions extends NodeOptions, TagOptions {
  readonly profile: Profile;
  readonly weights: Weights;
  /** A drawing picks nodes by how they are connected, and its nodes carry tags. */
  readonly drawing: boolean;
  /** A location reached through different callers is a different node. */
  readonly callTree: boolean;
  /** Which edges are needed: all, or only those into nodes that are inlined somewhere. */
  readonly edges: 'all' | 'inlined';
  /** The order of the nodes, except in drawings. */
  readonly sort: 'flat' | 'cum';
  /** Nodes to keep; 0 keeps all. */
  readonly nodeCount: number;
  /** Nodes and edges below this share of the sum of the nodes are dropped. */
  readonly nodeFraction: number;
  readonly edgeFraction: number;
  readonly dropNegative: boolean;
}
