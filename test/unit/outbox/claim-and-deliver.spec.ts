import { beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../../src/domain/events/events.store.js';
import { ClaimAndDeliver } from '../../../src/domain/outbox/claim-and-deliver.js';
import type { Claim, Delivery, DeliveryLimits, Failure } from '../../../src/domain/outbox/delivery.js';
import type { OutboxStore } from '../../../src/domain/outbox/outbox.store.js';
import type { OrgId } from '../../../src/domain/shared/ids.js';
import { UnitOfWork, type Tx } from '../../../src/domain/shared/unit-of-work.js';
import { KeptEvents } from '../../support/kept-events.js';

class OneTransaction extends UnitOfWork {
  override async run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return await work({} as Tx);
  }

  override afterCommit(_tx: Tx, act: () => void): void {
    act();
  }
}

const CLAIM: Claim = {
  id: '7',
  fence: '3',
  attempts: 2,
  lastError: 'http_503',
  outboxId: '5',
  orgId: 'org-1' as OrgId,
};
const LIMITS: DeliveryLimits = { attempts: 4, failures: 4, handOvers: 2, waitsAreFailures: true };

type Made = Delivery<Claim, string, Failure>;

describe('claim and deliver', () => {
  let written: string[];
  let events: KeptEvents;
  let engine: ClaimAndDeliver;

  beforeEach(() => {
    written = [];
    events = new KeptEvents();
    const outbox = {
      finish: (_tx: Tx, row: string) => Promise.resolve(void written.push(`settled ${row}`)),
      postpone: (_tx: Tx, row: string) => Promise.resolve(written.push(`queued ${row}`) && 'queued'),
    } as unknown as OutboxStore;
    engine = new ClaimAndDeliver(new OneTransaction(), outbox, events);
  });

  function delivery(differences: Partial<Made> = {}, claim: Partial<Claim> = {}): Made {
    return {
      name: 'logout',
      work: { queue: 'notifications', jobName: 'deliver-logout', payload: { logoutNoticeId: '7' } },
      events: { taken: 'logout_notice.delivered', abandoned: 'logout_notice.abandoned' },
      claim: () => Promise.resolve({ kind: 'claimed', claim: { ...CLAIM, ...claim } }),
      unwanted: () => undefined,
      limitsOf: () => LIMITS,
      attempt: () => Promise.resolve({ kind: 'taken', taken: 'their-1' }),
      retry: (of, { reason, failures, handOvers, delayMs }) =>
        engine.postpone(of, () => {
          written.push(`${reason}, ${failures} failed, ${handOvers} unclear`);
          return Promise.resolve(delayMs);
        }),
      subjectOf: () => ({ userId: 'user-1' }),
      finish: (of, taken, event) =>
        engine.end(of, event, () => Promise.resolve(written.push(`taken as ${taken}`) > 0)),
      markAbandoned: (_tx, _claim, { reason, ambiguous }) => {
        written.push(`abandoned ${reason}${ambiguous ? ', may have arrived' : ''}`);
        return Promise.resolve('abandoned');
      },
      ...differences,
    };
  }

  const fails = (failure: Failure): Partial<Made> => ({
    attempt: () => Promise.resolve({ kind: 'failed', error: failure }),
  });

  it('writes the outcome and its event, and deletes the row of the outbox, under the fence of the claim', async () => {
    expect(await engine.run(delivery(), '5')).toEqual({ kind: 'taken' });
    expect(written).toEqual(['taken as their-1', 'settled 5']);
    expect(events.appended).toEqual([
      {
        orgId: 'org-1',
        aggregateType: 'logout_notice',
        aggregateId: '7',
        sequence: '3',
        type: 'logout_notice.delivered',
        actorId: null,
        data: { userId: 'user-1', attempts: 2 },
      },
    ]);
  });

  it('insists on writing down what was taken, and delivers it no second time', async () => {
    let attempts = 0;
    let away = true;
    const given = delivery();
    const attempt = () => {
      attempts += 1;
      return given.attempt(CLAIM);
    };
    const finish = (claim: Claim, taken: string, event: AuditEvent) => {
      if (!away) return given.finish(claim, taken, event);
      away = false;
      return Promise.reject(new Error('connection terminated'));
    };
    expect(await engine.run(delivery({ attempt, finish }), '5')).toEqual({ kind: 'taken' });
    expect(attempts).toBe(1);
    expect(written).toEqual(['taken as their-1', 'settled 5']);
  });

  it('gives back what an error of our own stopped, and ends what such errors stop every time', async () => {
    const attempt = () => Promise.reject(new Error('no template'));
    await expect(engine.run(delivery({ attempt }), '5')).rejects.toThrow('no template');
    expect(await engine.run(delivery({ attempt }, { attempts: 4 }), '5')).toMatchObject({ failed: true });
    expect(written).toEqual([
      'internal, 2 failed, 0 unclear',
      'queued 5',
      'abandoned attempts_exhausted:internal',
      'settled 5',
    ]);
  });

  it('writes a failure down even where what else follows from it could not be written', async () => {
    const heed = () => Promise.reject(new Error('connection terminated'));
    const refused = { reason: 'http_400', failure: 'terminal' } as const;
    expect(await engine.run(delivery({ ...fails(refused), heed }), '5')).toMatchObject({
      reason: 'http_400',
    });
    expect(written).toEqual(['abandoned http_400', 'settled 5']);
  });

  it('gives nothing up that the other side says meanwhile it has', async () => {
    const markAbandoned = () => Promise.resolve('taken' as const);
    const unheard = fails({ reason: 'timeout', failure: 'ambiguous' });
    const given = delivery({ ...unheard, markAbandoned }, { handOvers: 1 });
    expect(await engine.run(given, '5')).toEqual({ kind: 'taken' });
    expect(events.appended).toMatchObject([{ type: 'logout_notice.delivered', data: { userId: 'user-1' } }]);
    expect(written).toEqual(['settled 5']);
  });

  it('counts as failures the attempts before where nothing else is counted', async () => {
    const away = { reason: 'http_503', failure: 'retryable', retryAfterMs: 9_000 } as const;
    expect(await engine.run(delivery(fails(away), { attempts: 3 }), '5')).toEqual({
      kind: 'retrying',
      reason: 'http_503',
      retryInMs: 9_000,
      held: false,
    });
    expect(await engine.run(delivery(fails(away), { attempts: 4 }), '5')).toMatchObject({
      reason: 'attempts_exhausted:http_503',
    });
    expect(await engine.run(delivery(fails(away), { attempts: 4, failures: 1 }), '5')).toMatchObject({
      kind: 'retrying',
    });
  });

  it('hands over no more often than may have arrived, and tells so', async () => {
    const unheard = { reason: 'timeout', failure: 'ambiguous' } as const;
    expect(await engine.run(delivery(fails(unheard), { handOvers: 0 }), '5')).toMatchObject({
      kind: 'retrying',
    });
    await engine.run(delivery(fails(unheard), { handOvers: 1 }), '5');
    await engine.run(delivery({}, { handOvers: 2 }), '5');
    expect(written.filter((line) => line.startsWith('abandoned'))).toEqual([
      'abandoned timeout, may have arrived',
      'abandoned ambiguous, may have arrived',
    ]);
  });
});
