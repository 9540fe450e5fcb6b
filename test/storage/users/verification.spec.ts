import { describe, expect, it } from 'vitest';
import { NotificationSettings } from '../../../src/domain/notifications/notification-settings.js';
import { NotificationsStore } from '../../../src/domain/notifications/notifications.store.js';
import { CheckPassword } from '../../../src/domain/passwords/check-password.js';
import { Sealer } from '../../../src/domain/secrets/sealer.js';
import type { NotificationId, OrgId, UserId } from '../../../src/domain/shared/ids.js';
import { randomToken } from '../../../src/domain/shared/random.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import {
  EnqueueVerification,
  type VerificationToEnqueue,
} from '../../../src/domain/users/verification/enqueue-verification.js';
import { FindVerification } from '../../../src/domain/users/verification/find-verification.js';
import { HandOutLink } from '../../../src/domain/users/verification/hand-out-link.js';
import { SetInitialPassword } from '../../../src/domain/users/verification/set-initial-password.js';
import { CODE_LIFETIME_MS } from '../../../src/domain/users/verification/verification-code.js';
import { VerificationCodesStore } from '../../../src/domain/users/verification/verification-codes.store.js';
import { VerifyEmail } from '../../../src/domain/users/verification/verify-email.js';
import { eventTypesOf } from '../../support/events.js';
import { TEST_BILL } from '../../support/hashing.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const PASSWORD = 'Marker-Passw0rd!';

const { api, world } = useWorld();

interface Person {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly address: string;
}

async function addPerson(changes: { address?: string; initial?: boolean } = {}): Promise<Person> {
  const address = changes.address ?? `${randomToken(6).toLowerCase()}@mail.test`;
  const { userId, orgId } = await aUser(world, { email: { address, verified: false } });
  if (changes.initial === true) {
    await api.sql.query(`UPDATE users SET state = 'initial' WHERE id = $1`, [userId]);
    await api.sql.query(`DELETE FROM user_passwords WHERE user_id = $1`, [userId]);
  }
  return { userId, orgId, address };
}

/** Enqueues the message and reads, as the worker would, what it says. */
async function enqueue(
  person: Person,
  purpose: VerificationToEnqueue['purpose'],
): Promise<{ linkId: string; code: string }> {
  const { userId, orgId, address } = person;
  await api.app
    .get(UnitOfWork)
    .run((tx) => api.app.get(EnqueueVerification).execute(tx, { userId, orgId, purpose, target: address }));
  const { rows } = await api.sql.query<{ id: NotificationId }>(
    'SELECT id FROM notifications WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1',
    [userId],
  );
  const claim = await api.app.get(NotificationsStore).claim(rows[0]!.id, ['email'], 1000);
  if (claim.kind !== 'claimed') throw new Error(`not claimed: ${claim.kind}`);
  return { linkId: claim.notification.codeId, code: claim.notification.code ?? '' };
}

async function userRow(userId: UserId): Promise<Record<string, unknown>> {
  const { rows } = await api.sql.query<Record<string, unknown>>(
    `SELECT u.state, u.sequence, u.token_epoch, h.email_verified,
       (SELECT count(*)::int FROM user_passwords p WHERE p.user_id = u.id) AS passwords,
       ARRAY(SELECT canonical FROM login_identifiers i WHERE i.user_id = u.id AND i.kind = 'email') AS emails
     FROM users u JOIN user_humans h ON h.user_id = u.id WHERE u.id = $1`,
    [userId],
  );
  return rows[0] ?? {};
}

const setPassword = (linkId: string, code: string, password = PASSWORD) =>
  api.app
    .get(SetInitialPassword)
    .execute({ linkId, orgId: world.orgId, code, password, source: '192.0.2.1' });
const verify = (linkId: string, code: string) => api.app.get(VerifyEmail).execute(linkId, code);
const stateOf = async (linkId: string, purpose: 'initialise' | 'verify_email' = 'initialise') =>
  (await api.app.get(FindVerification).find(linkId, purpose))?.state;

/** A code of the right form that is not the right one. */
const other = (code: string) => (code.startsWith('A') ? `B${code.slice(1)}` : `A${code.slice(1)}`);

