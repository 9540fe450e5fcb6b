import { beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../src/domain/events/events.store.js';
import { ChannelError, type Accepted } from '../../../src/domain/notifications/channels.js';
import {
  NotificationsStore,
  type Abandoned,
  type ClaimedNotification,
  type ClaimResult,
  type NotificationChannel,
  type Postponed,
} from '../../../src/domain/notifications/notifications.store.js';
import { MAX_ATTEMPTS, type SendNotification } from '../../../src/domain/notifications/send-notification.js';
import type { Marked } from '../../../src/domain/outbox/delivery.js';
import type { EnqueuedWork, OutboxStore } from '../../../src/domain/outbox/outbox.store.js';
import type { NotificationId, ProviderId } from '../../../src/domain/shared/ids.js';
import { UnitOfWork, type Tx } from '../../../src/domain/shared/unit-of-work.js';
import type { Counters } from '../../../src/domain/statistics/counters.js';
import { KeptEvents } from '../../support/kept-events.js';
import {
  FlaggedPrefixes,
  GivenProviders,
  notAskedFor,
  sendingWith,
  smsProvider,
  smtpProvider,
  TestDoors,
} from '../../support/sending.js';
import { claimed } from './claimed.js';
import { MemoryHealth } from './memory-health.js';

class OneTransaction extends UnitOfWork {
  override async run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return await work({} as Tx);
  }

  override afterCommit(_tx: Tx, act: () => void): void {
    act();
  }
}

class Notifications extends NotificationsStore {
  next: ClaimResult = { kind: 'claimed', notification: claimed() };
  channels: (readonly NotificationChannel[])[] = [];
  fenceHolds = true;
  written: string[] = [];
  /** Of the next attempts to write down that it was sent. */
  failures = 0;
  /** What was committed beside the state. */
  readonly appended: AuditEvent[] = [];
  readonly finished: string[] = [];

  override add(): Promise<void> {
    throw new Error('not asked for');
  }

  override findVerifiedAddress(): Promise<undefined> {
    throw new Error('not asked for');
  }

  override claim(_id: NotificationId, channels: readonly NotificationChannel[]): Promise<ClaimResult> {
    this.channels.push(channels);
    return Promise.resolve(this.next);
  }

  override markHandedOver(
    _claim: ClaimedNotification,
    providerId: ProviderId,
    handOvers: number,
  ): Promise<boolean> {
    if (this.fenceHolds) this.written.push(`handed to ${providerId}, ${handOvers} unclear`);
    return Promise.resolve(this.fenceHolds);
  }

  override async finishSent(
    { outboxId }: ClaimedNotification,
    accepted: Accepted,
    event: AuditEvent,
  ): Promise<boolean> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('connection terminated');
    }
    if (!this.fenceHolds) return false;
    this.written.push(`sent ${accepted.providerMessageId ?? ''}`);
    this.appended.push(event);
    if (outboxId !== null) this.finished.push(outboxId);
    return true;
  }

  override markAbandoned(_tx: Tx, _claim: ClaimedNotification, end: Abandoned): Promise<Marked> {
    if (this.fenceHolds) this.written.push(`abandoned ${end.reason}`);
    return Promise.resolve(this.fenceHolds ? 'abandoned' : 'lost');
  }

  override postpone(_tx: Tx, _claim: ClaimedNotification, postponed: Postponed): Promise<number | undefined> {
    const { reason, handOvers, failures, delayMs } = postponed;
    this.written.push(`postponed ${reason}, ${handOvers} unclear, ${failures} failed`);
    return Promise.resolve(this.fenceHolds ? delayMs : undefined);
  }

  override countDead(): Promise<number> {
    throw new Error('not asked for');
  }

  override giveBack(_claim: ClaimedNotification, reason: string | undefined): Promise<void> {
    this.written.push(`given back ${reason ?? ''}`);
    return Promise.resolve();
  }

  override search = notAskedFor;
  override find = notAskedFor;
  override listDeadLetters = notAskedFor;
  override lock = notAskedFor;
  override requeue = notAskedFor;
  override providerOf = notAskedFor;
  override report = notAskedFor;
}

