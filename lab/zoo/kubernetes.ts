/**
 * Daemons of Kubernetes 1.36 as members: the recordings of a cluster of half an hour, with kubelets that leak contexts
 * (kubernetes#139823) and fixed ones. Of the control plane, there are profiles from the start and the end.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LabError } from '../lab-error.ts';
import { readScrapes } from './alert-rules.ts';
import type { Case } from './judge.ts';
import type { Truth } from './members.ts';

const NODES: Readonly<Record<string, Truth>> = {
  'leak-a': 'leak',
  'leak-b': 'leak',
  'leak-d': 'leak',
  'fix-a': 'healthy',
  // Pods ramp from 8 to 82.
  'fix-b': 'grows with its input',
  'fix-d': 'healthy',
  'xctl-fl': 'healthy',
};

const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'];

/** @param folder with a folder for each node, and control-plane/start and control-plane/end */
export function kubernetesCases(folder: string): Case[] {
  const nodes = Object.entries(NODES).filter(([name]) => existsSync(join(folder, name)));
  if (nodes.length === 0) throw new LabError(`${folder} has none of ${Object.keys(NODES).join(', ')}`);
  const ofNodes = nodes.map(([name, truth]) => {
    const path = join(folder, name);
    return { name, truth, ageMinutes: undefined, paths: [path], scrapes: readScrapes(path) };
  });
  const ofControlPlane = CONTROL_PLANE.map((name): Case => {
    const paths = ['start', 'end'].flatMap(moment => filesOf(join(folder, 'control-plane', moment), name));
    return { name, truth: 'healthy', ageMinutes: undefined, paths, scrapes: new Map() };
  });
  return [...ofNodes, ...ofControlPlane.filter(({ paths }) => paths.length > 0)];
}

function filesOf(folder: string, daemon: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(file => file.startsWith(`${daemon}-`) && !file.includes('-allocs'))
    .map(file => join(folder, file));
}
