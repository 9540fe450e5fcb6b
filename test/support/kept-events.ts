import { EventsStore, type AuditEvent, type LoggedEvents } from '../../src/domain/events/events.store.js';
import type { Tx } from '../../src/domain/shared/unit-of-work.js';

/** The audit log in memory, for those who write it. */
export class KeptEvents extends EventsStore {
  constructor(readonly appended: AuditEvent[] = []) {
    super();
  }

  get types(): readonly string[] {
    return this.appended.map(({ type }) => type);
  }

  override append(_tx: Tx, ...events: readonly AuditEvent[]): Promise<void> {
    this.appended.push(...events);
    return Promise.resolve();
  }

  override search(): Promise<LoggedEvents> {
    return Promise.reject(new Error('not asked for'));
  }

  override namesOf(): Promise<readonly undefined[]> {
    return Promise.reject(new Error('not asked for'));
  }

  override find(): Promise<undefined> {
    return Promise.reject(new Error('not asked for'));
  }

  override raiseAlarm(): Promise<boolean> {
    return Promise.reject(new Error('no alarm is expected'));
  }

  override raiseAlarmAbout(): Promise<boolean> {
    return Promise.reject(new Error('no alarm is expected'));
  }
}