describe('setting the first password', () => {
  it('activates the user and verifies the address', async () => {
    const person = await addPerson({ initial: true });
    const { linkId, code } = await enqueue(person, 'initialise');
    expect(await api.app.get(FindVerification).find(linkId, 'initialise')).toMatchObject({
      purpose: 'initialise',
      state: 'live',
      userId: person.userId,
      target: person.address,
      displayName: 'Ada Lovelace',
      organization: { name: `Org ${world.domain}` },
      loginName: expect.stringMatching(new RegExp(`@${world.domain}$`)) as string,
    });
    expect(await setPassword(linkId, code)).toEqual({
      kind: 'done',
      userId: person.userId,
      orgId: person.orgId,
      email: person.address,
    });
    expect(await userRow(person.userId)).toEqual({
      state: 'active',
      sequence: '2',
      token_epoch: 0,
      email_verified: true,
      passwords: 1,
      emails: [person.address],
    });
    expect(await eventTypesOf(api, person.userId)).toEqual(['user.human.initialised']);
    expect(await api.app.get(CheckPassword).check(person.userId, PASSWORD, TEST_BILL)).toMatchObject({
      matches: true,
    });
    expect(await stateOf(linkId)).toBe('ended');
    expect(await setPassword(linkId, code)).toEqual({ kind: 'link-over' });
  });

  it('takes the code as people type it', async () => {
    const person = await addPerson({ initial: true });
    const { linkId, code } = await enqueue(person, 'initialise');
    expect(code).toMatch(/^[A-Z2-9]{6}$/);
    const typed = ` ${code.slice(0, 3).toLowerCase()}-${code.slice(3)} `;
    expect(await setPassword(linkId, typed)).toMatchObject({ kind: 'done' });
  });

  it('raises the token epoch of one who had a password', async () => {
    const person = await addPerson();
    const { linkId, code } = await enqueue(person, 'initialise');
    await setPassword(linkId, code);
    expect(await userRow(person.userId)).toMatchObject({ token_epoch: 1, passwords: 1 });
  });

  it('refuses a weak password before it looks at the code, which costs no try', async () => {
    const person = await addPerson({ initial: true });
    const { linkId, code } = await enqueue(person, 'initialise');
    for (let attempt = 0; attempt < 7; attempt += 1) {
      expect(await setPassword(linkId, 'WRONG2', 'short')).toEqual({
        kind: 'password-too-weak',
        unmet: ['length', 'upper-case', 'number', 'symbol'],
      });
    }
    expect(await setPassword(linkId, code, 'x'.repeat(1025))).toEqual({ kind: 'password-too-long' });
    expect(await setPassword(linkId, code)).toMatchObject({ kind: 'done' });
  });

  it('happens once when sent 20 times at once', async () => {
    const person = await addPerson({ initial: true });
    const { linkId, code } = await enqueue(person, 'initialise');
    const results = await Promise.all(Array.from({ length: 20 }, () => setPassword(linkId, code)));
    expect(results.filter((result) => result.kind === 'done')).toHaveLength(1);
    expect(results.filter((result) => result.kind === 'link-over')).toHaveLength(19);
    expect(await eventTypesOf(api, person.userId)).toEqual(['user.human.initialised']);
  });
});

describe('verifying an address', () => {
  it('makes it a name to sign in with', async () => {
    const person = await addPerson({ address: `${randomToken(4)}@Mail.Test` });
    const { linkId, code } = await enqueue(person, 'verify_email');
    expect(await verify(linkId, code)).toMatchObject({ kind: 'done' });
    expect(await userRow(person.userId)).toMatchObject({
      sequence: '2',
      token_epoch: 0,
      email_verified: true,
      emails: [person.address.toLowerCase()],
    });
    expect(await eventTypesOf(api, person.userId)).toEqual(['user.human.email.verified']);
  });

  it('is refused when another user of the organization verified it first, and changes nothing', async () => {
    const [first, second] = [
      await addPerson({ address: 'both@mail.test' }),
      await addPerson({ address: 'BOTH@mail.test' }),
    ];
    const [one, two] = [await enqueue(first, 'verify_email'), await enqueue(second, 'initialise')];
    expect(await verify(one.linkId, one.code)).toMatchObject({ kind: 'done' });
    const before = await userRow(second.userId);
    expect(await setPassword(two.linkId, two.code)).toEqual({ kind: 'email-taken' });
    expect(await userRow(second.userId)).toEqual(before);
    expect(await stateOf(two.linkId)).toBe('live');
  });

  it('goes to one of two who try at once', async () => {
    const people = await Promise.all([1, 2].map(() => addPerson({ address: 'dispute@mail.test' })));
    const links = await Promise.all(people.map((person) => enqueue(person, 'verify_email')));
    const results = await Promise.all(links.map(({ linkId, code }) => verify(linkId, code)));
    expect(results.map((result) => result.kind).sort()).toEqual(['done', 'email-taken']);
  });
});

