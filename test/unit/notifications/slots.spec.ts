import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Slots, type Leave } from '../../../src/domain/notifications/health/slots.js';

describe('the slots of a provider in one process', () => {
  let slots: Slots;
  beforeEach(() => {
    vi.useFakeTimers();
    slots = new Slots();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** One that is there at once. */
  async function take(urgent: boolean): Promise<Leave> {
    const leave = await slots.take(urgent, 0);
    if (leave === undefined) throw new Error('there was no slot');
    return leave;
  }

  async function isFull(urgent: boolean): Promise<boolean> {
    const taken = slots.take(urgent, 0);
    await vi.advanceTimersByTimeAsync(0);
    const leave = await taken;
    leave?.();
    return leave === undefined;
  }

  /** Takes in turn, and says in which order slots were given. */
  function queueUp(urgencies: readonly boolean[], patienceMs = 5_000): { given: string[]; leaves: Leave[] } {
    const given: string[] = [];
    const leaves: Leave[] = [];
    const wait = async (urgent: boolean, index: number): Promise<void> => {
      const leave = await slots.take(urgent, patienceMs);
      given.push(`${urgent ? 'urgent' : 'patient'} ${index}${leave === undefined ? ' in vain' : ''}`);
      if (leave !== undefined) leaves.push(leave);
    };
    for (const [index, urgent] of urgencies.entries()) void wait(urgent, index);
    return { given, leaves };
  }

  it('leave a quarter to what somebody waits for (F23)', async () => {
    slots.capacity = 8;
    for (let taken = 0; taken < 6; taken += 1) await take(false);
    expect(await isFull(false)).toBe(true);
    await take(true);
    await take(true);
    expect(await isFull(true)).toBe(true);
  });

  it('leave one of two, and the only one to everybody', async () => {
    slots.capacity = 2;
    await take(false);
    expect(await isFull(false)).toBe(true);
    await take(true);
    slots = new Slots();
    const leave = await take(false);
    expect(await isFull(true)).toBe(true);
    leave();
    expect(await isFull(true)).toBe(false);
  });

  it('may all be taken by what somebody waits for', async () => {
    slots.capacity = 4;
    for (let taken = 0; taken < 4; taken += 1) await take(true);
    expect(await isFull(true)).toBe(true);
    expect(await isFull(false)).toBe(true);
  });

  it('go to whom somebody waits for first, and otherwise to who came first', async () => {
    const held = await take(true);
    const { given, leaves } = queueUp([false, true, false, true]);
    held();
    for (let served = 0; served < 4; served += 1) {
      await vi.advanceTimersByTimeAsync(0);
      expect(given).toHaveLength(served + 1);
      leaves.shift()?.();
    }
    expect(given).toEqual(['urgent 1', 'urgent 3', 'patient 0', 'patient 2']);
  });

  it('are waited for as long as one has patience, and not given to who has gone', async () => {
    const held = await take(true);
    const { given } = queueUp([false], 1_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(given).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(given).toEqual(['patient 0 in vain']);
    const { given: next } = queueUp([false]);
    held();
    await vi.advanceTimersByTimeAsync(0);
    expect(next).toEqual(['patient 0']);
  });

  it('are given back once, however often somebody says so', async () => {
    slots.capacity = 4;
    const leave = await take(true);
    for (let taken = 0; taken < 3; taken += 1) await take(true);
    leave();
    leave();
    await take(true);
    expect(await isFull(true)).toBe(true);
  });

  it('follow when the provider is given fewer connections, or more', async () => {
    slots.capacity = 4;
    const leaves = [await take(true), await take(true), await take(true)];
    slots.capacity = 2;
    leaves[0]?.();
    expect(await isFull(true)).toBe(true);
    leaves[1]?.();
    expect(await isFull(true)).toBe(false);
    slots.capacity = 3;
    await take(true);
    await take(true);
    expect(await isFull(true)).toBe(true);
  });
});
