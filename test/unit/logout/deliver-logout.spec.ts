import { generateKeyPairSync } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { BackChannel } from '../../../src/domain/logout/back-channel.js';
import { DeliverLogout, MAX_LOGOUT_ATTEMPTS } from '../../../src/domain/logout/deliver-logout.js';
import {
  LogoutNoticesStore,
  type ClaimedLogoutNotice,
  type LogoutClaim,
} from '../../../src/domain/logout/logout-notices.store.js';
import { LogoutTokens } from '../../../src/domain/logout/logout-tokens.js';
import { ChannelError } from '../../../src/domain/notifications/channels.js';
import { ClaimAndDeliver } from '../../../src/domain/outbox/claim-and-deliver.js';
import type { EnqueuedWork, OutboxStore } from '../../../src/domain/outbox/outbox.store.js';
import type { ClientId, LogoutNoticeId, OrgId, SessionId, UserId } from '../../../src/domain/shared/ids.js';
import { UnitOfWork, type Tx } from '../../../src/domain/shared/unit-of-work.js';
import type { KeyRing } from '../../../src/domain/signing-keys/key-ring.js';
import { PairwiseSubjects } from '../../../src/domain/tokens/claims/pairwise-subjects.js';
import { SignJwt } from '../../../src/domain/tokens/jwt/sign-jwt.js';
import type { TokenSettings } from '../../../src/domain/tokens/token-settings.js';
import { KeptEvents } from '../../support/kept-events.js';
import { PlainSealer } from '../../support/plain-sealer.js';
import { SetClock } from '../../support/set-clock.js';

const id = '77' as LogoutNoticeId;

function notice(differences: Partial<ClaimedLogoutNotice> = {}): ClaimedLogoutNotice {
  return {
    id,
    fence: '1',
    attempts: 1,
    lastError: null,
    outboxId: '5',
    orgId: 'org-1' as OrgId,
    userId: 'user-1' as UserId,
    sessionId: 'session-1' as SessionId,
    clientId: 'client-1' as ClientId,
    applicationActive: true,
    devMode: false,
    clockSkewSeconds: 0,
    givenUp: false,
    uri: 'https://rp.test/out',
    ...differences,
  };
}

class OneTransaction extends UnitOfWork {
  override async run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return await work({} as Tx);
  }

  override afterCommit(_tx: Tx, act: () => void): void {
    act();
  }
}

class Notices extends LogoutNoticesStore {
  next: LogoutClaim = { kind: 'claimed', notice: notice() };
  fenceHolds = true;
  written: string[] = [];

  override findOwner(): Promise<OrgId> {
    return Promise.resolve('org-1' as OrgId);
  }

  override claim(): Promise<LogoutClaim> {
    return Promise.resolve(this.next);
  }

  override markDelivered(): Promise<boolean> {
    if (this.fenceHolds) this.written.push('delivered');
    return Promise.resolve(this.fenceHolds);
  }

  override markAbandoned(_tx: Tx, _claim: ClaimedLogoutNotice, reason: string): Promise<boolean> {
    if (this.fenceHolds) this.written.push(`abandoned ${reason}`);
    return Promise.resolve(this.fenceHolds);
  }

  override release(_claim: ClaimedLogoutNotice, reason: string): Promise<boolean> {
    this.written.push(`released ${reason}`);
    return Promise.resolve(true);
  }
}

class Door extends BackChannel {
  taken: { uri: string; token: string }[] = [];
  failure: Error | undefined;

  override deliver(uri: string, token: string): Promise<void> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    this.taken.push({ uri, token });
    return Promise.resolve();
  }
}

const keys = generateKeyPairSync('ed25519');
const signer = { kid: 'kid-1', algorithm: 'EdDSA' as const, key: keys.privateKey };
const signJwt = new SignJwt({ currentSigner: () => Promise.resolve(signer) } as KeyRing);

let clock: SetClock;
let notices: Notices;
let door: Door;
let events: KeptEvents;
let finished: string[];
let deliver: DeliverLogout;

beforeEach(() => {
  clock = new SetClock(1_800_000_000_000);
  notices = new Notices();
  door = new Door();
  events = new KeptEvents();
  finished = [];
  const outbox = {
    finish: (_tx: Tx, row: string) => Promise.resolve(void finished.push(row)),
    discard: ({ outboxId, queue, jobName, payload }: EnqueuedWork) =>
      Promise.resolve(void finished.push(`${outboxId} if ${queue} ${jobName} ${JSON.stringify(payload)}`)),
  } as OutboxStore;
  const settings = { issuer: 'https://id.example.com' } as TokenSettings;
  const tokens = new LogoutTokens(signJwt, new PairwiseSubjects(new PlainSealer()), clock, settings);
  deliver = new DeliverLogout(
    new ClaimAndDeliver(new OneTransaction(), outbox, events),
    notices,
    tokens,
    door,
  );
});

function claims(differences: Partial<ClaimedLogoutNotice>): void {
  notices.next = { kind: 'claimed', notice: notice(differences) };
}

