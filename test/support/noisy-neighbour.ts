import { HashingBill, type HashingClass } from '../../src/domain/passwords/hashing/hashing-bill.js';
import { HashingOverloaded, HashingPool } from '../../src/domain/passwords/hashing/hashing-pool.js';
import { argon2Work, bcryptWork, pbkdf2Work } from '../../src/domain/passwords/primitives/hashing-work.js';
import type { HashingLane } from '../../src/domain/passwords/schemes/password-scheme.js';
import type { OrgId } from '../../src/domain/shared/ids.js';
import { draw, type Draw } from './draw.js';

/**
 * A hashing pool on a clock of its own, with hashes that only take time: loud tenants and strangers do what they can,
 * quiet ones ask for one hash after the other. What is drawn is who they are, where they come from, what their hashes
 * cost, and when they ask.
 */

const NATIVE = argon2Work(19_456, 2);
const WORKS: Readonly<Record<HashingLane, readonly number[]>> = {
  quick: [0.01, bcryptWork(8), NATIVE, pbkdf2Work('sha256', 100_000, 1)],
  slow: [bcryptWork(10), bcryptWork(12), bcryptWork(14), bcryptWork(15)],
};

interface Asked {
  readonly who: 'quiet' | 'loud';
  readonly organization: string;
  readonly source: string;
  readonly kind: HashingClass;
  readonly lane: HashingLane;
  readonly work: number;
  readonly at: number;
}

/** One of a lane that has not ended. */
interface Open extends Asked {
  startedAt?: number;
  end?: () => void;
}

/** What went wrong, in words; nothing when all held. */
export interface Outcome {
  readonly faults: readonly string[];
  readonly quietServed: number;
  readonly loudServed: number;
  readonly loudRefused: number;
}

export async function noisyNeighbours(seed: number): Promise<Outcome> {
  return await new Neighbourhood(draw(seed), `seed ${seed}`).live();
}

class Neighbourhood {
  private time = 0;
  private readonly later: { readonly at: number; readonly what: () => void }[] = [];
  private readonly open = new Set<Open>();
  private readonly faults: string[] = [];
  private readonly served = { quiet: 0, loud: 0 };
  private refused = 0;
  private readonly slots: number;
  private readonly pool: HashingPool;
  private readonly slowness: number;
  private readonly organizations: readonly string[];
  private readonly loud: readonly string[];
  private readonly loudAddresses: readonly string[];

  constructor(
    private readonly chance: Draw,
    private readonly name: string,
  ) {
    this.slots = chance.int(1, 4);
    this.slowness = chance.int(6, 15) / 10;
    this.pool = new HashingPool(
      { slots: this.slots, queueLimit: 1_000, nativeWork: NATIVE },
      undefined,
      () => this.time,
    );
    this.organizations = Array.from({ length: chance.int(2, 6) }, (_, number) => `org-${number}`);
    this.loud = this.organizations.slice(0, Math.min(chance.int(1, 3), this.organizations.length - 1));
    this.loudAddresses = Array.from({ length: chance.int(1, 4) }, (_, number) => `198.51.100.${number}`);
  }

  async live(): Promise<Outcome> {
    for (const organization of this.organizations) {
      if (this.loud.includes(organization)) this.planBursts(organization);
      else this.planQuiet(organization);
    }
    for (let events = 0; this.later.length > 0; events += 1) {
      if (events > 50_000) throw new Error(`${this.name}: it never ends`);
      const next = this.later.reduce((first, one) => (one.at < first.at ? one : first));
      this.later.splice(this.later.indexOf(next), 1);
      this.time = Math.max(this.time, next.at);
      next.what();
      await new Promise((resolve) => setImmediate(resolve));
      this.lookAround();
    }
    for (const left of this.open) this.fault(left, 'was never answered');
    const { quiet, loud } = this.served;
    return { faults: this.faults, quietServed: quiet, loudServed: loud, loudRefused: this.refused };
  }

  /** Everything at once, several times: own users, by API, and strangers at the sign-in page of somebody else. */
  private planBursts(organization: string): void {
    for (let burst = this.chance.int(1, 4); burst > 0; burst -= 1) {
      const at = this.chance.int(0, 5_000);
      const target = this.chance.bool(0.7) ? organization : this.chance.pick(this.organizations);
      const lane = target === organization && this.chance.bool() ? 'slow' : 'quick';
      const kind = lane === 'slow' ? 'sign-in' : this.chance.pick(KINDS);
      const work = this.chance.pick(WORKS[lane]);
      for (let count = this.chance.int(20, 250); count > 0; count -= 1) {
        const source = this.chance.pick(this.loudAddresses);
        this.plan(at, () => this.ask({ who: 'loud', organization: target, source, kind, lane, work, at }));
      }
    }
  }

