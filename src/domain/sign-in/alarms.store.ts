/** Alarms of the whole instance. Each kind is raised once in a while, however many replicas notice. */
export abstract class AlarmsStore {
  /**
   * Raises the alarm and writes its event `instance.<kind>` in one statement, unless it was raised within the last
   * `pauseSeconds`.
   * @param data counts and settings worth keeping, nothing personal
   * @returns whether this call raised it
   */
  abstract raise(
    kind: 'guessing_alarm',
    pauseSeconds: number,
    data: Readonly<Record<string, number>>,
  ): Promise<boolean>;
}
