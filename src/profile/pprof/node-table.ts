/**
 * Nodes: the program locations that a report distinguishes, and the nodes of each profile location.
 *
 *     locationStart  0 - 2 - 3 ...
 *     locationNodes [inlined caller] [f] ...      innermost first, as the location's lines
 */
import { basename, cleanPath } from '../../base/go-path.ts';
import type { Profile } from '../profile.ts';

export interface NodeInfo {
  readonly name: string;
  readonly address: bigint;
  readonly file: string;
  readonly startLine: number;
  readonly line: number;
  readonly column: number;
  readonly objectFile: string;
}

export interface NodeTable {
  readonly infos: readonly NodeInfo[];
  readonly locationStart: Uint32Array;
  readonly locationNodes: Uint32Array;
}

export interface NodeOptions {
  /** Distinguish object files and start lines, for reports on source and instructions. */
  readonly objectNames: boolean;
  /** Applied to function file names. */
  readonly trimPath?: (path: string) => string;
}

export function buildNodes(profile: Profile, options: NodeOptions): NodeTable {
  const { locations, functions, strings, mappings } = profile;
  const { lines } = locations;
  const infos: NodeInfo[] = [];
  const index = new Map<string, number>();
  const files = fileNames(profile, options.trimPath);
  const locationStart = new Uint32Array(locations.length + 1);
  const locationNodes = new Uint32Array(lines.length + locations.length);
  let length = 0;

  const intern = (info: NodeInfo): number => {
    const { name, file, line, column, address: at, startLine, objectFile } = info;
    // At function granularity, by far the most common, the name alone is the key. (No name holds a NUL.)
    const nameOnly = file === '' && line === 0 && column === 0 && at === 0n && startLine === 0 && objectFile === '';
    const key = nameOnly ? name : `${name}\0${file}\0${line}\0${column}\0${at}\0${startLine}\0${objectFile}`;
    let node = index.get(key);
    if (node === undefined) {
      node = infos.length;
      index.set(key, node);
      infos.push(info);
    }
    return node;
  };
  // At function granularity a line's node depends only on its function.
  const nodeOfFunction = new Int32Array(functions.length).fill(-1);

  for (let location = 0; location < locations.length; location++) {
    const address = locations.address[location];
    const mapping = locations.mapping[location];
    const objectFile = mapping < 0 ? '' : mappings[mapping].file;
    const from = locations.lineStart[location];
    const to = locations.lineStart[location + 1];
    if (from === to) locationNodes[length++] = intern(unnamed(address, objectFile));
    for (let i = from; i < to; i++) {
      const fn = lines.fn[i];
      if (fn < 0) {
        locationNodes[length++] = intern(unnamed(address, objectFile));
        continue;
      }
      const name = strings[functions.name[fn]];
      const line = Number(lines.line[i]);
      const column = Number(lines.column[i]);
      const byObject = options.objectNames || name === '';
      const wholeFunction = line === 0 && column === 0 && !byObject && address === 0n;
      if (wholeFunction && nodeOfFunction[fn] >= 0) {
        locationNodes[length++] = nodeOfFunction[fn];
        continue;
      }
      const node = intern({
        name,
        address,
        file: files[fn],
        startLine: byObject ? Number(functions.startLine[fn]) : 0,
        line,
        column,
        objectFile: byObject ? objectFile : '',
      });
      if (wholeFunction) nodeOfFunction[fn] = node;
      locationNodes[length++] = node;
    }
    locationStart[location + 1] = length;
  }
  return { infos, locationStart, locationNodes: locationNodes.subarray(0, length) };
}

function unnamed(address: bigint, objectFile: string): NodeInfo {
  return { name: '', address, file: '', startLine: 0, line: 0, column: 0, objectFile };
}

function fileNames(profile: Profile, trimPath: ((path: string) => string) | undefined): string[] {
  const { functions, strings } = profile;
  const known = new Map<number, string>();
  return Array.from(functions.filename, index => {
    let file = known.get(index);
    if (file === undefined) {
      const raw = trimPath === undefined ? strings[index] : trimPath(strings[index]);
      file = raw === '' ? '' : cleanPath(raw);
      known.set(index, file);
    }
    return file;
  });
}

/** Address, function and file position, as far as known. */
export function nameComponents(info: NodeInfo): string[] {
  const parts: string[] = [];
  if (info.address !== 0n) parts.push(info.address.toString(16).padStart(16, '0'));
  if (info.name !== '') parts.push(info.name);
  if (info.line !== 0) parts.push(`${info.file}:${info.line}${info.column === 0 ? '' : `:${info.column}`}`);
  else if (info.file !== '') parts.push(info.file);
  else if (info.name === '') parts.push(info.objectFile === '' ? '<unknown>' : `[${basename(info.objectFile)}]`);
  return parts;
}

export function printableName(info: NodeInfo): string {
  return nameComponents(info).join(' ');
}

/** The final tie-breaker of every order: the node as Go prints its struct. */
export function goStructText(info: NodeInfo): string {
  return `{${info.name}  ${info.address} ${info.file} ${info.startLine} ${info.line} ${info.column} ${info.objectFile}}`;
}
