import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PrivateRedis } from '../../scripts/services.mjs';
import { EventsStore } from '../../src/domain/events/events.store.js';
import { EraseOrganization } from '../../src/domain/organizations/erase-organization.js';
import { OrganizationsStore } from '../../src/domain/organizations/organizations.store.js';
import { OutboxStore } from '../../src/domain/outbox/outbox.store.js';
import { SessionsStore } from '../../src/domain/sessions/sessions.store.js';
import type { OrgId } from '../../src/domain/shared/ids.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { anApplication } from '../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  obtainTokens,
  TestBrowser,
  tokensOf,
  userinfo,
} from '../support/browser-flow.js';
import { call, errorBody } from '../support/calls.js';
import { given } from '../support/given.js';
import { aRobot, aServiceUser, bySecret } from '../support/service-users.js';
import { aUser, type TestUser } from '../support/users.js';
import { anOrganization, type World } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { Logouts } from './support/logouts.js';
import { startOwnRedis } from './support/redis-server.js';

/** Every table with a column for the organization, save what stays: ids, the log, what ended, and what expires. */
const STAYS = [
  'organizations',
  'users',
  'projects',
  'applications',
  'sessions',
  'authorizations',
  'events',
  'events_default',
  'logout_notices',
  'notifications',
  'idempotency_keys',
];

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

