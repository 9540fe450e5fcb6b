import { describe, expect, it } from 'vitest';
import { HashingBill } from '../../../src/domain/passwords/hashing/hashing-bill.js';
import { HashingMeter, type HashingRefusal } from '../../../src/domain/passwords/hashing/hashing-meter.js';
import { HashingOverloaded, HashingPool } from '../../../src/domain/passwords/hashing/hashing-pool.js';
import type { HashingLane } from '../../../src/domain/passwords/schemes/password-scheme.js';
import type { OrgId } from '../../../src/domain/shared/ids.js';

const [ONE, TWO] = ['org-one' as OrgId, 'org-two' as OrgId];
const BILL = HashingBill.page(ONE, '192.0.2.1');
const NATIVE = 16;
const SLOW = 2_000;

function poolOf(slots: number, queueLimit = 1_000, meter?: HashingMeter): HashingPool {
  return new HashingPool({ slots, queueLimit, nativeWork: NATIVE }, meter, () => 0);
}

/** A job that runs until it is told to end. */
function heldJob(): { work: () => Promise<void>; end: () => void; started: () => boolean } {
  let started = false;
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    work: () => {
      started = true;
      return ended;
    },
    end: () => end(),
    started: () => started,
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('hashing pool', () => {
  it('runs as many at once as it has slots, the rest of one requester in order', async () => {
    const pool = poolOf(2);
    const jobs = [heldJob(), heldJob(), heldJob(), heldJob()] as const;
    const runs = jobs.map((job) => pool.run(BILL, NATIVE, job.work));
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
    const pool = poolOf(1, 1);
    const [running, waiting] = [heldJob(), heldJob()];
    const runs = [pool.run(BILL, NATIVE, running.work), pool.run(BILL, NATIVE, waiting.work)];
    const refused = pool.run(BILL, NATIVE, () => Promise.resolve('never'));
    await expect(refused).rejects.toBeInstanceOf(HashingOverloaded);
    await expect(refused).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 });
    running.end();
    waiting.end();
    await Promise.all(runs);
    expect(await pool.run(BILL, NATIVE, () => Promise.resolve('again'))).toBe('again');
  });

  it('frees the slot of a job that fails, also one that throws before it returns a promise', async () => {
    const pool = poolOf(1, 0);
    await expect(pool.run(BILL, NATIVE, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const thrown = pool.run(BILL, NATIVE, () => {
      throw new Error('at once');
    });
    await expect(thrown).rejects.toThrow('at once');
    expect(await pool.run(BILL, NATIVE, () => Promise.resolve(1))).toBe(1);
  });

  it('wants a slot', () => {
    expect(() => poolOf(0)).toThrow(RangeError);
  });
});

/** Takes the slot, has the jobs wait, and tells in which order they then run. */
async function orderOf(jobs: readonly (readonly [name: string, HashingBill, work?: number])[]) {
  const pool = poolOf(1);
  const first = heldJob();
  const order: string[] = [];
  const runs = [pool.run(HashingBill.page('nobody' as OrgId, '203.0.113.1'), NATIVE, first.work)];
  for (const [name, bill, work = NATIVE] of jobs) {
    runs.push(pool.run(bill, work, async () => void order.push(name)));
  }
  first.end();
  await Promise.all(runs);
  return order.join(' ');
}

const admin = (orgId: OrgId, source: string) => HashingBill.administration(orgId, source);
const signIn = (orgId: OrgId, source: string) => HashingBill.signIn(orgId, undefined, source);

describe('S186: the order in which hashings are served', () => {
  it('organizations take turns, however many one of them sends', async () => {
    const [one, two] = [signIn(ONE, '192.0.2.1'), signIn(TWO, '192.0.2.2')];
    expect(
      await orderOf([
        ['a', one],
        ['a', one],
        ['a', one],
        ['b', two],
        ['b', two],
      ]),
    ).toBe('a b a b a');
  });

  it('by what a hash costs and not by how many', async () => {
    const [one, two] = [signIn(ONE, '192.0.2.1'), signIn(TWO, '192.0.2.2')];
    const dear = ['A', one, 30] as const;
    const cheap = ['b', two, 10] as const;
    expect(await orderOf([dear, dear, cheap, cheap, cheap, cheap])).toBe('A b b b A b');
  });

  it('an address gets one share, whichever organizations it names; IPv6 by its first 64 bits', async () => {
    const many = Array.from(
      { length: 4 },
      (_, number) => ['x', signIn(`victim-${number}` as OrgId, `2001:db8:1:2::${number}`)] as const,
    );
    const other = signIn('victim-3' as OrgId, '2001:db8:1:3::1');
    expect(await orderOf([...many, ['a', other], ['a', other]])).toBe('x a x a x x');
  });

  it('sign-in goes before administration, and that before imports, without stopping them', async () => {
    const jobs = [
      ['i', HashingBill.singleImport(ONE, '192.0.2.1')],
      ['a', admin(ONE, '192.0.2.1')],
      ['s', signIn(TWO, '192.0.2.2')],
      ['a', admin(ONE, '192.0.2.1')],
      ...Array.from({ length: 60 }, () => ['s', signIn(TWO, '192.0.2.2')] as const),
    ] as const;
    const order = (await orderOf(jobs)).replaceAll(' ', '');
    const [first, second] = [order.indexOf('a'), order.lastIndexOf('a')];
    const last = order.indexOf('i');
    expect([0, first, second, last, 63].toSorted((one, other) => one - other)).toEqual([
      0,
      first,
      second,
      last,
      63,
    ]);
    expect(first).toBeGreaterThan(3);
    expect(order.at(-1)).toBe('s');
  });

  it('who comes after a pause has saved nothing up, and has nothing to pay', async () => {
    const pool = poolOf(1);
    for (let count = 0; count < 5; count += 1) {
      await pool.run(signIn(ONE, '192.0.2.1'), NATIVE, () => Promise.resolve());
    }
    const held = heldJob();
    const order: string[] = [];
    const runs = [pool.run(signIn(ONE, '192.0.2.1'), NATIVE, held.work)];
    for (const name of ['b', 'b', 'b']) {
      runs.push(pool.run(signIn(TWO, '192.0.2.2'), NATIVE, async () => void order.push(name)));
    }
    runs.push(pool.run(signIn(ONE, '192.0.2.1'), NATIVE, async () => void order.push('a')));
    held.end();
    await Promise.all(runs);
    expect(order.join(' ')).toBe('b b a b');
  });
});

describe('S186: a hash that takes seconds', () => {
  it('keeps no quick one waiting', async () => {
    const pool = poolOf(1);
    const slow = heldJob();
    const runs = [pool.run(BILL, SLOW, slow.work), pool.run(BILL, SLOW, slow.work)];
    expect(await pool.run(BILL, NATIVE, (lane) => Promise.resolve(lane))).toBe('quick');
    expect(pool.waiting).toBe(1);
    slow.end();
    await Promise.all(runs);
  });

  it('takes no organization and no address the last slow slot beside their own', async () => {
    const pool = poolOf(2);
    const jobs = [heldJob(), heldJob(), heldJob(), heldJob()] as const;
    const bills = [
      signIn(ONE, '192.0.2.1'),
      signIn(ONE, '192.0.2.2'),
      signIn(TWO, '192.0.2.1'),
      signIn(TWO, '192.0.2.3'),
    ] as const;
    const runs = jobs.map((job, index) => pool.run(bills[index] ?? BILL, SLOW, job.work));
    await turn();
    expect(jobs.map((job) => job.started())).toEqual([true, false, false, true]);
    for (const job of jobs) job.end();
    await Promise.all(runs);
  });

  it('is billed to the organization that brought it along, not to the application it came by', async () => {
    const pool = poolOf(2);
    const [first, second] = [heldJob(), heldJob()];
    const by = (askedIn: OrgId, source: string) => HashingBill.signIn(askedIn, TWO, source);
    const runs = [
      pool.run(by(ONE, '192.0.2.1'), SLOW, first.work),
      pool.run(by('three' as OrgId, '192.0.2.2'), SLOW, second.work),
    ];
    await turn();
    expect([first.started(), second.started()]).toEqual([true, false]);
    first.end();
    second.end();
    await Promise.all(runs);
  });
});

it('S186: an ordinary hash is billed to what the requester chose, whether or not the name is somebody’s', () => {
  const bills = [undefined, ONE, TWO].map((owner) => HashingBill.signIn(ONE, owner, '192.0.2.1'));
  expect(new Set(bills.map((bill) => bill.organizationOf('quick')))).toEqual(new Set([ONE]));
  const own = [undefined, ONE, TWO].map((owner) => HashingBill.signIn(undefined, owner, '192.0.2.1'));
  expect(new Set(own.map((bill) => bill.organizationOf('quick'))).size).toBe(1);
});

class RecordingMeter extends HashingMeter {
  readonly refusals: string[] = [];
  readonly counts = new Map<string, number>();
  override waiting(lane: HashingLane, kind: string, count: number): void {
    this.counts.set(`${lane} ${kind}`, count);
  }
  override begun(): void {}
  override refused(lane: HashingLane, kind: string, why: HashingRefusal): void {
    this.refusals.push(`${lane} ${kind}: ${why}`);
  }
}

describe('S186: too much work waiting', () => {
  /** Sends so many that wait behind one that runs; tells how each ended, by the number it was sent under. */
  async function flood(bills: readonly HashingBill[], work = NATIVE) {
    const meter = new RecordingMeter();
    const pool = poolOf(1, 1_000, meter);
    const held = heldJob();
    const runs = [pool.run(HashingBill.page('nobody' as OrgId, '203.0.113.1'), NATIVE, held.work)];
    if (work > NATIVE)
      runs.push(pool.run(HashingBill.page('nobody' as OrgId, '203.0.113.1'), work, held.work));
    const refused: number[] = [];
    const seconds = new Set<number | undefined>();
    for (const [number, bill] of bills.entries()) {
      const run = pool
        .run(bill, work, () => Promise.resolve())
        .catch((error: unknown) => {
          if (!(error instanceof HashingOverloaded)) throw error;
          refused.push(number);
          seconds.add(error.retryAfterSeconds);
        });
      runs.push(run);
    }
    await turn();
    const counts = new Map(meter.counts);
    held.end();
    await Promise.all(runs);
    return { refused, seconds: [...seconds], meter, counts };
  }

  it('is refused for the organization whose it is, and for no other', async () => {
    const many = Array.from({ length: 150 }, () => signIn(ONE, '192.0.2.1'));
    const { refused, seconds, meter, counts } = await flood([...many, signIn(TWO, '192.0.2.2')]);
    expect(refused).toEqual(Array.from({ length: 25 }, (_, index) => 125 + index));
    expect(seconds).toEqual([3]);
    expect(new Set(meter.refusals)).toEqual(new Set(['quick sign-in: organization']));
    expect(counts.get('quick sign-in')).toBe(126);
    expect(meter.counts.get('quick sign-in')).toBe(0);
  });

  it('is refused for an address that asks in the name of many organizations', async () => {
    const many = Array.from({ length: 150 }, (_, number) => signIn(`o${number}` as OrgId, '192.0.2.1'));
    const { refused, meter } = await flood([...many, signIn(TWO, '192.0.2.2')]);
    expect(refused).toHaveLength(25);
    expect(refused).not.toContain(150);
    expect(new Set(meter.refusals)).toEqual(new Set(['quick sign-in: address']));
  });

  it('within an organization takes the place of the address that has most waiting', async () => {
    const strangers = Array.from({ length: 125 }, () => signIn(ONE, '198.51.100.1'));
    const people = Array.from({ length: 10 }, () => signIn(ONE, '192.0.2.1'));
    const { refused } = await flood([...strangers, ...people]);
    expect(refused).toEqual(Array.from({ length: 10 }, (_, index) => 124 - index));
  });

  it('gives up administration before sign-ins of the same requester', async () => {
    const mixed = [admin(ONE, '192.0.2.1'), ...Array.from({ length: 125 }, () => signIn(ONE, '192.0.2.1'))];
    expect((await flood(mixed)).refused).toEqual([0]);
  });

  it('never for a hash that waits alone, nor for an import that a worker runs', async () => {
    expect((await flood([signIn(ONE, '192.0.2.1')], 60_000)).refused).toEqual([]);
    const bulk = Array.from({ length: 200 }, () => HashingBill.bulkImport(ONE));
    expect((await flood(bulk)).refused).toEqual([]);
  });

  it('is given up after the longest wait, whatever the estimate said', async () => {
    let now = 0;
    const pool = new HashingPool({ slots: 1, queueLimit: 10, nativeWork: NATIVE }, undefined, () => now);
    const held = heldJob();
    const running = pool.run(signIn(TWO, '192.0.2.2'), NATIVE, held.work);
    const late = pool.run(BILL, NATIVE, () => Promise.resolve()).catch((error: unknown) => error);
    now = 15_001;
    held.end();
    await running;
    expect(await late).toBeInstanceOf(HashingOverloaded);
  });
});
