import type { OrgId } from '../shared/ids.js';

export type AlarmKind = 'guessing_alarm' | 'key_set_full';

/** What an alarm is about, where it is not the whole instance. */
export interface AlarmSubject {
  readonly aggregateType: 'client_guesses';
  readonly aggregateId: string;
  readonly orgId: OrgId;
}

/** Alarms of the whole instance. Each kind is raised once in a while, however many replicas notice. */
export abstract class AlarmsStore {
  /**
   * Raises the alarm and writes its event `instance.<kind>` in one statement, unless it was raised within the last
   * `pauseSeconds`.
   * @param data counts and settings worth keeping, nothing personal
   * @returns whether this call raised it
   */
  abstract raise(
    kind: AlarmKind,
    pauseSeconds: number,
    data: Readonly<Record<string, number>>,
  ): Promise<boolean>;

  /** The same for one thing of an organization, in whose audit log it is told: `<aggregateType>.alarm`. */
  abstract raiseAbout(
    about: AlarmSubject,
    pauseSeconds: number,
    data: Readonly<Record<string, number>>,
  ): Promise<boolean>;
}