describe('an organization that is removed', () => {
  let redis: PrivateRedis;
  let logouts: Logouts;

  beforeAll(async () => {
    redis = await startOwnRedis();
    logouts = await Logouts.build(redis.url);
  });
  const root = given(() => aServiceUser(logouts.world, 'IAM_OWNER'));
  afterAll(async () => {
    await logouts.tearDown();
    await redis.stop();
  });

  const remove = (orgId: OrgId) =>
    call(logouts.api, 'DELETE', 'orgs/me', { pat: root.pat, headers: { 'x-zitadel-orgid': orgId } });

  /** Three users of whom one is signed in to two applications, and one of everything else. */
  async function settle(): Promise<{ world: World; users: TestUser[]; tokens: string[] }> {
    const { api, party } = logouts;
    const world = await anOrganization(api);
    const users = [await aUser(world), await aUser(world), await aUser(world)];
    const [user] = users;
    if (user === undefined) throw new Error('no user');
    const own = await anApplication(world, { backChannelLogoutUri: party.uri(`/own/${world.orgId}`) });
    const other = await logouts.application(party.uri(`/other/${world.orgId}`));
    const browser = new TestBrowser(api);
    const first = await obtainTokens(api, own, user, {}, browser);
    const request = codeRequest(other);
    const back = await browser.get(authorizeUrl(request));
    const answer = await tokensOf(api, other, back);
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const headers = { 'x-zitadel-orgid': world.orgId };
    const as = { pat: owner.pat, headers };
    const saved = await call(api, 'POST', `users/${user.userId}/metadata/likes`, {
      ...as,
      body: { value: Buffer.from('tea').toString('base64') },
    });
    expect(saved.statusCode).toBe(200);
    const { rows } = await api.sql.query<{ id: string; project_id: string }>(
      'SELECT id, project_id FROM applications WHERE client_id = $1',
      [own.clientId],
    );
    const [app] = rows;
    const key = await call(api, 'POST', `projects/${app?.project_id}/apps/${app?.id}/keys`, {
      ...as,
      body: { type: 'KEY_TYPE_JSON' },
    });
    expect([200, 400]).toContain(key.statusCode);
    const grant = await call(api, 'POST', `users/${user.userId}/grants`, {
      ...as,
      body: { projectId: app?.project_id, roleKeys: [] },
    });
    expect(grant.statusCode).toBe(200);
    const policy = {
      minLength: '12',
      hasUppercase: true,
      hasLowercase: true,
      hasNumber: true,
      hasSymbol: true,
    };
    expect((await call(api, 'PUT', 'policies/password', { ...as, body: policy })).statusCode).toBe(200);
    const texts = { title: 'Set your password' };
    const set = await call(api, 'PUT', 'templates/initialise/en', { ...as, body: texts });
    expect(set.statusCode, set.body).toBe(200);
    const provider = { kind: 'google', name: 'Google', clientId: 'c', clientSecret: 's' };
    expect((await call(api, 'POST', 'idps', { ...as, body: provider })).statusCode).toBe(200);
    const migration = { kind: 'webhook', url: 'https://old.example.com', isActive: true, endsAt: tomorrow() };
    expect((await call(api, 'PUT', 'user_migration', { ...as, body: migration })).statusCode).toBe(200);
    await api.sql.query(
      `INSERT INTO registrations (id, org_id, first_name, last_name, email, email_canonical, login_name, user_name,
         locale, mailed, expires_at)
       VALUES ($1 || '-r', $1, 'Ada', 'L', 'a@b.test', 'a@b.test', 'ada', 'ada', 'en', false, now() + interval '1 h')`,
      [world.orgId],
    );
    return { world, users, tokens: [first.access_token, answer.access_token] };
  }

  /** What there is left beside ids: rows per table, and what those that stay still tell. */
  async function remains(orgId: OrgId): Promise<Record<string, number>> {
    const { sql } = logouts.api;
    const tables = await sql.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attname = 'org_id'
         AND c.relname <> ALL ($1) AND c.relname NOT LIKE 'events_%' ORDER BY 1`,
      [STAYS],
    );
    const left: Record<string, number> = {};
    for (const { name } of tables.rows) {
      const { rows } = await sql.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM ${name} WHERE org_id = $1`,
        [orgId],
      );
      if (rows[0] !== undefined && rows[0].n > 0) left[name] = rows[0].n;
    }
    const told = await sql.query<{ what: string; n: number }>(
      `SELECT 'living users' AS what, count(*)::int AS n FROM users WHERE org_id = $1 AND state <> 'deleted'
       UNION ALL SELECT 'user names', count(*)::int FROM users WHERE org_id = $1 AND user_name <> id
       UNION ALL SELECT 'secrets', count(*)::int FROM applications WHERE org_id = $1 AND client_secret_hash IS NOT NULL
       UNION ALL SELECT 'living sessions', count(*)::int FROM sessions WHERE org_id = $1 AND ended_at IS NULL
       UNION ALL SELECT 'living grants', count(*)::int FROM authorizations WHERE org_id = $1 AND revoked_at IS NULL
       UNION ALL SELECT 'sealed', count(*)::int FROM notifications WHERE org_id = $1 AND content_sealed IS NOT NULL`,
      [orgId],
    );
    for (const { what, n } of told.rows) if (n > 0) left[what] = n;
    return left;
  }

  async function queued(orgId: OrgId): Promise<string | undefined> {
    const { rows } = await logouts.api.sql.query<{ id: string }>(
      `SELECT id FROM outbox WHERE job_name = 'erase-organization' AND payload ->> 'orgId' = $1`,
      [orgId],
    );
    return rows[0]?.id;
  }

  it('is dead at once, erased in chunks that may be cut off anywhere, and finished when nothing can come', async () => {
    const { api } = logouts;
    const { world, users, tokens } = await settle();
    const robot = await aRobot(world);
    const before = await remains(world.orgId);
    expect(before).toMatchObject({
      user_humans: 3,
      registrations: 1,
      password_policies: 1,
      role_assignments: 1,
    });
    expect(before).toMatchObject({ message_templates: 1, identity_providers: 1, user_migrations: 1 });
    expect((await remove(world.orgId)).statusCode).toBe(200);
    for (const token of tokens) expect((await userinfo(api, token)).statusCode).toBe(401);
    expect((await bySecret(api, robot, {})).statusCode).toBe(401);
    // the domain is another's at once, and none of the names that are still there stands in its way
    const heir = await root.call(
      'POST',
      '/admin/v1/orgs',
      { name: 'Heir', domain: world.domain },
      { on: api },
    );
    expect(heir.statusCode).toBe(200);
    const next = await anOrganization(api);
    const namesake = await aUser(next, { userName: users[0]?.userName ?? '' });
    const other = await anApplication(next);
    const signedIn = await new TestBrowser(api).signIn(codeRequest(other), {
      ...namesake,
      loginName: namesake.userName,
    });
    expect(signedIn.headers.location).toContain('code=');

    let fall = false;
    const organizations = api.app.get(OrganizationsStore);
    const erase = new EraseOrganization(
      api.app.get(UnitOfWork),
      new Proxy(organizations, {
        get(target, name, receiver) {
          if (fall && name === 'eraseUsers') throw new Error('cut off');
          return Reflect.get(target, name, receiver) as unknown;
        },
      }),
      api.app.get(SessionsStore),
      api.app.get(EventsStore),
      api.app.get(OutboxStore),
    );
    const outboxId = (await queued(world.orgId)) ?? '';
    fall = true;
    await expect(erase.run(world.orgId, outboxId, 1)).rejects.toThrow('cut off');
    // a chunk that was cut off left no trace
    expect(await remains(world.orgId)).toMatchObject({ user_humans: 3, 'living sessions': 1 });
    fall = false;
    const two = await Promise.all([erase.run(world.orgId, outboxId, 1), erase.run(world.orgId, outboxId, 1)]);
    expect(two[0].kind).toBe('more');
    for (let round = 0; round < 6; round += 1) await erase.run(world.orgId, outboxId, 1);
    expect(await remains(world.orgId)).toEqual({});
    expect(await queued(world.orgId)).toBe(outboxId);
    // somebody whom a request of that moment made is found, too
    await aUser(world);
    await api.advance(601);
    expect(await erase.run(world.orgId, outboxId, 1)).toEqual({ kind: 'erased' });
    expect(await erase.run(world.orgId, outboxId, 1)).toEqual({ kind: 'erased' });
    expect(await remains(world.orgId)).toEqual({});
    expect(await queued(world.orgId)).toBeUndefined();
    const { rows } = await api.sql.query<{ type: string; n: number }>(
      `SELECT type, count(*)::int AS n FROM events WHERE org_id = $1
         AND type IN ('user.removed', 'organization.removed', 'organization.erased', 'session.ended')
       GROUP BY 1 ORDER BY 1`,
      [world.orgId],
    );
    expect(rows).toEqual([
      { type: 'organization.erased', n: 1 },
      { type: 'organization.removed', n: 1 },
      { type: 'session.ended', n: 1 },
      // three users, one late, the owner and the robot
      { type: 'user.removed', n: 6 },
    ]);
    // ids are never given again
    const again = await root.call(
      'POST',
      'users/machine',
      { userId: users[0]?.userId, userName: 'again', name: 'Again' },
      { on: api },
    );
    expect(again.statusCode).toBe(409);
  });

  it('is erased by a worker, and every application that asked is told, whatever happens to the worker', async () => {
    const { world } = await settle();
    expect((await remove(world.orgId)).statusCode).toBe(200);
    const doomed = logouts.spawnWorker({
      WORKER_QUEUES: 'maintenance',
      CRASH_AT: 'organization-erase-after-chunk',
    });
    await doomed.exited;
    await logouts.startWorker({ WORKER_QUEUES: 'maintenance,notifications' });
    await eventually('the end of what was there', 60_000, async () =>
      Object.keys(await remains(world.orgId)).length === 0 ? true : undefined,
    );
    for (const path of [`/own/${world.orgId}`, `/other/${world.orgId}`]) {
      const token = await eventually(
        `the notice at ${path}`,
        30_000,
        async () => logouts.party.at(path)[0]?.form.get('logout_token') ?? undefined,
      );
      expect(decodeJwt(token)).toMatchObject({ sid: expect.any(String) as string });
    }
  });

  it('is neither the one that runs the instance nor the home of an owner', async () => {
    expect((await remove(logouts.world.orgId)).statusCode).toBe(400);
    const world = await anOrganization(logouts.api);
    await aServiceUser(world, 'IAM_OWNER');
    expect((await remove(world.orgId)).json()).toEqual(
      errorBody(9, 'An owner of the instance is a user of this organisation', 'COMMAND-h4Wq8'),
    );
    expect(await queued(world.orgId)).toBeUndefined();
  });
});
