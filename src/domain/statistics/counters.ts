import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/clock.js';
import type { OrgId } from '../shared/ids.js';
import { UnitOfWork, type Tx } from '../shared/unit-of-work.js';

/**
 * The statistics module counts what happens, per hour and organization, for the charts of the console. A process counts in
 * its memory, so that what is counted costs no statement, and adds its counts to PostgreSQL every few seconds
 * (`FlushCounters`). A process that crashes takes those with it: they are for people to look at, and nothing is decided by
 * them. What must be proven is in the audit log.
 */
export const COUNTED = [
  /** Complete sign-ins: a user who still needs a second factor or a new password is not signed in yet. */
  'signInsSucceeded',
  /** A password, passkey or second factor that was wrong, or was refused without being checked. */
  'signInsRefused',
  /** People, however they came: added, imported, registered. */
  'newUsers',
  /** Mails and SMS that a provider took. */
  'messagesSent',
  /** Those that were given up although somebody wanted them, or that a provider reports as not delivered. */
  'messagesFailed',
  /** SMS that were made due. */
  'smsAdmitted',
  /** SMS that a limit or a block stopped before. */
  'smsRefused',
  /** What those that were made due cost by `SMS_COSTS`, in millionths of its currency. */
  'smsCost',
  /** Answers with tokens: an access token, or an ID token that comes alone. */
  'tokensIssued',
] as const;

export type Counted = (typeof COUNTED)[number];

/** Of SMS, which cost money: organizations are compared by these. */
export const SMS_COUNTED = ['smsAdmitted', 'smsCost', 'smsRefused'] as const satisfies readonly Counted[];

/** Jobs of a queue that ended, and attempts at them that failed. They belong to no organization. */
export type JobCounted = `jobs.${string}.${'completed' | 'failed'}`;

export const HOUR_MS = 3_600_000;

/** How often something happened in one hour, in one organization or, where that is null, in none that is known. */
export interface Count {
  readonly orgId: OrgId | null;
  /** When the hour began. */
  readonly hour: Date;
  readonly counted: Counted | JobCounted;
  readonly count: number;
}

type Tally = Partial<Record<Counted | JobCounted, number>>;

/**
 * As many as are active within a few seconds. Above that (an outage of PostgreSQL that lasts for hours) events are
 * counted for the instance alone, so that the process does not run out of memory.
 */
const MOST_TALLIES = 100_000;

/** What this process has counted and not yet flushed. */
@Injectable()
export class Counters {
  private tallies = new Map<number, Map<OrgId | null, Tally>>();
  private size = 0;

  constructor(
    private readonly clock: Clock,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** No more than a number in a map is raised: every token that is issued comes through here. */
  add(orgId: OrgId | null, counted: Counted | JobCounted, count = 1): void {
    this.raise(Math.floor(this.clock.nowMs() / HOUR_MS), orgId, counted, count);
  }

  /** The same of what the transaction writes, once it has committed. */
  addAfterCommit(tx: Tx, orgId: OrgId, counted: Counted, count = 1): void {
    if (count > 0) this.unitOfWork.afterCommit(tx, () => this.add(orgId, counted, count));
  }

  /** Everything, which is counted here no longer. Who cannot keep it gives it back. */
  take(): readonly Count[] {
    const taken = this.tallies;
    this.tallies = new Map();
    this.size = 0;
    const counts: Count[] = [];
    for (const [hour, organizations] of taken) {
      for (const [orgId, tally] of organizations) {
        for (const [counted, count] of Object.entries(tally) as [Counted | JobCounted, number][]) {
          counts.push({ orgId, hour: new Date(hour * HOUR_MS), counted, count });
        }
      }
    }
    return counts;
  }

  giveBack(counts: readonly Count[]): void {
    for (const { orgId, hour, counted, count } of counts) {
      this.raise(hour.getTime() / HOUR_MS, orgId, counted, count);
    }
  }

  private raise(hour: number, orgId: OrgId | null, counted: Counted | JobCounted, count: number): void {
    let organizations = this.tallies.get(hour);
    if (organizations === undefined) {
      organizations = new Map();
      this.tallies.set(hour, organizations);
    }
    let tally = organizations.get(orgId);
    if (tally === undefined) {
      if (orgId !== null && this.size >= MOST_TALLIES) return this.raise(hour, null, counted, count);
      tally = {};
      organizations.set(orgId, tally);
      this.size += 1;
    }
    tally[counted] = (tally[counted] ?? 0) + count;
  }
}
