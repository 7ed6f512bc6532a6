/** What the rules know about a source file. */

/** A module, or a file beside the code, that a file loads; `specifier` is undefined if it is computed. */
export interface Load {
  /** `call`: import(). `url`: named beside `import.meta.url`, which may also name data or something that is built later. */
  readonly kind: 'module' | 'call' | 'url';
  readonly specifier: string | undefined;
  readonly line: number;
  /** What it takes from the module; undefined if that may be anything. */
  readonly names?: readonly string[] | undefined;
}

/** A name and where it stands: a global (`process.env`, `Math.random`, `new Date()`), a loader, an export. */
export interface Named {
  readonly name: string;
  readonly line: number;
}

/** A problem that a rule sees in the file alone. */
export interface Found {
  readonly rule: string;
  readonly line: number;
  readonly problem: string;
  readonly weight?: number;
  /** What an exception for it would name. */
  readonly what?: string;
}

export interface Source {
  readonly loads: readonly Load[];
  readonly globals: readonly Named[];
  /** Functions that load code without an import: `createRequire`, `getBuiltinModule`. */
  readonly loaders: readonly Named[];
  /** Without types that another export of the file names: they are part of that. */
  readonly exports: readonly Named[];
  /** Lines that re-export what another module exports. */
  readonly reexports: readonly number[];
  /** Lines with `declare`, which may give a global another meaning. */
  readonly ambient: readonly number[];
  /** The longer functions and classes at the top of the file, with their text on one line. */
  readonly functions: readonly (Named & { readonly text: string })[];
  readonly found: readonly Found[];
}
