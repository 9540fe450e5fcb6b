import { describe, expect, it } from 'vitest';
import { HashingOverloaded, HashingPool } from '../../../src/domain/passwords/hashing-pool.js';

/** A job that runs until it is told to end. */
function heldJob(): { work: () => Promise<void>; end: () => void; started: () => boolean } {
  let started = false;
  const { promise, resolve } = withResolvers();
  return {
    work: () => {
      started = true;
      return promise;
    },
    end: resolve,
    started: () => started,
  };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('hashing pool', () => {
  it('runs as many at once as it has slots, the rest in order', async () => {
    const pool = new HashingPool(2, 10);
    const jobs = [heldJob(), heldJob(), heldJob(), heldJob()] as const;
    const runs = jobs.map((job) => pool.run(job.work));
    await turn();
    expect(jobs.map((job) => job.started())).toEqual([true, true, false, false]);
    expect(pool.waiting).toBe(2);
    jobs[1].end();
    await turn();
    expect(jobs.map((job) => job.started())).toEqual([true, true, true, false]);
    for (const job of jobs) job.end();
    await Promise.all(runs);
    expect(pool.waiting).toBe(0);
  });

  it('refuses at once when the queue is full, and takes work again afterwards', async () => {
    const pool = new HashingPool(1, 1);
    const [running, waiting] = [heldJob(), heldJob()];
    const runs = [pool.run(running.work), pool.run(waiting.work)];
    const refused = pool.run(() => Promise.resolve('never'));
    await expect(refused).rejects.toBeInstanceOf(HashingOverloaded);
    await expect(refused).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 });
    running.end();
    waiting.end();
    await Promise.all(runs);
    expect(await pool.run(() => Promise.resolve('again'))).toBe('again');
  });

  it('frees the slot of a job that fails, also one that throws before it returns a promise', async () => {
    const pool = new HashingPool(1, 0);
    await expect(pool.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const thrown = pool.run(() => {
      throw new Error('at once');
    });
    await expect(thrown).rejects.toThrow('at once');
    expect(await pool.run(() => Promise.resolve(1))).toBe(1);
  });

  it('wants a slot', () => {
    expect(() => new HashingPool(0, 1)).toThrow(RangeError);
  });
});
