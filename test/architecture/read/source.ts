/** What the rules know about a source file. */

/** A module, or a file beside the code, that a file loads; `specifier` is undefined if it is computed. */
export interface Load {
  /** `url`: named beside `import.meta.url`, which may also name data or something that is built later. */
  readonly kind: 'module' | 'url';
  readonly specifier: string | undefined;
  readonly line: number;
}

/** A global, or a use of one: `process`, `Math.random`, `new Date()`, `import.meta`. */
export interface GlobalUse {
  readonly name: string;
  readonly line: number;
}

export interface Source {
  readonly loads: readonly Load[];
  readonly globals: readonly GlobalUse[];
  /** Functions that load code without an import: `createRequire`, `getBuiltinModule`. */
  readonly loaders: readonly GlobalUse[];
  /** Lines that re-export what another module exports. */
  readonly reexports: readonly number[];
  /** Lines with `declare`, which may give a global another meaning. */
  readonly ambient: readonly number[];
}