describe('sending a notification', () => {
  const id = 'note-1' as NotificationId;
  let notifications: Notifications;
  let providers: GivenProviders;
  let doors: TestDoors;
  let health: MemoryHealth;
  let events: KeptEvents;
  let prefixes: FlaggedPrefixes;
  let finished: string[];
  let postponed: string[];
  let send: SendNotification;
  let counters: Counters;

  beforeEach(() => {
    notifications = new Notifications();
    health = new MemoryHealth();
    providers = new GivenProviders([smtpProvider('first')], health);
    doors = new TestDoors();
    events = new KeptEvents(notifications.appended);
    prefixes = new FlaggedPrefixes();
    finished = notifications.finished;
    postponed = [];
    const outbox = {
      finish: (_tx: Tx, row: string) => Promise.resolve(void finished.push(row)),
      postpone: (_tx: Tx, row: string) => {
        postponed.push(row);
        return Promise.resolve('held');
      },
      discard: ({ outboxId, queue, jobName, payload }: EnqueuedWork) => {
        finished.push(`${outboxId} if ${queue} ${jobName} ${JSON.stringify(payload)}`);
        return Promise.resolve();
      },
    } as unknown as OutboxStore;
    const issuer = 'https://id.example.com';
    const unitOfWork = new OneTransaction();
    const parts = { unitOfWork, notifications, outbox, events, providers, doors, issuer, prefixes };
    ({ send, counters } = sendingWith(parts));
  });

  function claims(differences: Partial<ClaimedNotification>): void {
    notifications.next = { kind: 'claimed', notification: claimed(differences) };
  }

  function claimsSms(differences: Partial<ClaimedNotification> = {}): void {
    claims({ channel: 'sms', template: 'verify_phone', phone: '+4915112345678', ...differences });
  }

  function failing(error: ChannelError, ...names: string[]): void {
    doors.answer = async ({ name }) => {
      if (names.length === 0 || names.includes(name)) throw error;
      return {};
    };
  }

  it('sends once, and writes state and event, and deletes the row of the outbox', async () => {
    doors.answer = () => Promise.resolve({ providerMessageId: 'their-1' });
    expect(await send.run(id, '5')).toEqual({ kind: 'sent' });
    expect(doors.mails.map(({ to }) => to)).toEqual(['ada@mail.test']);
    expect(notifications.written).toEqual(['handed to first, 1 unclear', 'sent their-1']);
    expect(finished).toEqual(['5']);
    expect(events.appended).toMatchObject([
      { type: 'notification.sent', aggregateId: id, orgId: 'org-1', sequence: '1' },
    ]);
    expect(JSON.stringify(events.appended)).not.toMatch(/ada|ABC123/i);
  });

  it('counts for the organization what was sent and what was given up, and no attempt between', async () => {
    const counted = () => counters.take().map(({ orgId, counted, count }) => `${orgId} ${counted} ${count}`);
    await send.run(id, '5');
    expect(counted()).toEqual(['org-1 messagesSent 1']);
    failing(new ChannelError('busy', 'retryable'));
    await send.run(id, '5');
    expect(counted()).toEqual([]);
    failing(new ChannelError('refused', 'terminal'));
    await send.run(id, '5');
    expect(counted()).toEqual(['org-1 messagesFailed 1']);
    // nobody wants it any more
    claims({ codeEnded: true });
    await send.run(id, '5');
    notifications.fenceHolds = false;
    claims({});
    await send.run(id, '5');
    expect(counted()).toEqual([]);
  });

  it('deletes the row of work that is done already only if it is really that row', async () => {
    notifications.next = { kind: 'finished' };
    expect(await send.run(id, '99')).toEqual({ kind: 'finished' });
    expect(finished).toEqual(['99 if notifications send-notification {"notificationId":"note-1"}']);
    expect(doors.asked).toHaveLength(0);
  });

  it('deletes the row of the outbox that the notification names, not the one that the job names', async () => {
    await send.run(id, '99');
    expect(finished).toEqual(['5']);
  });

  it('claims nothing for a channel that is not set up', async () => {
    providers.given = [];
    notifications.next = { kind: 'no-channel', channel: 'email', expired: false, expiresInMs: 60_000 };
    expect(await send.run(id, '5')).toEqual({ kind: 'no-channel' });
    expect(notifications.channels).toEqual([[]]);
  });

  it('needs no channel to give up what has expired', async () => {
    providers.given = [];
    notifications.next = { kind: 'no-channel', channel: 'email', expired: true, expiresInMs: -1 };
    await send.run(id, '5');
    expect(notifications.channels).toEqual([[], ['email', 'sms']]);
  });

  it('keeps its hands off what another worker holds', async () => {
    notifications.next = { kind: 'busy', retryInMs: 1_200 };
    expect(await send.run(id, '5')).toEqual({ kind: 'busy', retryInMs: 1_200 });
    expect(doors.asked).toHaveLength(0);
  });

  it.each([
    [{ userActive: false }, 'user_inactive'],
    [{ codeEnded: true }, 'code_ended'],
    [{ expired: true }, 'code_expired'],
  ] as const)('abandons what nobody should get any more: %j', async (differences, reason) => {
    claims(differences);
    expect(await send.run(id, '5')).toEqual({ kind: 'abandoned', reason, failed: false });
    expect(doors.asked).toHaveLength(0);
    expect(finished).toEqual(['5']);
    expect(events.appended).toMatchObject([{ type: 'notification.abandoned', data: { reason } }]);
  });

  it.each([
    ['+41900123456', 'sms_number_type'],
    ['+263771234567', 'sms_country'],
  ])('S190: hands no SMS over for %s, which nothing goes to any more', async (phone, reason) => {
    claims({ channel: 'sms', template: 'verify_phone', phone });
    expect(await send.run(id, '5')).toEqual({ kind: 'abandoned', reason, failed: true });
    expect(doors.asked).toHaveLength(0);
  });

  it('abandons as a failure what cannot be read, was refused, or was tried too often', async () => {
    claims({ code: undefined });
    expect(await send.run(id, '5')).toMatchObject({ reason: 'content_unreadable', failed: true });
    claims({});
    failing(new ChannelError('smtp_550', 'terminal'));
    expect(await send.run(id, '5')).toMatchObject({ reason: 'smtp_550', failed: true });
    claims({ failures: MAX_ATTEMPTS - 1 });
    failing(new ChannelError('smtp_421', 'retryable'));
    expect(await send.run(id, '5')).toMatchObject({ reason: 'attempts_exhausted:smtp_421', failed: true });
    claims({ attempts: MAX_ATTEMPTS + 1, lastError: 'smtp_421' });
    expect(await send.run(id, '5')).toMatchObject({ reason: 'attempts_exhausted:smtp_421', failed: true });
    expect(doors.mails).toHaveLength(0);
  });

  it('enqueues the next attempt in one transaction with its time', async () => {
    failing(new ChannelError('smtp_451', 'retryable'));
    const result = await send.run(id, '5');
    expect(result).toMatchObject({ kind: 'retrying', reason: 'smtp_451' });
    expect(notifications.written).toEqual([
      'handed to first, 1 unclear',
      'postponed smtp_451, 0 unclear, 1 failed',
    ]);
    expect(postponed).toEqual(['5']);
    expect(finished).toEqual([]);
  });

  it('waits for exactly as long as the provider says, which is no failure of an SMS', async () => {
    providers.given = [smsProvider('first')];
    claimsSms({ failures: 2 });
    failing(new ChannelError('twilio_20429', 'retryable', 7_000));
    expect(await send.run(id, '5')).toEqual({
      kind: 'retrying',
      reason: 'twilio_20429',
      retryInMs: 7_000,
      held: true,
    });
    expect(notifications.written.at(-1)).toBe('postponed twilio_20429, 0 unclear, 2 failed');
  });

  it('tries a mail once more after an ambiguous end and never a third time', async () => {
    failing(new ChannelError('smtp_ambiguous', 'ambiguous'));
    expect(await send.run(id, '5')).toMatchObject({ kind: 'retrying' });
    expect(notifications.written.at(-1)).toBe('postponed smtp_ambiguous, 1 unclear, 1 failed');
    // whatever failed for certain in between
    claims({ attempts: 3, lastError: 'smtp_421', handOvers: 1 });
    expect(await send.run(id, '5')).toMatchObject({ reason: 'smtp_ambiguous', failed: true });
  });

  it('never sends an SMS again that somebody may have got', async () => {
    providers.given = [smsProvider('first'), smsProvider('second')];
    claimsSms();
    failing(new ChannelError('twilio_timeout', 'ambiguous'));
    expect(await send.run(id, '5')).toMatchObject({ kind: 'abandoned', reason: 'twilio_timeout' });
    claimsSms({ attempts: 2, handOvers: 1 });
    expect(await send.run(id, '5')).toMatchObject({ kind: 'abandoned', reason: 'ambiguous' });
    expect(doors.asked).toEqual(['first']);
  });

  it('never sends an SMS again because what it says of its provider could not be written', async () => {
    providers.given = [smsProvider('first')];
    claimsSms();
    health.write = () => Promise.reject(new Error('connection terminated'));
    failing(new ChannelError('twilio_timeout', 'ambiguous'));
    expect(await send.run(id, '5')).toMatchObject({ kind: 'abandoned', reason: 'twilio_timeout' });
    expect(notifications.written).toEqual(['handed to first, 1 unclear', 'abandoned twilio_timeout']);
  });

  it('tries an SMS three times at most', async () => {
    providers.given = [smsProvider('first')];
    failing(new ChannelError('twilio_500', 'retryable'));
    claimsSms({ failures: 1 });
    expect(await send.run(id, '5')).toMatchObject({ kind: 'retrying' });
    claimsSms({ failures: 2 });
    expect(await send.run(id, '5')).toMatchObject({ reason: 'attempts_exhausted:twilio_500' });
  });

  it('flags the numbers that a provider blocks for fraud', async () => {
    providers.given = [smsProvider('first'), smsProvider('second')];
    claimsSms();
    failing(new ChannelError('twilio_60410', 'terminal', undefined, 'prefix'));
    expect(await send.run(id, '5')).toMatchObject({ reason: 'twilio_60410', failed: true });
    expect(prefixes.flagged).toEqual(['+4915112345678 twilio_60410']);
    expect(doors.asked).toEqual(['first']);
  });

  it('repeats once what a dead worker may have sent, and never a third time', async () => {
    claims({ attempts: 2, handOvers: 1 });
    expect(await send.run(id, '5')).toEqual({ kind: 'sent' });
    claims({ attempts: 3, handOvers: 2 });
    expect(await send.run(id, '5')).toEqual({ kind: 'abandoned', reason: 'ambiguous', failed: true });
    expect(doors.mails).toHaveLength(1);
  });

  describe('with a second provider', () => {
    beforeEach(() => {
      providers.given = [smtpProvider('first'), smtpProvider('second')];
    });

    it('goes to it when the first certainly did not take the message', async () => {
      failing(new ChannelError('smtp_connection', 'retryable'), 'first');
      expect(await send.run(id, '5')).toEqual({ kind: 'sent' });
      expect(doors.asked).toEqual(['first', 'second']);
      expect(notifications.written).toEqual([
        'handed to first, 1 unclear',
        'handed to second, 1 unclear',
        'sent ',
      ]);
    });

    it.each(['ambiguous', 'terminal'] as const)('keeps what ended %s from it', async (failure) => {
      failing(new ChannelError('smtp_x', failure), 'first');
      await send.run(id, '5');
      expect(doors.asked).toEqual(['first']);
    });

    it('leaves a first one alone that is paused, and tells so once', async () => {
      failing(new ChannelError('smtp_535', 'retryable', undefined, 'provider'), 'first');
      for (let message = 0; message < 3; message += 1) {
        expect(await send.run(id, '5')).toEqual({ kind: 'sent' });
      }
      expect(doors.asked).toEqual(['first', 'second', 'second', 'second']);
      const told = events.appended.filter(({ type }) => type === 'notification_provider.paused');
      expect(told).toMatchObject([{ aggregateId: 'first', data: { reason: 'smtp_535' } }]);
    });
  });

  it('has messages wait, and fails none, while the only provider is paused', async () => {
    failing(new ChannelError('smtp_535', 'retryable', undefined, 'provider'));
    expect(await send.run(id, '5')).toMatchObject({ kind: 'held' });
    expect(notifications.written.at(-1)).toBe('given back smtp_535');
    expect(finished).toEqual([]);
    notifications.next = { kind: 'no-channel', channel: 'email', expired: false, expiresInMs: 9_000 };
    expect(await send.run(id, '5')).toEqual({ kind: 'held', retryInMs: 9_000 });
    expect(doors.asked).toHaveLength(1);
  });

  it('sends a code that a provider makes through that provider only, without content', async () => {
    providers.given = [smsProvider('other'), smsProvider('maker', 'twilio_verify')];
    claimsSms({ code: undefined, codeProviderId: 'maker' as ProviderId });
    expect(await send.run(id, '5')).toEqual({ kind: 'sent' });
    expect(doors.asked).toEqual(['maker']);
    expect(doors.messages).toMatchObject([{ code: undefined, to: '+4915112345678' }]);
  });

  it('never gives our code to a provider that makes its own', async () => {
    providers.given = [smsProvider('maker', 'twilio_verify')];
    claimsSms();
    expect(await send.run(id, '5')).toMatchObject({ kind: 'held' });
    expect(doors.asked).toEqual([]);
  });

  it('counts no hand-over when it did not come to one', async () => {
    claims({ template: 'verify_phone' });
    await expect(send.run(id, '5')).rejects.toThrow();
    expect(notifications.written).toEqual(['postponed internal, 0 unclear, 1 failed']);
  });

  it('neither sends nor writes anything when it lost its claim meanwhile', async () => {
    notifications.fenceHolds = false;
    expect(await send.run(id, '5')).toMatchObject({ kind: 'busy' });
    expect(doors.asked).toEqual([]);
    expect(finished).toEqual([]);
    expect(events.appended).toEqual([]);
  });

  it('insists on writing down that the provider has it', async () => {
    notifications.failures = 1;
    expect(await send.run(id, '5')).toEqual({ kind: 'sent' });
    expect(doors.mails).toHaveLength(1);
    expect(finished).toEqual(['5']);
  });
});
