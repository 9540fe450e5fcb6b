import type { OrgId } from '../shared/ids.js';
import type { Count, Counted, JobCounted, SMS_COUNTED } from './counters.js';

/** What happened in one hour, in one organization or in the whole instance. */
export interface HourCount {
  readonly hour: Date;
  readonly counted: Counted | JobCounted;
  readonly count: number;
}

/** What SMS an organization sent, and what they cost. */
export interface SmsOfOrganization extends Readonly<Record<(typeof SMS_COUNTED)[number], number>> {
  readonly id: OrgId;
  readonly name: string;
}

/** Numbers of events by hour and organization. */
export abstract class StatisticsStore {
  /**
   * Adds to the stored counts, in one statement: to those of each organization that is not removed, and all of it to those
   * of the instance. It rejects when nothing was added, or when the connection was lost before the answer.
   */
  abstract add(counts: readonly Count[]): Promise<void>;

  /** By the hour, from the hour that `from` lies in. @param orgId undefined for the whole instance */
  abstract list(orgId: OrgId | undefined, from: Date): Promise<readonly HourCount[]>;

  /** Those whose SMS cost most first, where costs are equal those with most SMS. */
  abstract smsByOrganization(from: Date, most: number): Promise<readonly SmsOfOrganization[]>;
}
