/** The nodes of a call tree before it has a layout, in columns. Node 0 is the root; a parent comes before its children. */
export interface TreeNodes {
  readonly length: number;
  readonly parents: Uint32Array;
  /** Index into the frame list; 0 for the root, too. */
  readonly frames: Uint32Array;
  /** Self values; `before` is all zero unless two profiles are compared. */
  readonly after: Float64Array;
  readonly before: Float64Array;
  /** The range of a node's lines; 0 when unknown. */
  readonly firstLines: Uint32Array;
  readonly lastLines: Uint32Array;
}
