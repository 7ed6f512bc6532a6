/** No cycles: between files, between their folders, between top folders. Type imports count like any other. */
import { cyclesOf, shortestCycle } from '../graph/cycles.ts';
import { folderOf, topOf } from '../graph/folders.ts';
import { type Arrow, fileGraph, folderGraph, type Graph } from '../graph/graph.ts';
import type { Offence } from './offence.ts';

export function cycleOffences(arrows: readonly Arrow[]): Offence[] {
  const found = [
    ...cyclesIn('files', fileGraph(arrows), arrows, path => path),
    ...cyclesIn('folders', folderGraph(arrows), arrows, folderOf),
    ...cyclesIn('folders', folderGraph(arrows, topFolderOf), arrows, topFolderOf),
  ];
  // Top folders without subfolders are on both levels.
  return [...new Map(found.map(cycle => [cycle.key, cycle])).values()];
}

function cyclesIn(level: string, graph: Graph, arrows: readonly Arrow[], name: (path: string) => string): Offence[] {
  return cyclesOf(graph).map(members => {
    const way = shortestCycle(graph, members);
    const steps = way.slice(1).flatMap((to, index) => {
      const step = arrows.find(arrow => name(arrow.from) === way[index] && name(arrow.to) === to);
      return step === undefined || level === 'files' ? [] : [`${step.from}:${step.load.line} imports ${step.to}`];
    });
    const problem = [`is in a cycle of ${level}: ${way.join(' -> ')}`, ...steps].join('\n    ');
    return { path: members[0], line: 0, problem, key: [level, ...members].join(' ') };
  });
}

function topFolderOf(path: string): string {
  return topOf(folderOf(path));
}
