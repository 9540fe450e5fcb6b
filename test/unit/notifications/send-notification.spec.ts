import { beforeEach, describe, expect, it } from 'vitest';
import { type AuditEvent, EventsStore } from '../../../src/domain/events/events.store.js';
import { ChannelError, MailChannel, type MailMessage } from '../../../src/domain/notifications/channels.js';
import {
  type ClaimedNotification,
  type ClaimResult,
  type NotificationChannel,
  NotificationsStore,
} from '../../../src/domain/notifications/notifications.store.js';
import { MAX_ATTEMPTS, SendNotification } from '../../../src/domain/notifications/send-notification.js';
import type { OutboxStore } from '../../../src/domain/outbox/outbox.store.js';
import type { NotificationId } from '../../../src/domain/shared/ids.js';
import { type Tx, UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { claimed } from './claimed.js';
import { builtInMessages } from '../../support/built-in-messages.js';

class OneTransaction extends UnitOfWork {
  failures = 0;

  override async run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('connection terminated');
    }
    return await work({} as Tx);
  }
}

class Notifications extends NotificationsStore {
  next: ClaimResult = { kind: 'claimed', notification: claimed() };
  channels: readonly NotificationChannel[] = [];
  fenceHolds = true;
  written: string[] = [];

  override add(): Promise<void> {
    throw new Error('not asked for');
  }

  override claim(_id: NotificationId, channels: readonly NotificationChannel[]): Promise<ClaimResult> {
    this.channels = channels;
    return Promise.resolve(this.next);
  }

  override markHandedOver(): Promise<boolean> {
    if (this.fenceHolds) this.written.push('handed over');
    return Promise.resolve(this.fenceHolds);
  }

  override markSent(): Promise<boolean> {
    if (this.fenceHolds) this.written.push('sent');
    return Promise.resolve(this.fenceHolds);
  }

  override markAbandoned(_tx: Tx, _claim: ClaimedNotification, reason: string): Promise<boolean> {
    if (this.fenceHolds) this.written.push(`abandoned ${reason}`);
    return Promise.resolve(this.fenceHolds);
  }

  override release(_claim: ClaimedNotification, reason: string, handOvers: number): Promise<boolean> {
    this.written.push(`released ${reason}, ${handOvers} unclear`);
    return Promise.resolve(true);
  }
}

class Mailbox extends MailChannel {
  override configured = true;
  sent: MailMessage[] = [];
  failure: Error | undefined;

  override send(message: MailMessage): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.sent.push(message);
    return Promise.resolve();
  }
}

class Events extends EventsStore {
  appended: AuditEvent[] = [];

  override append(_tx: Tx, ...events: readonly AuditEvent[]): Promise<void> {
    this.appended.push(...events);
    return Promise.resolve();
  }
}