describe('a code', () => {
  it('is burned after five tries, also when the sixth is right', async () => {
    const person = await addPerson({ initial: true });
    const { linkId, code } = await enqueue(person, 'initialise');
    for (const attemptsLeft of [4, 3, 2, 1, 0]) {
      expect(await setPassword(linkId, other(code))).toEqual({ kind: 'wrong-code', attemptsLeft });
    }
    expect(await stateOf(linkId)).toBe('burned');
    expect(await setPassword(linkId, code)).toEqual({ kind: 'link-over' });
    expect(await userRow(person.userId)).toMatchObject({ state: 'initial', passwords: 0 });
  });

  it('works at the fifth try', async () => {
    const person = await addPerson({ initial: true });
    const { linkId, code } = await enqueue(person, 'initialise');
    for (let attempt = 0; attempt < 4; attempt += 1) await setPassword(linkId, other(code));
    expect(await setPassword(linkId, code)).toMatchObject({ kind: 'done' });
  });

  it('is evaluated five times at most, tried 1,000 times at once', async () => {
    const person = await addPerson();
    const { linkId, code } = await enqueue(person, 'verify_email');
    const results = await Promise.all(Array.from({ length: 1_000 }, () => verify(linkId, other(code))));
    expect(results.filter((result) => result.kind === 'wrong-code')).toHaveLength(5);
    expect(results.filter((result) => result.kind === 'link-over')).toHaveLength(995);
  });

  it('is worth nothing for another user, another purpose or another link', async () => {
    const [first, second] = [await addPerson(), await addPerson()];
    const [one, two] = [await enqueue(first, 'verify_email'), await enqueue(second, 'verify_email')];
    expect(await verify(two.linkId, one.code)).toMatchObject({ kind: 'wrong-code' });
    expect(await setPassword(one.linkId, one.code)).toEqual({ kind: 'link-over' });
    expect(await verify('unknown', one.code)).toEqual({ kind: 'link-over' });
    expect(await stateOf(one.linkId, 'initialise')).toBeUndefined();
    const start = await enqueue(first, 'initialise');
    expect(await verify(start.linkId, start.code)).toEqual({ kind: 'link-over' });
    expect(await setPassword(start.linkId, one.code)).toMatchObject({ kind: 'wrong-code' });
  });

  it('ends when a newer one is sent, and never are two alive', async () => {
    const person = await addPerson();
    const first = await enqueue(person, 'verify_email');
    const second = await enqueue(person, 'verify_email');
    expect(await verify(first.linkId, first.code)).toEqual({ kind: 'link-over' });
    expect(await stateOf(first.linkId, 'verify_email')).toBe('ended');
    expect(await verify(second.linkId, second.code)).toMatchObject({ kind: 'done' });
  });

  it('is replaced by one of several that are made at once', async () => {
    const person = await addPerson();
    const { userId, orgId, address } = person;
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, () =>
        api.app
          .get(UnitOfWork)
          .run((tx) =>
            api.app
              .get(EnqueueVerification)
              .execute(tx, { userId, orgId, purpose: 'verify_email', target: address }),
          ),
      ),
    );
    for (const one of made) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ kind: 'aborted' });
    }
    const { rows } = await api.sql.query(
      'SELECT id FROM verification_codes WHERE user_id = $1 AND ended_at IS NULL',
      [userId],
    );
    expect(rows).toHaveLength(1);
  });

  it('is worth nothing once the address is another one', async () => {
    const person = await addPerson();
    const { linkId, code } = await enqueue(person, 'verify_email');
    await api.sql.query(`UPDATE user_humans SET email = 'new@mail.test' WHERE user_id = $1`, [person.userId]);
    expect(await stateOf(linkId, 'verify_email')).toBe('ended');
    expect(await verify(linkId, code)).toEqual({ kind: 'link-over' });
    expect(await userRow(person.userId)).toMatchObject({ email_verified: false, emails: [], sequence: '1' });
  });

  it.each(['inactive', 'locked'])('is worth nothing while the user is %s', async (state) => {
    const person = await addPerson({ initial: true });
    const { linkId, code } = await enqueue(person, 'initialise');
    await api.sql.query('UPDATE users SET state = $2 WHERE id = $1', [person.userId, state]);
    expect(await stateOf(linkId)).toBe('ended');
    expect(await setPassword(linkId, code)).toEqual({ kind: 'link-over' });
    expect(await userRow(person.userId)).toMatchObject({ state, passwords: 0, email_verified: false });
  });

  it('expires by the database’s clock, nobody having to clean up', async () => {
    const [mail, start] = [await addPerson(), await addPerson({ initial: true })];
    const [verification, initialisation] = [
      await enqueue(mail, 'verify_email'),
      await enqueue(start, 'initialise'),
    ];
    await api.advance(11 * 60);
    expect(await stateOf(verification.linkId, 'verify_email')).toBe('expired');
    expect(await verify(verification.linkId, verification.code)).toEqual({ kind: 'link-over' });
    expect(await stateOf(initialisation.linkId)).toBe('live');
    await api.advance(72 * 3600);
    expect(await stateOf(initialisation.linkId)).toBe('expired');
    expect(await setPassword(initialisation.linkId, initialisation.code)).toEqual({ kind: 'link-over' });
  });
});

