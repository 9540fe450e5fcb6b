import type { HashingLane } from '../schemes/password-scheme.js';
import { HASHING_CLASSES, type HashingBill, type HashingClass } from './hashing-bill.js';
import type { HashingMeter, HashingRefusal } from './hashing-meter.js';

interface FairLaneSettings {
  readonly name: HashingLane;
  readonly slots: number;
  /** As many as one organization, or one address, may hold at once. */
  readonly slotsOfOne: number;
  /** Jobs that may wait, of all together. */
  readonly queueLimit: number;
  /** About the largest work of the lane; by it a lesser class stands back behind one that has just had its turn. */
  readonly turnWork: number;
  /** How long the work that one organization or address has waiting may take. */
  readonly mostWaitingMs: number;
  /** How long a job waits before it is given up, whatever the reason. */
  readonly longestWaitMs: number;
  readonly overloaded: (retryAfterSeconds: number) => Error;
  readonly now: () => number;
  readonly meter?: HashingMeter;
}

/** Of what the slots do while all three classes have work waiting. */
const CLASS_WEIGHTS: Readonly<Record<HashingClass, number>> = { 'sign-in': 16, administration: 4, import: 1 };

/** How much a hash of that much work changes what is thought of the machine's speed; what costs less says less. */
const SPEED_MEMORY = 0.1;
const TELLING_WORK = 16;
/** Nothing that anybody sends makes others' places in the queue fewer or more than by these. */
const SLOWNESS = { least: 0.5, most: 4 };
const LONGEST_RETRY_SECONDS = 60;
/** Shares that are remembered before those that say nothing any more are dropped. */
const MANY_SHARES = 1_000;

/** What an organization or an address has of the lane. */
interface Share {
  /**
   * Virtual time in each class: the work that it was given there, and never less than what all others were given while it
   * had none.
   */
  readonly times: Record<HashingClass, number>;
  readonly waiting: Record<HashingClass, number>;
  waitingWork: number;
  running: number;
}

interface ClassOfJobs {
  time: number;
  waiting: number;
  /** Virtual time of its shares at which the last of its jobs began. */
  sharesTime: number;
}

interface Job {
  readonly bill: HashingBill;
  readonly work: number;
  readonly organization: string;
  readonly since: number;
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Slots that are shared fairly by what hashes cost, not by how many there are (start-time fair queuing, Goyal, Vin and
 * Cheng 1996). Whoever has been given less goes first: of organizations, and of addresses, both at once, so that
 * neither an organization with a thousand addresses nor an address that sends requests for a thousand organizations
 * gets more than one share. Who comes after a pause goes before those who never paused and has nothing saved up.
 * Classes are shared out the same way, at 16 to 4 to 1, and the first of them begins: a class alone gets everything,
 * and none stops another for good. Each class has shares of its own: in one, the least that anybody was given would say
 * nothing of the others, and a newcomer beside a starved import would go before all sign-ins.
 *
 * What waits is bounded for each organization and each address by itself. Who is over the bound is refused, at once:
 * within an organization it is the address that has most waiting, which may have to give up a place that it had, so
 * that strangers who flood an organization's sign-in page are refused and not its people. No job is ever refused for
 * what another organization has waiting.
 */
export class FairQueue {
  private readonly jobs = new Set<Job>();
  /** Of these, whose askers wait as long as it takes: nobody else is refused for them. */
  private patient = 0;
  private readonly organizations = new Map<string, Share>();
  private readonly addresses = new Map<string, Share>();
  private readonly classes: Readonly<Record<HashingClass, ClassOfJobs>> = {
    'sign-in': { time: 0, waiting: 0, sharesTime: 0 },
    administration: { time: 0, waiting: 0, sharesTime: 0 },
    import: { time: 0, waiting: 0, sharesTime: 0 },
  };
  /** Virtual time at which the last job began. */
  private classesTime = 0;
  private running = 0;
  /** Real milliseconds for each that was estimated. */
  private slowness = 1;

  constructor(private readonly settings: FairLaneSettings) {}

  get waiting(): number {
    return this.jobs.size;
  }

  async run<T>(bill: HashingBill, work: number, job: () => Promise<T>): Promise<T> {
    const organization = bill.organizationOf(this.settings.name);
    await this.takeSlot(bill, work, organization);
    const startedAt = this.settings.now();
    try {
      return await job();
    } finally {
      this.learn(work, this.settings.now() - startedAt);
      this.giveBack(organization, bill.source);
    }
  }

  private async takeSlot(bill: HashingBill, work: number, organization: string): Promise<void> {
    await new Promise<void>((start, refuse) => {
      const job = { bill, work, organization, since: this.settings.now(), start, refuse };
      this.enqueue(job);
      this.dispatch();
      if (this.jobs.has(job)) this.shed(job);
    });
  }