describe('sending a notification', () => {
  const id = 'note-1' as NotificationId;
  let unitOfWork: OneTransaction;
  let notifications: Notifications;
  let mail: Mailbox;
  let events: Events;
  let finished: string[];
  let send: SendNotification;

  beforeEach(() => {
    unitOfWork = new OneTransaction();
    notifications = new Notifications();
    mail = new Mailbox();
    events = new Events();
    finished = [];
    const outbox = {
      finish: (_tx: Tx, row: string) => Promise.resolve(void finished.push(row)),
      discard: (row: string, queue: string, payload: object) => {
        finished.push(`${row} if ${queue} ${JSON.stringify(payload)}`);
        return Promise.resolve();
      },
    } as unknown as OutboxStore;
    const compose = builtInMessages('https://id.example.com');
    send = new SendNotification(unitOfWork, notifications, outbox, events, mail, compose);
  });

  function claims(differences: Partial<ClaimedNotification>): void {
    notifications.next = { kind: 'claimed', notification: claimed(differences) };
  }

  it('sends once, and writes state, event and the end of the debt', async () => {
    expect(await send.run(id, '5')).toEqual({ kind: 'sent' });
    expect(mail.sent.map(({ to }) => to)).toEqual(['ada@mail.test']);
    expect(notifications.written).toEqual(['handed over', 'sent']);
    expect(finished).toEqual(['5']);
    expect(events.appended).toMatchObject([
      { type: 'notification.sent', aggregateId: id, orgId: 'org-1', sequence: '1' },
    ]);
    expect(JSON.stringify(events.appended)).not.toMatch(/ada|ABC123/i);
  });

  it('ends a debt that is settled already only if the row is really that debt', async () => {
    notifications.next = { kind: 'finished' };
    expect(await send.run(id, '99')).toEqual({ kind: 'finished' });
    expect(finished).toEqual(['99 if notifications {"notificationId":"note-1"}']);
    expect(mail.sent).toHaveLength(0);
  });

  it('ends the debt that the notification names, not the one that the job names', async () => {
    await send.run(id, '99');
    expect(finished).toEqual(['5']);
  });

  it('claims nothing for a channel that is not set up', async () => {
    mail.configured = false;
    notifications.next = { kind: 'no-channel' };
    expect(await send.run(id, '5')).toEqual({ kind: 'no-channel' });
    expect(notifications.channels).toEqual([]);
  });

  it('keeps its hands off what another worker holds', async () => {
    notifications.next = { kind: 'busy', retryInMs: 1_200 };
    expect(await send.run(id, '5')).toEqual({ kind: 'busy', retryInMs: 1_200 });
    expect(mail.sent).toHaveLength(0);
  });

  it.each([
    [{ userActive: false }, 'user_inactive'],
    [{ codeEnded: true }, 'code_ended'],
    [{ expired: true }, 'code_expired'],
  ] as const)('abandons what nobody should get any more: %j', async (differences, reason) => {
    claims(differences);
    expect(await send.run(id, '5')).toEqual({ kind: 'abandoned', reason, failed: false });
    expect(mail.sent).toHaveLength(0);
    expect(finished).toEqual(['5']);
    expect(events.appended).toMatchObject([{ type: 'notification.abandoned', data: { reason } }]);
  });

  it('abandons as a failure what cannot be read, was refused, or was tried too often', async () => {
    claims({ code: undefined });
    expect(await send.run(id, '5')).toMatchObject({ reason: 'content_unreadable', failed: true });
    claims({});
    mail.failure = new ChannelError('smtp_550', 'terminal');
    expect(await send.run(id, '5')).toMatchObject({ reason: 'smtp_550', failed: true });
    claims({ attempts: MAX_ATTEMPTS });
    mail.failure = new ChannelError('smtp_421', 'retryable');
    expect(await send.run(id, '5')).toMatchObject({ reason: 'attempts_exhausted:smtp_421', failed: true });
    claims({ attempts: MAX_ATTEMPTS + 1, lastError: 'smtp_421' });
    mail.failure = undefined;
    expect(await send.run(id, '5')).toMatchObject({ reason: 'attempts_exhausted:smtp_421', failed: true });
    expect(mail.sent).toHaveLength(0);
  });

  it('gives the claim back and lets the error escape when a retry may help', async () => {
    mail.failure = new ChannelError('smtp_421', 'retryable');
    await expect(send.run(id, '5')).rejects.toThrow('smtp_421');
    expect(notifications.written).toEqual(['handed over', 'released smtp_421, 0 unclear']);
    expect(finished).toEqual([]);
  });

  it('tries once more after an ambiguous end and never a third time', async () => {
    mail.failure = new ChannelError('smtp_ambiguous', 'ambiguous');
    await expect(send.run(id, '5')).rejects.toThrow('smtp_ambiguous');
    expect(notifications.written.at(-1)).toBe('released smtp_ambiguous, 1 unclear');
    // whatever failed for certain in between
    claims({ attempts: 3, lastError: 'smtp_421', handOvers: 1 });
    expect(await send.run(id, '5')).toMatchObject({ reason: 'smtp_ambiguous', failed: true });
  });

  it('repeats once what a dead worker may have sent, and never a third time', async () => {
    claims({ attempts: 2, handOvers: 1 });
    expect(await send.run(id, '5')).toEqual({ kind: 'sent' });
    claims({ attempts: 3, handOvers: 2 });
    expect(await send.run(id, '5')).toEqual({ kind: 'abandoned', reason: 'ambiguous', failed: true });
    expect(mail.sent).toHaveLength(1);
  });

  it('counts no hand-over when it did not come to one', async () => {
    claims({ template: 'verify_phone' });
    await expect(send.run(id, '5')).rejects.toThrow();
    expect(notifications.written).toEqual(['released internal, 0 unclear']);
  });

  it('neither sends nor writes anything when it lost its claim meanwhile', async () => {
    notifications.fenceHolds = false;
    expect(await send.run(id, '5')).toEqual({ kind: 'finished' });
    expect(mail.sent).toEqual([]);
    expect(finished).toEqual([]);
    expect(events.appended).toEqual([]);
  });

  it('insists on writing down that the provider has it', async () => {
    unitOfWork.failures = 1;
    expect(await send.run(id, '5')).toEqual({ kind: 'sent' });
    expect(mail.sent).toHaveLength(1);
    expect(finished).toEqual(['5']);
  });
});
