import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChannelError } from '../../../src/domain/notifications/channels.js';
import { ChangeProviderHealth } from '../../../src/domain/notifications/health/change-provider-health.js';
import { ProviderGates, type Admission } from '../../../src/domain/notifications/health/provider-gates.js';
import { FAILURES_TO_OPEN, HEALTHY } from '../../../src/domain/notifications/health/provider-health.js';
import type { SharedHealth } from '../../../src/domain/notifications/providers/notification-providers.store.js';
import type { Provider } from '../../../src/domain/notifications/providers/provider.js';
import { UnitOfWork, type Tx } from '../../../src/domain/shared/unit-of-work.js';
import { KeptEvents } from '../../support/kept-events.js';
import { GivenProviders, KeptLog, smsProvider, smtpProvider } from '../../support/sending.js';
import { MemoryHealth } from './memory-health.js';

class NoTransaction extends UnitOfWork {
  override run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return work({} as Tx);
  }

  override afterCommit(_tx: Tx, act: () => void): void {
    act();
  }
}

const SECOND = 1_000;
const down = new ChannelError('twilio_http_503', 'retryable');
const unpaid = new ChannelError('twilio_20005', 'retryable', 600 * SECOND, 'provider');

describe('the gates before providers', () => {
  let health: MemoryHealth;
  let events: KeptEvents;
  let log: KeptLog;
  let given: GivenProviders;
  let gates: ProviderGates;

  beforeEach(() => {
    vi.useFakeTimers();
    health = new MemoryHealth();
    events = new KeptEvents();
    log = new KeptLog();
    given = new GivenProviders([], health);
    gates = newGates();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function newGates(): ProviderGates {
    const changeHealth = new ChangeProviderHealth(given, events, log);
    return new ProviderGates(given, new NoTransaction(), changeHealth);
  }

  async function enter(provider: Provider, urgent: boolean, waitedMs = 0): Promise<Admission> {
    const entering = gates.enter(provider, urgent);
    await vi.advanceTimersByTimeAsync(waitedMs);
    return await entering;
  }

  function open(provider: Provider, differences: { paused?: boolean; seconds?: number } = {}): void {
    const { paused = false, seconds = 30 } = differences;
    const openUntil = new Date(health.now.getTime() + seconds * SECOND);
    health.rows.set(provider.id, { ...HEALTHY, ...provider, failures: 5, openings: 1, openUntil, paused });
  }

  it('are open where any provider of the channel is, and say when to ask again where none is', async () => {
    const [first, second] = [smsProvider('first'), smsProvider('second')];
    given.given = [first, second, smtpProvider('mail')];
    open(first, { seconds: 30 });
    expect(await gates.openChannels(false)).toEqual({ open: ['email', 'sms'], waitMs: {} });
    open(second, { seconds: 20 });
    const anew = newGates();
    expect(await anew.openChannels(false)).toEqual({ open: ['email'], waitMs: { sms: 20 * SECOND } });
    expect(await anew.openChannels(true)).toEqual({ open: ['email', 'sms'], waitMs: {} });
  });

  it('leave out what has no provider, and keep urgent messages out only while nothing can be sent', async () => {
    given.given = [smsProvider('only')];
    open(given.given[0] as Provider, { paused: true });
    expect(await gates.openChannels(true)).toEqual({ open: [], waitMs: { sms: 30 * SECOND } });
  });

  it('know of a change within a second, and of one’s own at once', async () => {
    const provider = smsProvider('one');
    given.given = [provider];
    expect((await gates.openChannels(false)).open).toEqual(['sms']);
    open(provider);
    expect((await gates.openChannels(false)).open).toEqual(['sms']);
    await vi.advanceTimersByTimeAsync(1_001);
    expect((await gates.openChannels(false)).open).toEqual([]);
    await gates.succeeded(provider);
    expect((await gates.openChannels(false)).open).toEqual(['sms']);
    expect(events.types).toEqual(['notification_provider.resumed']);
    expect(log.lines).toEqual(['a notification provider is back in use']);
  });

  it('tell operators when they shut, and why', async () => {
    const provider = smsProvider('one');
    for (let times = 0; times < FAILURES_TO_OPEN; times += 1) await gates.failed(provider, down);
    await gates.failed(provider, unpaid);
    await gates.failed(provider, unpaid);
    expect(events.types).toEqual(['notification_provider.opened', 'notification_provider.paused']);
    expect(log.lines).toHaveLength(2);
  });

  it('write nothing for what is about one message, and nothing when all was well before', async () => {
    const provider = smsProvider('one');
    await gates.failed(provider, new ChannelError('twilio_21211', 'terminal'));
    await gates.succeeded(provider);
    expect(health.rows.size).toBe(0);
  });

  it('let one message probe, and tell the others when to come back', async () => {
    const provider = smsProvider('one');
    open(provider, { seconds: 0 });
    health.probes = 1;
    expect(await enter(provider, false)).toMatchObject({ kind: 'admitted' });
    expect(await enter(provider, false)).toEqual({ kind: 'closed', waitMs: 2 * SECOND });
  });

  it('give the slot back of whom they then do not admit', async () => {
    const provider = smtpProvider('one', { connections: 1 });
    open(provider, { seconds: 0 });
    for (let times = 0; times < 3; times += 1) {
      expect(await enter(provider, true)).toMatchObject({ kind: 'closed' });
    }
    health.probes = 1;
    expect(await enter(provider, true)).toMatchObject({ kind: 'admitted' });
  });

  it('give it back when Postgres cannot be asked', async () => {
    const provider = smtpProvider('one', { connections: 1, ratePerSecond: 1 });
    const asked = vi.spyOn(health, 'takeTurn').mockRejectedValueOnce(new Error('away'));
    await expect(gates.enter(provider, true)).rejects.toThrow('away');
    asked.mockResolvedValue(0);
    expect(await enter(provider, true)).toMatchObject({ kind: 'admitted' });
  });

  it('hold no more messages than there are connections, and have the next one wait for one', async () => {
    const provider = smtpProvider('one', { connections: 1 });
    const first = await enter(provider, true);
    expect(await enter(provider, true, 5 * SECOND)).toEqual({ kind: 'closed', waitMs: SECOND });
    const next = gates.enter(provider, true);
    if (first.kind === 'admitted') first.leave();
    expect(await next).toMatchObject({ kind: 'admitted' });
  });

  it('ask for no turn where there is no rate, and look less far ahead for what nobody waits for', async () => {
    const asked = vi.spyOn<SharedHealth, 'takeTurn'>(health, 'takeTurn').mockResolvedValue(0);
    await enter(smtpProvider('unlimited'), true);
    expect(asked).not.toHaveBeenCalled();
    const provider = smtpProvider('limited', { ratePerSecond: 10 });
    await enter(provider, true);
    await enter(provider, false);
    expect(asked.mock.calls.map(([, rate, horizonMs]) => [rate, horizonMs])).toEqual([
      [10, 5 * SECOND],
      [10, 250],
    ]);
  });
});
