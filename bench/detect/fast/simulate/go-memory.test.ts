import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { diceFrom } from '../../simulate/dice.ts';
import { runGoMemory } from './go-memory.ts';
import { drawApplication } from './process-traits.ts';

const MB = 1e6;

describe('the memory of a Go process', () => {
  const dice = diceFrom(3);
  const traits = { ...drawApplication('application-0', dice), gogc: 1, noiseShare: 0.01, fragmentation: 1.1 };
  const minutes = 600;
  // 100 MB, a relist to 200 MB in the middle, 100 MB again.
  const reachableBytes = new Float64Array(minutes).map((_, minute) => (minute >= 200 && minute < 260 ? 200 : 100) * MB);
  const load = {
    reachableBytes,
    goroutines: new Float64Array(minutes).fill(500),
    threads: new Float64Array(minutes).fill(20),
    begins: new Set<number>(),
  };

  it('is collected every two minutes when it allocates little: live in steps, a small sawtooth', () => {
    const memory = runGoMemory({ ...load, allocationBytesPerSecond: 0.1 * MB }, traits, dice);
    const changes = memory.liveBytes.filter((bytes, i) => i > 0 && bytes !== memory.liveBytes[i - 1]).length;
    assert.ok(Math.abs(changes - minutes / 2) < 5, `${changes} collections in ${minutes} min`);
    const garbage = memory.heapAllocBytes.map((bytes, i) => bytes - memory.liveBytes[i]);
    assert.ok(Math.max(...garbage) <= 12.1 * MB);
  });

  it('climbs to its goal when it allocates much', () => {
    const memory = runGoMemory({ ...load, allocationBytesPerSecond: 50 * MB }, traits, dice);
    const share = memory.heapAllocBytes.map((bytes, i) => bytes / memory.liveBytes[i]).subarray(0, 200);
    assert.ok(Math.min(...share) < 1.1 && Math.max(...share) > 1.8 && Math.max(...share) <= 2.001);
    assert.ok(memory.nextGcBytes.every((bytes, i) => bytes >= memory.heapAllocBytes[i]));
  });

  it('gives memory back slowly', () => {
    const memory = runGoMemory(
      { ...load, allocationBytesPerSecond: 5 * MB },
      { ...traits, scavengerMinutes: 60 },
      dice,
    );
    const at = (minute: number): number => memory.residentBytes[minute];
    assert.ok(at(250) > at(190) + 150 * MB);
    assert.ok(at(275) > at(190) + 100 * MB);
    assert.ok(at(590) < at(190) + 40 * MB);
    assert.ok(memory.heapReleasedBytes[590] > memory.heapReleasedBytes[250] + 100 * MB);
  });
});