describe('messages that anybody can have sent to a user', () => {
  const HERE = '192.0.2.1';

  /** @param askedFrom undefined: by a manager */
  async function ask(person: Person, askedFrom: string | undefined): Promise<boolean> {
    const { userId, orgId, address } = person;
    const queued = { userId, orgId, purpose: 'reset_password', target: address, askedFrom } as const;
    return await api.app
      .get(UnitOfWork)
      .run((tx) => api.app.get(EnqueueVerification).executeUnlessRecent(tx, queued));
  }

  it('go out once a minute and five times an hour, of any number at once one (S048)', async () => {
    const person = await addPerson();
    let sent = 0;
    for (let minute = 0; minute < 7; minute += 1) {
      const asked = await Promise.all(Array.from({ length: 8 }, () => ask(person, HERE)));
      expect(asked.filter((was) => was).length).toBeLessThanOrEqual(1);
      sent += asked.filter((was) => was).length;
      const { rows } = await api.sql.query(
        `SELECT 1 FROM verification_codes WHERE user_id = $1 AND ended_at IS NULL`,
        [person.userId],
      );
      expect(rows).toHaveLength(1);
      await api.advance(61);
    }
    expect(sent).toBe(5);
    await api.advance(3600);
    expect(await ask(person, HERE)).toBe(true);
  });

  /** Asks once a minute. @returns how many were sent */
  async function askFor(minutes: number, person: Person, askedFrom: string | undefined): Promise<number> {
    let sent = 0;
    for (let minute = 0; minute < minutes; minute += 1) {
      if (await ask(person, askedFrom)) sent += 1;
      await api.advance(61);
    }
    return sent;
  }

  it('leave some to who asks from elsewhere, up to twenty an hour from all (S470)', async () => {
    const person = await addPerson();
    expect(await askFor(6, person, HERE)).toBe(5);
    // behind the same 64 bits stands one customer
    expect(await askFor(3, person, '2001:db8::1')).toBe(3);
    expect(await askFor(3, person, '2001:db8::2')).toBe(2);
    for (const elsewhere of ['192.0.2.3', '192.0.2.4']) expect(await askFor(5, person, elsewhere)).toBe(5);
    expect(await askFor(1, person, '192.0.2.5')).toBe(0);
  });

  it('leave some to who asks from elsewhere than a line of IPv6, of which a stranger has any number of /64 (S470)', async () => {
    const person = await addPerson();
    const ofLine: number[] = [];
    for (const network of [0, 1, 255, 65_535])
      ofLine.push(await askFor(5, person, `2001:db8:7:${network.toString(16)}::1`));
    expect(ofLine).toEqual([5, 5, 0, 0]);
    expect(await askFor(5, person, '2001:db8:8::1')).toBe(5);
    expect(await askFor(5, person, HERE)).toBe(5);
    expect(await askFor(1, person, '192.0.2.2')).toBe(0);
  });

  it('hold up no manager, who has a minute and five of their own (S470)', async () => {
    const person = await addPerson();
    await askFor(5, person, HERE);
    await askFor(5, person, '192.0.2.2');
    expect(await ask(person, '192.0.2.3')).toBe(true);
    expect(await ask(person, undefined)).toBe(true);
    expect(await ask(person, undefined)).toBe(false);
    expect(await ask(person, '192.0.2.4')).toBe(false);
    await api.advance(61);
    expect(await askFor(6, person, undefined)).toBe(4);
  });
});

describe('a link that an operator handed out', () => {
  it('S209 stays valid, even if a stranger asks for a reset mail later', async () => {
    const { userId, orgId, address: target } = await addPerson({ initial: true });
    const queued = { orgId, userId, purpose: 'initialise', target } as const;
    const { app } = api;
    const handOut = new HandOutLink(
      app.get(Sealer),
      app.get(VerificationCodesStore),
      app.get(NotificationSettings),
    );
    const link = await app
      .get(UnitOfWork)
      .run((tx) => handOut.execute(tx, { ...queued, lifetimeMs: CODE_LIFETIME_MS.initialise }));
    const ask = () =>
      app.get(UnitOfWork).run((tx) => app.get(EnqueueVerification).executeUnlessRecent(tx, queued));
    await api.advance(2 * 3_600);
    expect(await ask()).toBe(false);
    expect(await stateOf(new URL(link.url).searchParams.get('id') ?? '')).toBe('live');
    await api.advance(71 * 3_600);
    expect(await ask()).toBe(true);
  });
});