describe('a logout token', () => {
  it('says who, to whom, of which session, and that it is nothing else than a logout', async () => {
    await deliver.run(id, '5');
    const token = door.taken[0]?.token ?? '';
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', kid: 'kid-1', typ: 'logout+jwt' });
    const { payload } = await jwtVerify(token, keys.publicKey, { currentDate: new Date(clock.nowMs()) });
    expect(payload).toEqual({
      iss: 'https://id.example.com',
      sub: 'user-1',
      aud: ['client-1'],
      iat: clock.nowSeconds(),
      exp: clock.nowSeconds() + 120,
      jti: '77',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      sid: 'session-1',
    });
  });

  it('is made anew for each attempt, under the same jti, with the application’s clock skew', async () => {
    await deliver.run(id, '5');
    clock.now += 600_000;
    claims({ attempts: 2, clockSkewSeconds: 3 });
    await deliver.run(id, '5');
    const [first, second] = await Promise.all(
      door.taken.map(
        async ({ token }) =>
          (await jwtVerify(token, keys.publicKey, { currentDate: new Date(clock.now - 590_000) })).payload,
      ),
    );
    expect(second?.jti).toBe(first?.jti);
    expect([second?.iat, second?.exp]).toEqual([clock.nowSeconds() - 3, clock.nowSeconds() + 123]);
  });

  it('never takes the header of another kind of token that the same key signs', async () => {
    const typeOf = async (sign: Promise<string>) => decodeProtectedHeader(await sign).typ;
    expect(await typeOf(signJwt.sign(() => ({}), 'logout+jwt'))).toBe('logout+jwt');
    expect(await typeOf(signJwt.sign(() => ({})))).toBe('JWT');
    expect(await typeOf(signJwt.sign(() => ({}), 'logout+jwt'))).toBe('logout+jwt');
  });
});

describe('delivering a logout', () => {
  it('writes state and event, and deletes the row of the outbox that the notice names', async () => {
    expect(await deliver.run(id, '99')).toEqual({ kind: 'delivered' });
    expect(door.taken.map(({ uri }) => uri)).toEqual(['https://rp.test/out']);
    expect(notices.written).toEqual(['delivered']);
    expect(finished).toEqual(['5']);
    expect(events.appended).toEqual([
      {
        orgId: 'org-1',
        aggregateType: 'logout_notice',
        aggregateId: '77',
        sequence: '1',
        type: 'logout_notice.delivered',
        actorId: null,
        data: { userId: 'user-1', sessionId: 'session-1', clientId: 'client-1', attempts: 1 },
      },
    ]);
  });

  it('does nothing for one that is finished but delete a row of the outbox that is really its own', async () => {
    notices.next = { kind: 'finished' };
    expect(await deliver.run(id, '99')).toEqual({ kind: 'finished' });
    expect(finished).toEqual(['99 if notifications deliver-logout {"logoutNoticeId":"77"}']);
    expect(door.taken).toEqual([]);
  });

  it('keeps its hands off what another worker holds', async () => {
    notices.next = { kind: 'busy', retryInMs: 700 };
    expect(await deliver.run(id, '5')).toEqual({ kind: 'busy', retryInMs: 700 });
    expect(door.taken).toEqual([]);
  });

  it.each([
    [{ uri: null }, 'uri_withdrawn', false],
    [{ applicationActive: false }, 'application_inactive', false],
    [{ uri: 'http://rp.test/out' }, 'uri_not_allowed', true],
    [{ attempts: MAX_LOGOUT_ATTEMPTS + 1, lastError: 'timeout' }, 'attempts_exhausted:timeout', true],
  ] as const)('calls nobody and gives up: %j', async (differences, reason, failed) => {
    claims(differences);
    expect(await deliver.run(id, '5')).toEqual({ kind: 'abandoned', reason, failed });
    expect(door.taken).toEqual([]);
    expect(finished).toEqual(['5']);
    expect(events.appended).toMatchObject([{ type: 'logout_notice.abandoned', data: { reason } }]);
  });

  it('tells its organization of no name whether it leads inside (S514)', async () => {
    const reason = 'attempts_exhausted:address_refused';
    claims({ attempts: MAX_LOGOUT_ATTEMPTS + 1, lastError: 'address_refused' });
    expect(await deliver.run(id, '5')).toEqual({ kind: 'abandoned', reason, failed: true });
    expect(notices.written).toContain(`abandoned ${reason}`);
    expect(events.appended).toMatchObject([{ data: { reason: 'attempts_exhausted:dns' } }]);
  });

  it('calls http in development mode', async () => {
    claims({ uri: 'http://rp.test/out', devMode: true });
    expect(await deliver.run(id, '5')).toEqual({ kind: 'delivered' });
  });

  it('gives the claim back and lets the error escape when a retry may help', async () => {
    door.failure = new ChannelError('http_503', 'retryable');
    await expect(deliver.run(id, '5')).rejects.toThrow('http_503');
    door.failure = new Error('ECONNRESET 10.0.0.1');
    await expect(deliver.run(id, '5')).rejects.toThrow();
    expect(notices.written).toEqual(['released http_503', 'released internal']);
    expect(finished).toEqual([]);
  });

  it('takes a refusal as the last word, and the last attempt as the last', async () => {
    door.failure = new ChannelError('http_400', 'terminal');
    expect(await deliver.run(id, '5')).toEqual({ kind: 'abandoned', reason: 'http_400', failed: true });
    claims({ attempts: MAX_LOGOUT_ATTEMPTS });
    door.failure = new ChannelError('timeout', 'retryable');
    expect(await deliver.run(id, '5')).toMatchObject({ reason: 'attempts_exhausted:timeout', failed: true });
  });

  it('writes nothing when it lost its claim meanwhile', async () => {
    notices.fenceHolds = false;
    expect(await deliver.run(id, '5')).toEqual({ kind: 'finished' });
    expect(finished).toEqual([]);
    expect(events.appended).toEqual([]);
  });
});
