/** What the rules know of one source file. */

/** A module, or a file beside the code, that a file loads; `specifier` is undefined where it is computed. */
export interface Load {
  /** `url`: named beside `import.meta.url`, which may also name data or something that is built later. */
  readonly kind: 'module' | 'url';
  readonly specifier: string | undefined;
  readonly line: number;
}

/** A global, or a use of one that matters: `process`, `Math.random`, `new Date()`, `import.meta`. */
export interface GlobalUse {
  readonly name: string;
  readonly line: number;
}

export interface Source {
  readonly loads: readonly Load[];
  readonly globals: readonly GlobalUse[];
  /** Names of functions that load code past every import: `createRequire`, `getBuiltinModule`. */
  readonly loaders: readonly GlobalUse[];
  /** Lines that pass on what another module exports. */
  readonly reexports: readonly number[];
  /** Lines with `declare`, which may give a global another meaning. */
  readonly ambient: readonly number[];
}