  private enqueue(job: Job): void {
    const { kind } = job.bill;
    const ofClass = this.classes[kind];
    if (ofClass.waiting === 0) ofClass.time = Math.max(ofClass.time, this.classesTime);
    const levels = this.levels(kind);
    for (const [index, share] of this.sharesOf(job).entries()) {
      if (share.waiting[kind] === 0) share.times[kind] = Math.max(share.times[kind], levels[index] ?? 0);
      share.waiting[kind] += 1;
      share.waitingWork += job.work;
    }
    ofClass.waiting += 1;
    this.jobs.add(job);
    if (job.bill.patient) this.patient += 1;
  }

  /**
   * The start value of an organization and an address that are new in a class: that of those who have been given least of all
   * that wait. The time of the last job alone would not do: those who were given less may hold all the slots that they
   * may. Nor would one level for both: many addresses of one organization have each been given less than it.
   */
  private levels(kind: HashingClass): readonly [number, number] {
    let [level, leastOfAddress] = [this.classes[kind].sharesTime, Infinity];
    for (const job of this.jobs) {
      if (job.bill.kind !== kind) continue;
      const shares = this.sharesOf(job);
      level = Math.min(level, timeOf(shares, kind));
      leastOfAddress = Math.min(leastOfAddress, shares[1].times[kind]);
    }
    return [level, Math.min(level, leastOfAddress)];
  }

  private dequeue(job: Job): void {
    this.jobs.delete(job);
    if (job.bill.patient) this.patient -= 1;
    this.classes[job.bill.kind].waiting -= 1;
    for (const share of this.sharesOf(job)) {
      share.waiting[job.bill.kind] -= 1;
      // what is left of nothing are the errors of the sums
      share.waitingWork = waitingIn(share) === 0 ? 0 : share.waitingWork - job.work;
    }
  }

  private dispatch(): void {
    this.giveUpOldest();
    while (this.running < this.settings.slots) {
      const job = this.next();
      if (job === undefined) break;
      this.begin(job);
    }
    this.reportWaiting();
  }

  private begin(job: Job): void {
    const { bill, work } = job;
    this.dequeue(job);
    const shares = this.sharesOf(job);
    const ofClass = this.classes[bill.kind];
    ofClass.sharesTime = Math.max(ofClass.sharesTime, timeOf(shares, bill.kind));
    for (const share of shares) {
      share.times[bill.kind] += work;
      share.running += 1;
    }
    this.classesTime = Math.max(this.classesTime, ofClass.time);
    ofClass.time += work / CLASS_WEIGHTS[bill.kind];
    this.running += 1;
    const { name, now, meter } = this.settings;
    meter?.begun(name, bill.kind, now() - job.since);
    job.start();
  }

  /** Whose turn it is among those who may hold a slot more: by class, then by shares, then by arrival. */
  private next(): Job | undefined {
    let best: { readonly job: Job; readonly order: readonly number[] } | undefined;
    for (const job of this.jobs) {
      const shares = this.sharesOf(job);
      if (shares.some(({ running }) => running >= this.settings.slotsOfOne)) continue;
      const times = shares.map((share) => share.times[job.bill.kind]);
      const order = [this.turnOf(job.bill.kind), Math.max(...times), Math.min(...times)];
      if (best === undefined || isBefore(order, best.order)) best = { job, order };
    }
    return best?.job;
  }

  private turnOf(kind: HashingClass): number {
    return this.classes[kind].time + this.settings.turnWork / CLASS_WEIGHTS[kind];
  }

  private giveBack(organization: string, source: string): void {
    this.running -= 1;
    shareIn(this.organizations, organization).running -= 1;
    shareIn(this.addresses, source).running -= 1;
    this.dispatch();
    this.forget();
  }

  /** Refuses what is too much by a job that has just come to wait, which may be that job or others of its kind. */
  private shed(job: Job): void {
    const inOrganization = (other: Job): boolean => other.organization === job.organization;
    const ofAddress = (other: Job): boolean => other.bill.source === job.bill.source;
    this.shedWhile(() => this.isTooMuch(this.sharesOf(job)[0]), 'organization', inOrganization);
    this.shedWhile(() => this.isTooMuch(this.sharesOf(job)[1]), 'address', ofAddress);
    this.shedWhile(
      () => this.jobs.size - this.patient > this.settings.queueLimit,
      'instance',
      () => true,
    );
    this.reportWaiting();
  }

  private shedWhile(isTooMuch: () => boolean, why: HashingRefusal, among: (job: Job) => boolean): void {
    while (isTooMuch()) {
      const victim = this.heaviest([...this.jobs].filter((job) => among(job) && !job.bill.patient));
      if (victim === undefined) return;
      this.refuse(victim, why);
    }
  }

