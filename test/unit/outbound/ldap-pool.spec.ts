import { setTimeout as pass } from 'node:timers/promises';
import type { Client } from 'ldapts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LdapPool, PoolBusy } from '../../../src/outbound/ldap/ldap-pool.js';

// A connection has one identity at a time: who has it, has it alone, and gives it back as it was.

const MOST = 8;
const soon = (): AbortSignal => AbortSignal.timeout(50);
const never = new AbortController().signal;

class Connection {
  isConnected = true;
  readonly unbind = vi.fn<() => Promise<void>>(async () => {
    this.isConnected = false;
    await Promise.resolve();
  });
}

function aPool() {
  const made: Connection[] = [];
  const pool = new LdapPool(async () => {
    const connection = new Connection();
    made.push(connection);
    await Promise.resolve();
    return connection as unknown as Client;
  });
  return { pool, made };
}

const rebound = async (): Promise<void> => await Promise.resolve();

describe('the connections to a directory', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are eight at most, and whoever finds none free waits as long as their sign-in may take', async () => {
    const { pool, made } = aPool();
    const taken = await Promise.all(Array.from({ length: MOST }, async () => await pool.take(never)));
    expect(new Set(taken).size).toBe(MOST);
    await expect(pool.take(soon())).rejects.toBeInstanceOf(PoolBusy);
    expect(made).toHaveLength(MOST);
  });

  it('are handed on only once they are bound as before', async () => {
    const { pool, made } = aPool();
    const taken = await Promise.all(Array.from({ length: MOST }, async () => await pool.take(never)));
    const [first] = taken;
    if (first === undefined) throw new Error('no connection');
    const waits = pool.take(never);
    let bind: () => void = () => undefined;
    pool.giveBack(first, async () => await new Promise((resolve) => (bind = resolve)));
    const early = await Promise.race([waits, pass(20, 'nothing yet')]);
    expect(early).toBe('nothing yet');
    bind();
    expect(await waits).toBe(first);
    expect(made).toHaveLength(MOST);
  });

  it('are closed where that fails, and another one takes their place', async () => {
    const { pool, made } = aPool();
    const taken = await Promise.all(Array.from({ length: MOST }, async () => await pool.take(never)));
    const [first] = taken;
    if (first === undefined) throw new Error('no connection');
    const waits = pool.take(never);
    pool.giveBack(first, async () => await Promise.reject(new Error('it binds no more')));
    expect(await waits).not.toBe(first);
    expect(made).toHaveLength(MOST + 1);
    expect(made[0]?.unbind).toHaveBeenCalledOnce();
  });

  it('are not used again once the other side has closed them', async () => {
    const { pool, made } = aPool();
    pool.giveBack(await pool.take(never), rebound);
    await pass(0);
    if (made[0] !== undefined) made[0].isConnected = false;
    await pool.take(never);
    expect(made).toHaveLength(2);
  });

  it('are closed when nobody has used them for a minute', async () => {
    vi.useFakeTimers();
    const { pool, made } = aPool();
    pool.giveBack(await pool.take(never), rebound);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(made[0]?.unbind).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(made[0]?.unbind).toHaveBeenCalledOnce();
    await pool.take(never);
    expect(made).toHaveLength(2);
  });
});