  /** One hash after the other, with pauses. */
  private planQuiet(organization: string): void {
    const lane = this.chance.bool(0.7) ? 'quick' : 'slow';
    const kind = lane === 'slow' ? 'sign-in' : this.chance.pick(KINDS);
    const source = `192.0.2.${this.organizations.indexOf(organization)}`;
    let left = this.chance.int(3, 12);
    const again = (): void => {
      left -= 1;
      if (left < 0) return;
      this.plan(this.time + this.chance.int(0, 400), () => {
        const work = this.chance.pick(WORKS[lane]);
        this.ask({ who: 'quiet', organization, source, kind, lane, work, at: this.time }, again);
      });
    };
    again();
  }

  private plan(at: number, what: () => void): void {
    this.later.push({ at, what });
  }

  private ask(asked: Asked, after: () => void = () => undefined): void {
    const open: Open = { ...asked };
    this.open.add(open);
    const run = this.pool.run(billOf(asked), asked.work, async (lane) => {
      if (lane !== asked.lane) this.fault(asked, `ran in the ${lane} lane`);
      open.startedAt = this.time;
      await new Promise<void>((resolve) => {
        open.end = resolve;
        this.plan(this.time + asked.work * this.slowness, resolve);
      });
    });
    void run.then(
      () => this.answered(open, after),
      (error: unknown) => this.turnedAway(open, error, after),
    );
  }

  private answered(open: Open, after: () => void): void {
    this.open.delete(open);
    this.served[open.who] += 1;
    const waited = (open.startedAt ?? Infinity) - open.at;
    if (open.who === 'quiet' && waited > this.bound(open)) {
      this.fault(open, `waited ${Math.round(waited)} ms, at most ${Math.round(this.bound(open))} are just`);
    }
    after();
  }

  private turnedAway(open: Open, error: unknown, after: () => void): void {
    this.open.delete(open);
    if (!(error instanceof HashingOverloaded)) throw error;
    if (open.startedAt !== undefined) this.fault(open, 'was refused after it began');
    if ((error.retryAfterSeconds ?? 0) < 1) this.fault(open, 'was not told when to try again');
    if (open.who === 'quiet') this.fault(open, 'was refused for what others have waiting');
    else this.refused += 1;
    after();
  }

  /**
   * Nothing in it says how much others have waiting, only how many there are: one hash of each organization and
   * address, and what is left of the one that runs. A class that gets a part of the slots takes that much longer.
   */
  private bound({ lane, kind }: Asked): number {
    const each = Math.max(...WORKS[lane]) * this.slowness;
    const others = this.organizations.length + this.loudAddresses.length + 2;
    return others * each * PATIENCE[kind];
  }

  /** No slot is idle while somebody waits who may have it, and nobody has more than is theirs. */
  private lookAround(): void {
    for (const lane of ['quick', 'slow'] as const) {
      const here = [...this.open].filter((one) => one.lane === lane);
      const running = here.filter(({ startedAt }) => startedAt !== undefined);
      const slotsOfOne = lane === 'quick' ? this.slots : Math.max(1, this.slots - 1);
      const held = (mine: (one: Open) => boolean): number => running.filter(mine).length;
      const mayRun = here.some(
        ({ startedAt, organization, source }) =>
          startedAt === undefined &&
          held((one) => one.organization === organization) < slotsOfOne &&
          held((one) => one.source === source) < slotsOfOne,
      );
      const first = here[0];
      if (first === undefined) continue;
      if (mayRun && running.length < this.slots) this.fault(first, `waits while a ${lane} slot is idle`);
      if (running.length > this.slots)
        this.fault(first, `there are ${running.length} in ${this.slots} slots`);
      if (running.some(({ organization }) => held((one) => one.organization === organization) > slotsOfOne)) {
        this.fault(first, 'one organization has more slots than it may');
      }
    }
  }

  private fault({ who, organization, kind, lane, work, at }: Asked, what: string): void {
    if (this.faults.length > 20) return;
    const job = `${who} ${kind} of ${organization} (${lane}, ${work.toFixed(2)}) from ${Math.round(at)}`;
    this.faults.push(`${this.name}, ${this.slots} slots: ${job} ${what}`);
  }
}

const KINDS: readonly HashingClass[] = ['sign-in', 'administration', 'import'];
/** The inverse of a class's part of the slots, and once more for the turn it has just missed. */
const PATIENCE: Readonly<Record<HashingClass, number>> = { 'sign-in': 2, administration: 7, import: 23 };

function billOf({ kind, organization, source }: Asked): HashingBill {
  const orgId = organization as OrgId;
  if (kind === 'sign-in') return HashingBill.signIn(orgId, orgId, source);
  return kind === 'administration'
    ? HashingBill.administration(orgId, source)
    : HashingBill.singleImport(orgId, source);
}