  /** One alone may wait, whatever it costs. */
  private isTooMuch(share: Share): boolean {
    const { mostWaitingMs } = this.settings;
    return waitingIn(share) > 1 && this.waitOf(share.waitingWork) > mostWaitingMs;
  }

  /** Of the organization that has most waiting, and in it of the address that has: the newest of the least class. */
  private heaviest(jobs: readonly Job[]): Job | undefined {
    const ofOrganization = mostWorkBy(jobs, ({ organization }) => organization);
    const ofAddress = mostWorkBy(ofOrganization, ({ bill }) => bill.source);
    return ofAddress.reduce<Job | undefined>(
      (last, job) => (last === undefined || rank(job) >= rank(last) ? job : last),
      undefined,
    );
  }

  private giveUpOldest(): void {
    const before = this.settings.now() - this.settings.longestWaitMs;
    for (const job of this.jobs) {
      // in the order of their arrival
      if (job.since >= before) return;
      if (!job.bill.patient) this.refuse(job, 'waited too long');
    }
  }

  private refuse(job: Job, why: HashingRefusal): void {
    const { name, meter, overloaded } = this.settings;
    const work = Math.max(...this.sharesOf(job).map(({ waitingWork }) => waitingWork));
    this.dequeue(job);
    meter?.refused(name, job.bill.kind, why);
    const seconds = Math.ceil(this.waitOf(work) / 1000);
    job.refuse(overloaded(Math.min(LONGEST_RETRY_SECONDS, Math.max(1, seconds))));
  }

  /** Real milliseconds until one who has that much waiting gets through with it, if nobody else is there. */
  private waitOf(work: number): number {
    return (work * this.slowness) / this.settings.slotsOfOne;
  }

  /** How much longer hashes take here than on the machine of the estimates, and with what else there is to do. */
  private learn(work: number, tookMs: number): void {
    const slowness = Math.min(SLOWNESS.most, Math.max(SLOWNESS.least, tookMs / work));
    this.slowness += SPEED_MEMORY * Math.min(1, work / TELLING_WORK) * (slowness - this.slowness);
  }

  private sharesOf({ organization, bill }: Job): readonly [Share, Share] {
    return [shareIn(this.organizations, organization), shareIn(this.addresses, bill.source)];
  }

  /** A share that has had no more than a newcomer carries no information. */
  private forget(): void {
    if (Math.max(this.organizations.size, this.addresses.size) <= MANY_SHARES) return;
    const levels = HASHING_CLASSES.map((kind) => ({ kind, levels: this.levels(kind) }));
    for (const [index, shares] of [this.organizations, this.addresses].entries()) {
      for (const [key, share] of shares) {
        const saysNothing = levels.every(({ kind, levels: of }) => share.times[kind] <= (of[index] ?? 0));
        if (waitingIn(share) === 0 && share.running === 0 && saysNothing) shares.delete(key);
      }
    }
  }

  private reportWaiting(): void {
    const { name, meter } = this.settings;
    if (meter === undefined) return;
    for (const kind of HASHING_CLASSES) meter.waiting(name, kind, this.classes[kind].waiting);
  }
}

function timeOf([organization, address]: readonly [Share, Share], kind: HashingClass): number {
  return Math.max(organization.times[kind], address.times[kind]);
}

function waitingIn({ waiting }: Share): number {
  return HASHING_CLASSES.reduce((sum, kind) => sum + waiting[kind], 0);
}

function ofEachClass(): Record<HashingClass, number> {
  return { 'sign-in': 0, administration: 0, import: 0 };
}

function shareIn(shares: Map<string, Share>, key: string): Share {
  let share = shares.get(key);
  if (share === undefined) {
    share = { times: ofEachClass(), waiting: ofEachClass(), waitingWork: 0, running: 0 };
    shares.set(key, share);
  }
  return share;
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  for (const [index, value] of one.entries()) {
    const against = other[index] ?? 0;
    if (value !== against) return value < against;
  }
  return false;
}

/** Those of the jobs that belong to whoever has most work among them. */
function mostWorkBy(jobs: readonly Job[], keyOf: (job: Job) => string): readonly Job[] {
  const sums = new Map<string, number>();
  for (const job of jobs) sums.set(keyOf(job), (sums.get(keyOf(job)) ?? 0) + job.work);
  let heaviest: readonly [string, number] | undefined;
  // of equals the one that came last
  for (const sum of sums) if (heaviest === undefined || sum[1] >= heaviest[1]) heaviest = sum;
  return jobs.filter((job) => keyOf(job) === heaviest?.[0]);
}

function rank({ bill }: Job): number {
  return HASHING_CLASSES.indexOf(bill.kind);
}
