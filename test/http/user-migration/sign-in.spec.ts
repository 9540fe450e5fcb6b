import { randomUUID } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { Log } from '../../../src/domain/shared/log.js';
import { ActiveMigrations } from '../../../src/domain/user-migration/active-migrations.js';
import { Metrics } from '../../../src/ops/metrics.js';
import { aReplica, useReplica, type TestApi } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import { codeRequest, TestBrowser, whoIs } from '../../support/browser-flow.js';
import { given, givenRunning } from '../../support/given.js';
import { TEST_BILL } from '../../support/hashing.js';
import { ImportEngine } from '../../support/import-engine.js';
import { collectMails, linkIn } from '../../support/mailbox.js';
import { OldSystemDouble } from '../../support/old-system.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const OLD_PASSWORD = 'Marker-0ld-Passw0rd!';
const HOUR_MS = 3_600_000;

const old = givenRunning(() => OldSystemDouble.start());

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const replica = useReplica(api, { OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));

interface Progress {
  readonly userMigration: { readonly progress: Record<'asked' | 'migrated' | 'refused' | 'failed', string> };
}

/** A path of its own for each, so that what one test breaks is not rested by the breaker of the next. */
async function migrate(changes: object = {}, by = owner): Promise<void> {
  const body = {
    kind: 'webhook',
    url: `${old.url}?${randomUUID()}`,
    isActive: true,
    endsAt: new Date(Date.now() + 24 * HOUR_MS).toISOString(),
    requestsPerMinute: 60_000,
    // the longest: on a busy machine its answer comes late
    deadlineMs: 5_000,
    ...changes,
  };
  const set = await by.call('PUT', 'user_migration', body);
  expect(set.statusCode, set.body).toBe(200);
  const rotated = await by.call('POST', 'user_migration/_rotate_secret');
  old.secret = rotated.json<{ signingSecret: string }>().signingSecret;
}

async function progress(): Promise<Progress['userMigration']['progress']> {
  return (await owner.call('GET', 'user_migration')).json<Progress>().userMigration.progress;
}

beforeEach(async () => {
  old.reset();
  await owner.call('DELETE', 'user_migration');
  // what it remembers for five seconds is the migration of the test before
  replica.app.get(ActiveMigrations).forget();
  await migrate();
});

let people = 0;
/** Somebody of the old system. */
function oldUser(human: Readonly<Record<string, unknown>> = {}, password = OLD_PASSWORD) {
  people += 1;
  const userName = `grace-${people}`;
  const email = `${userName}@old.test`;
  old.users.set(userName, {
    password,
    human: {
      userName,
      profile: { firstName: 'Grace', lastName: 'Hopper' },
      email: { email, isEmailVerified: true },
      ...human,
    },
  });
  return { userName, email, loginName: userName };
}

async function signIn(
  loginName: string,
  password = OLD_PASSWORD,
  on: TestApi = api,
  at = client,
): Promise<LightMyRequestResponse> {
  const browser = new TestBrowser(on);
  const fields = await browser.openSignIn(codeRequest(at));
  return await browser.post('/login', { ...fields, loginName, password });
}

async function imported(changes: object = {}): Promise<{ userName: string; userId: string }> {
  const { userName, email } = oldUser();
  const body = {
    userName,
    profile: { firstName: 'Grace', lastName: 'Imported' },
    email: { email, isEmailVerified: false },
    ...changes,
  };
  const added = await owner.call('POST', 'users/human/_import', body);
  expect(added.statusCode, added.body).toBe(200);
  return { userName, userId: added.json<{ userId: string }>().userId };
}

async function eventsOf(aggregateId: string): Promise<readonly { type: string; actor_id: string | null }[]> {
  const { rows } = await api.sql.query<{ type: string; actor_id: string | null }>(
    'SELECT type, actor_id FROM events WHERE aggregate_id = $1 ORDER BY position',
    [aggregateId],
  );
  return rows;
}

