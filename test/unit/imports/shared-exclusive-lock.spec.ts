import { describe, expect, it } from 'vitest';
import { SharedExclusiveLock } from '../../../src/domain/imports/chunks/shared-exclusive-lock.js';

describe('SharedExclusiveLock', () => {
  it('lets many in at a time, and one alone between them', async () => {
    const lock = new SharedExclusiveLock();
    const told: string[] = [];
    const ends = new Map<string, () => void>();
    const enter = async (name: string, alone: boolean): Promise<void> => {
      await lock.run(alone, async () => {
        told.push(`${name} in`);
        await new Promise<void>((end) => ends.set(name, end));
        told.push(`${name} out`);
      });
    };
    const all = [enter('a', false), enter('b', false), enter('alone', true), enter('c', false)];
    for (const name of ['a', 'b', 'alone', 'c']) {
      while (!ends.has(name)) await Promise.resolve();
      ends.get(name)?.();
    }
    await Promise.all(all);
    expect(told).toEqual(['a in', 'b in', 'a out', 'b out', 'alone in', 'alone out', 'c in', 'c out']);
  });

  it('goes on after a failure', async () => {
    const lock = new SharedExclusiveLock();
    await expect(lock.run(true, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await lock.run(false, () => Promise.resolve('yes'))).toBe('yes');
  });
});
