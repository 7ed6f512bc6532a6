/** Folded stacks that form a tree of a given size, with names and depths like those of a large Go program. */
import { randomFrom } from './random.ts';

const FUNCTIONS = 4000;
const MAX_DEPTH = 48;

/** One line per leaf, so that the tree has exactly `nodes` nodes besides its root. */
export function makeFolded(nodes: number, seed = 7): string {
  const random = randomFrom(seed);
  const names = Array.from({ length: FUNCTIONS }, (_, i) => {
    const path = `k8s.io/made/pkg/part${i % 97}`;
    return i % 3 === 0 ? `${path}.(*worker${i % 13}).step${i}` : `${path}.run${i}`;
  });
  const stacks: string[] = [''];
  const depths: number[] = [0];
  const children: Set<number>[] = [new Set()];
  while (stacks.length <= nodes) {
    // Mostly below the last frame, since real stacks are deep before they are wide.
    const near = stacks.length - 1 - Math.floor(random() * Math.min(40, stacks.length));
    const parent = random() < 0.8 ? near : Math.floor(random() * stacks.length);
    if (depths[parent] >= MAX_DEPTH) continue;
    const fn = Math.floor(random() * FUNCTIONS);
    if (children[parent].has(fn)) continue;
    children[parent].add(fn);
    const stack = parent === 0 ? names[fn] : `${stacks[parent]};${names[fn]}`;
    stacks.push(stack);
    depths.push(depths[parent] + 1);
    children.push(new Set());
  }
  const leaves = stacks.filter((_, node) => node > 0 && children[node].size === 0);
  return leaves.map(stack => `${stack} ${1 + Math.floor(random() ** 4 * 500)}\n`).join('');
}