describe('a name that nobody here has', () => {
  it('is asked about once; the user comes over with what the old system says, and a password of ours', async () => {
    const { userName, email } = oldUser({
      profile: { firstName: 'Grace', lastName: 'Hopper', nickName: 'Amazing' },
    });
    const claims = await whoIs(api, client, await signIn(userName));
    expect(claims).toMatchObject({ given_name: 'Grace', nickname: 'Amazing', email, email_verified: true });
    const id = String(claims['sub']);
    const { rows } = await api.sql.query<{ hash: string; change_required: boolean; made_by: string }>(
      'SELECT hash, change_required, made_by FROM user_passwords WHERE user_id = $1',
      [id],
    );
    expect(rows).toEqual([
      {
        hash: expect.stringMatching(/^\$argon2id\$/) as string,
        change_required: false,
        made_by: '@organization',
      },
    ]);
    expect(await eventsOf(id)).toContainEqual({ type: 'user.human.migrated', actor_id: id });
    expect(old.asked).toEqual([{ loginName: userName, password: OLD_PASSWORD }]);
    expect(old.forged).toBe(0);
    // by either name, and never again by the old system
    expect(await whoIs(api, client, await signIn(email))).toMatchObject({ sub: id });
    expect((await signIn(userName, 'wrong')).statusCode).toBe(400);
    expect(old.asked).toHaveLength(1);
    expect(await progress()).toEqual({ asked: '1', migrated: '1', refused: '0', failed: '0' });
    expect(await collectMails(api)).toEqual([]);
  });

  it('is asked about in the form in which names are compared', async () => {
    const { userName } = oldUser();
    // full-width letters, which another system may take for somebody else's name
    await whoIs(api, client, await signIn(` ${userName.toUpperCase().replace('G', 'Ｇ')}`));
    expect(old.asked).toEqual([{ loginName: userName, password: OLD_PASSWORD }]);
  });

  it('may be the whole login name', async () => {
    const { userName } = oldUser();
    const human = old.users.get(userName);
    if (human !== undefined) old.users.set(`${userName}@${world.domain}`, human);
    await whoIs(api, client, await signIn(`${userName}@${world.domain}`));
    await whoIs(api, client, await signIn(userName));
    expect(old.asked).toHaveLength(1);
  });

  it('brings an unverified address along, which is then verified here', async () => {
    const { userName } = oldUser({ email: { email: 'grace@unproven.test' } });
    expect((await signIn(userName)).headers.location).toContain('/login/verify-email');
    const mails = await collectMails(api);
    expect(new Set(mails.map(({ to }) => to))).toEqual(new Set(['grace@unproven.test']));
  });

  it('asks for a new password where the old one is too weak here', async () => {
    const { userName } = oldUser({}, 'weak');
    const answered = await signIn(userName, 'weak');
    expect(answered.headers.location).toContain('/login/change-password');
    expect((await progress()).migrated).toBe('1');
  });

  it('brings a second factor along', async () => {
    const { userName } = oldUser({ otpCode: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' });
    expect((await signIn(userName)).headers.location).toContain('/login/second-factor');
  });
});

describe('somebody who was imported without a password', () => {
  it('gets the one that the old system agrees to, and keeps what is on file', async () => {
    const { userName, userId } = await imported();
    const invitation = linkIn((await collectMails(api))[0], '/password/init');
    expect(await whoIs(api, client, await signIn(userName))).toMatchObject({
      sub: userId,
      family_name: 'Imported',
      email_verified: true,
    });
    expect((await signIn(userName)).statusCode).toBe(303);
    expect(old.asked).toHaveLength(1);
    expect(await eventsOf(userId)).toContainEqual({ type: 'user.human.migrated', actor_id: userId });
    const { rows } = await api.sql.query('SELECT made_by FROM user_passwords WHERE user_id = $1', [userId]);
    expect(rows).toEqual([{ made_by: '@organization' }]);
    // the invitation would set another one
    const page = await api.app.inject({ url: invitation.url });
    expect(page.body).not.toContain('name="password"');
  });

  it('is not asked about with a passkey, an identity elsewhere or a role elsewhere, and not once locked', async () => {
    const elsewhere = await anOrganization(api);
    const ways: readonly ((userId: string) => Promise<unknown>)[] = [
      (id) =>
        api.sql.query(
          `WITH p AS (INSERT INTO identity_providers (org_id, name, kind, settings) VALUES ($1, 'P', 'oidc', '{}') RETURNING id)
           INSERT INTO user_identities (provider_id, subject, org_id, user_id) SELECT p.id, $2, $1, $2 FROM p`,
          [world.orgId, id],
        ),
      (id) =>
        api.sql.query(
          `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, 'ORG_OWNER', $3)`,
          [id, world.orgId, elsewhere.orgId],
        ),
      (id) => owner.call('POST', `users/${id}/_lock`),
    ];
    for (const way of ways) {
      const { userName, userId } = await imported();
      await way(userId);
      expect((await signIn(userName)).statusCode).toBe(400);
    }
    expect(old.asked).toEqual([]);
  });
});

describe('the import of the rest', () => {
  it('leaves those alone who came over already, and brings the others with their passwords', async () => {
    const engine = new ImportEngine(api);
    const importer = await engine.addImporter(world.orgId);
    const [came, rest] = [oldUser(), oldUser()];
    const before = await whoIs(api, client, await signIn(came.userName));
    const hashing = api.app.get(PasswordHashing);
    const value = await hashing.hash('Marker-Exp0rted-Passw0rd!', TEST_BILL);
    const exported = ({ userName, email }: typeof came) => ({
      userName,
      profile: { firstName: 'Grace', lastName: 'Exported' },
      email: { email, isEmailVerified: true },
      hashedPassword: { value },
    });
    const records = [exported(came), exported(rest)];
    const { counts } = await engine.import(world.orgId, importer, records, { mode: 'skip' });
    expect(counts).toMatchObject({ created: 1, skipped: 1, failed: 0 });
    old.asked.length = 0;
    // the password that they came over with, the account that it made, and what is on file there
    expect((await signIn(came.userName, 'Marker-Exp0rted-Passw0rd!')).statusCode).toBe(400);
    expect(await whoIs(api, client, await signIn(came.userName))).toMatchObject({
      sub: before['sub'],
      family_name: 'Hopper',
    });
    expect(await whoIs(api, client, await signIn(rest.userName, 'Marker-Exp0rted-Passw0rd!'))).toMatchObject({
      family_name: 'Exported',
    });
    expect((await signIn(rest.userName)).statusCode).toBe(400);
    expect(old.asked).toEqual([]);
    expect(await progress()).toMatchObject({ migrated: '1' });
  });
});

describe('whoever the old system must not hear of', () => {
  it('has a password here', async () => {
    const user = await aUser(world);
    expect((await signIn(user.loginName, 'wrong')).statusCode).toBe(400);
    expect(old.asked).toEqual([]);
  });

  it('is of another organization, by its application or its domain', async () => {
    const elsewhere = await anOrganization(api);
    const { userName } = oldUser();
    expect((await signIn(userName, OLD_PASSWORD, api, await anApplication(elsewhere))).statusCode).toBe(400);
    expect((await signIn(`${userName}@${elsewhere.domain}`)).statusCode).toBe(400);
    expect(old.asked).toEqual([]);
    // the own domain counts from everywhere, as a whole login name does
    old.users.set(`${userName}@${world.domain}`, { ...old.users.get(userName), password: 'other' } as never);
    await signIn(`${userName}@${world.domain}`, OLD_PASSWORD, api, await anApplication(elsewhere));
    expect(old.asked).toHaveLength(1);
  });

  it('types a name of another organization’s domain, which a user without a password here has as address', async () => {
    const elsewhere = await anOrganization(api);
    const verified = `b${elsewhere.domain}`;
    await api.sql.query(
      'INSERT INTO organization_domains (org_id, domain, is_verified, is_primary) VALUES ($1, $2, true, false)',
      [elsewhere.orgId, verified],
    );
    for (const domain of [elsewhere.domain, verified]) {
      const address = `bob@${domain}`;
      await imported({ email: { email: address, isEmailVerified: true } });
      const sent = codeRequest(client, { scope: `openid urn:zitadel:iam:org:id:${world.orgId}` });
      for (const request of [codeRequest(client), sent]) {
        const browser = new TestBrowser(api);
        const fields = await browser.openSignIn(request);
        const answered = await browser.post('/login', {
          ...fields,
          loginName: address,
          password: OLD_PASSWORD,
        });
        expect(answered.statusCode).toBe(400);
      }
    }
    expect(old.asked).toEqual([]);
    // by a name of their own they come over
    const { userName } = await imported({ email: { email: `eve@${verified}`, isEmailVerified: true } });
    expect((await signIn(userName)).statusCode).toBe(303);
  });

  it('comes too late, or after it was switched off, whatever another replica remembers', async () => {
    const { userName } = oldUser();
    expect((await signIn(userName, 'wrong', replica)).statusCode).toBe(400);
    expect(old.asked).toHaveLength(1);
    await migrate({ isActive: false });
    expect((await signIn(userName, OLD_PASSWORD, replica)).statusCode).toBe(400);
    expect((await signIn(userName)).statusCode).toBe(400);
    expect(old.asked).toHaveLength(1);
    await migrate({ endsAt: new Date(Date.now() + HOUR_MS).toISOString() });
    await api.advance((2 * HOUR_MS) / 1000);
    expect((await signIn(userName)).statusCode).toBe(400);
    expect(old.asked).toHaveLength(1);
    await api.advance((-2 * HOUR_MS) / 1000);
  });
});

describe('refusals', () => {
  const TROUBLE: readonly (readonly [string, OldSystemDouble['trouble']])[] = [
    ['silence', 'silent'],
    ['an error', 500],
    ['a redirect', 302],
    ['no JSON', { body: '<html>' }],
    ['a list', { body: '[]' }],
    ['an answer without end', { body: `{"userName":"${'x'.repeat(100_000)}"}` }],
    ['a field that is unknown', { body: '{"userName":"x","shoeSize":43}' }],
  ];

  it('look alike and take alike, for unknown names, wrong passwords, users of ours and an outage', async () => {
    const slow = await aReplica(api, {
      SIGN_IN_RESPONSE_PADDING: '100ms',
      OUTBOUND_PRIVATE_ADDRESSES: 'allow',
    });
    await migrate({ deadlineMs: 150 });
    const known = await aUser(world);
    const { userName } = oldUser();
    const seen = new Set<string>();
    const took: number[] = [];
    const attempt = async (loginName: string) => {
      const browser = new TestBrowser(slow);
      const fields = await browser.openSignIn(codeRequest(client));
      const startedAt = performance.now();
      const page = await browser.post('/login', { ...fields, loginName, password: 'wrong' });
      took.push(performance.now() - startedAt);
      seen.add(`${page.statusCode} ${withoutWhatVaries(page, loginName)}`);
    };
    await attempt(known.loginName);
    await attempt('nobody-at-all');
    await attempt(userName);
    for (const [, trouble] of TROUBLE) {
      old.trouble = trouble;
      await attempt('nobody-else');
    }
    await migrate({ url: 'http://127.0.0.1:9/', deadlineMs: 150 });
    await attempt('nobody-else');
    expect(seen.size).toBe(1);
    // deadline and step together are 250 ms, which is 300 in whole steps
    for (const ms of took) expect(ms).toBeGreaterThanOrEqual(299);
  });

  it.each(TROUBLE)('%s is an outage, which loses nothing', async (_, trouble) => {
    if (trouble === 'silent') await migrate({ deadlineMs: 300 });
    const { userName } = oldUser();
    old.trouble = trouble;
    expect((await signIn(userName)).statusCode).toBe(400);
    expect(await progress()).toMatchObject({ asked: '1', failed: '1' });
    old.trouble = undefined;
    await migrate();
    expect((await signIn(userName)).statusCode).toBe(303);
  });

  it.each([
    [{ userName: 'somebody-else', email: { email: 'x@old.test', isEmailVerified: true } }],
    [{ userName: 'somebody-else', email: { email: 'x@old.test' } }],
    [{ password: OLD_PASSWORD }],
    [{ hashedPassword: { value: 'x' } }],
    [{ requestPasswordlessRegistration: true }],
    [{ userId: '42' }],
    [{ email: { email: 'no address' } }],
  ])('an answer with %j brings nobody over', async (changes) => {
    const { userName } = oldUser(changes);
    expect((await signIn(userName)).statusCode).toBe(400);
    expect(await progress()).toMatchObject({ asked: '1', failed: '1', migrated: '0' });
  });

  it('tell operators of an outage: a metric, one event and one line, and after five in a row it is left alone', async () => {
    await api.sql.query(`DELETE FROM alarms WHERE kind LIKE 'user_migration%'`);
    const before = (await eventsOf(world.orgId)).filter(({ type }) => type === 'user_migration.alarm').length;
    old.trouble = 500;
    const { userName } = oldUser();
    const warn = vi.spyOn(api.app.get(Log, { strict: false }), 'warn');
    let lines: unknown[][];
    try {
      for (let times = 0; times < 7; times += 1) await signIn(userName);
      lines = warn.mock.calls.filter(([line]) =>
        line.startsWith('invalid answer or no answer from a migration endpoint'),
      );
    } finally {
      warn.mockRestore();
    }
    expect(lines).toEqual([[expect.any(String), { orgId: world.orgId, reason: expect.any(String) }]]);
    expect(JSON.stringify(lines)).not.toContain(userName);
    expect(old.asked).toHaveLength(5);
    const alarms = (await eventsOf(world.orgId)).filter(({ type }) => type === 'user_migration.alarm');
    expect(alarms).toHaveLength(before + 1);
    expect(await progress()).toMatchObject({ failed: '7', refused: '0' });
    const metrics = await api.app.get(Metrics, { strict: false }).render();
    expect(metrics).toMatch(/identity_user_migrations_total\{outcome="failed"\} \d+/);
  });

  it('are counted before the old system is asked, by name and by user', async () => {
    const { userName } = oldUser();
    const someone = await imported();
    for (const name of [userName, someone.userName]) {
      old.asked.length = 0;
      for (let times = 0; times < 8; times += 1) await signIn(name, `wrong ${times}`);
      expect(old.asked).toHaveLength(5);
      // the right one has to wait as well
      expect((await signIn(name)).statusCode).toBe(400);
      expect(old.asked).toHaveLength(5);
    }
    await api.advance(60);
    expect((await signIn(userName)).statusCode).toBe(303);
    expect((await signIn(someone.userName)).statusCode).toBe(303);
  });

  it('of many names are bounded by what the old system is to bear', async () => {
    const elsewhere = await anOrganization(api);
    const theirs = await aServiceUser(elsewhere, 'ORG_OWNER');
    const application = await anApplication(elsewhere);
    await migrate({ requestsPerMinute: 3 }, theirs);
    for (let times = 0; times < 6; times += 1) await signIn(`nobody-${times}`, 'wrong', api, application);
    expect(old.asked).toHaveLength(3);
  });
});

describe('first sign-ins at once', () => {
  it('of one person on two replicas make one user, and both sign in', async () => {
    const { userName } = oldUser();
    old.delayMs = 200;
    const answers = await Promise.all([signIn(userName), signIn(userName, OLD_PASSWORD, replica)]);
    const subjects = await Promise.all(
      answers.map(async (answer) => (await whoIs(api, client, answer))['sub']),
    );
    expect(subjects[0]).toBe(subjects[1]);
    expect(await progress()).toMatchObject({ migrated: '1' });
  });

  it('of somebody without a password set one', async () => {
    const { userName, userId } = await imported();
    old.delayMs = 200;
    const answers = await Promise.all([signIn(userName), signIn(userName, OLD_PASSWORD, replica)]);
    for (const answer of answers) expect(await whoIs(api, client, answer)).toMatchObject({ sub: userId });
    expect(await progress()).toMatchObject({ migrated: '1' });
  });
});

describe('a crash in the middle', () => {
  it('leaves nothing half made', async () => {
    const { userName, email } = oldUser();
    await api.sql.query(`
      CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the power is gone'; END $$;
      CREATE TRIGGER break_off BEFORE UPDATE OF migrated ON user_migrations FOR EACH ROW EXECUTE FUNCTION break_off()`);
    expect((await signIn(userName)).statusCode).toBe(500);
    const { rows } = await api.sql.query('SELECT FROM login_identifiers WHERE canonical = ANY ($1)', [
      [userName, email],
    ]);
    expect(rows).toEqual([]);
    await api.sql.query('DROP FUNCTION break_off CASCADE');
    expect((await signIn(userName)).statusCode).toBe(303);
  });
});

describe('the password that was typed', () => {
  it('stands nowhere', async () => {
    const marker = `Marker-${randomUUID()}-A`;
    const { userName } = oldUser({}, marker);
    expect((await signIn(userName, marker)).statusCode).toBe(303);
    old.trouble = 500;
    await signIn(`nobody-${randomUUID()}`, marker);
    const { rows: tables } = await api.sql.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) {
      const { rows } = await api.sql.query(`SELECT FROM ${name} t WHERE t::text LIKE $1`, [`%${marker}%`]);
      expect(rows, name).toEqual([]);
    }
  });
});

/** What differs between two pages of one browser and the next: the flow, its secrets, and the typed name. */
function withoutWhatVaries({ body }: LightMyRequestResponse, loginName: string): string {
  return body
    .replaceAll(loginName, 'NAME')
    .replaceAll(/value="[^"]*"/g, 'value=""')
    .replaceAll(/flow=[^"&]*/g, 'flow=')
    .replaceAll(/nonce="[^"]*"/g, 'nonce=""');
}
