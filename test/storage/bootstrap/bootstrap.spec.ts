import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bootstrapReport } from '../../../src/cli/bootstrap-report.js';
import { CredentialsFile } from '../../../src/cli/credentials-file.js';
import { InstanceModule } from '../../../src/cli/instance.module.js';
import { TokenFile } from '../../../src/cli/token-file.js';
import { readConfig } from '../../../src/config/config.js';
import { Bootstrap, type BootstrapPlan } from '../../../src/domain/bootstrap/bootstrap.js';
import { PasswordHashing } from '../../../src/domain/passwords/hashing/password-hashing.js';
import { EffectiveRoles } from '../../../src/domain/permissions/effective-roles.js';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { sha256 } from '../../../src/domain/shared/random.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { PinoLog } from '../../../src/ops/pino-log.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { TEST_BILL } from '../../support/hashing.js';

const ISSUER = 'https://id.test';
const PLAN: BootstrapPlan = {
  publicUrl: 'http://localhost:8080',
  orgName: 'Acme',
  primaryDomain: 'acme.test',
  admin: { userName: 'admin', email: 'admin@acme.test', password: undefined },
};

interface Credentials {
  issuer: string;
  orgId: string;
  primaryDomain: string;
  admin: { userId: string; loginName: string; password: string };
  serviceUser: { userId: string; userName: string; pat: string };
  adminServiceUser: { userId: string; userName: string; pat: string };
  webApplication: {
    clientId: string;
    clientSecret: string;
    redirectUri: string;
    postLogoutRedirectUri: string;
  };
  pkceApplication: { clientId: string; redirectUri: string };
  mailboxUrl: string | null;
  dashboardUrl: string;
}

let database: TestDatabase;
let sql: pg.Pool;
let app: INestApplicationContext;
let folder: string;
let file: string;

beforeEach(async () => {
  database = await cloneDatabase();
  sql = new pg.Pool({ connectionString: database.url, max: 2 });
  sql.on('error', () => undefined);
  const config = readConfig({
    NODE_ENV: 'test',
    PUBLIC_URL: ISSUER,
    DATABASE_URL: database.url,
    PASSWORD_MEMORY_KIB: '64',
    PASSWORD_ITERATIONS: '1',
  });
  const log = new PinoLog({ level: 'silent', process: 'cli' });
  app = await NestFactory.createApplicationContext(InstanceModule.with(config, log), { logger: false });
  folder = await mkdtemp(path.join(tmpdir(), 'credentials-'));
  file = path.join(folder, 'new', 'credentials.json');
});

afterEach(async () => {
  await app.close();
  await sql.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const keeper = (mailboxUrl?: string) => new CredentialsFile(file, { issuer: ISSUER, mailboxUrl });
const run = (plan: BootstrapPlan = PLAN, credentials: CredentialsFile = keeper()) =>
  app.get(Bootstrap).run(plan, { credentials });
const renew = () => app.get(Bootstrap).run(PLAN, { credentials: keeper(), renew: true });
const runWithoutFile = (plan: BootstrapPlan = PLAN) => app.get(Bootstrap).run(plan, {});
const read = async () => JSON.parse(await readFile(file, 'utf8')) as Credentials;

async function rows(text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await sql.query<Record<string, unknown>>(text, values)).rows;
}

async function everySecret(): Promise<unknown> {
  return await rows(`
    SELECT hash, NULL::bytea AS digest FROM user_passwords
    UNION ALL SELECT id, token_hash FROM personal_access_tokens WHERE revoked_at IS NULL
    UNION ALL SELECT id, client_secret_hash FROM applications ORDER BY 1`);
}

/** Holds every secret of the file against the database. */
async function expectTrue(credentials: Credentials): Promise<void> {
  const [password] = await rows(
    'SELECT hash FROM user_passwords WHERE user_id = $1',
    credentials.admin.userId,
  );
  const hash = String(password?.['hash']);
  expect(await app.get(PasswordHashing).verify(hash, credentials.admin.password, TEST_BILL)).toMatchObject({
    matches: true,
  });
  for (const { userId, pat } of [credentials.serviceUser, credentials.adminServiceUser]) {
    expect(pat).toMatch(/^pat_[A-Za-z0-9_-]{43}$/);
    const found = await rows(
      'SELECT id FROM personal_access_tokens WHERE user_id = $1 AND token_hash = $2',
      userId,
      sha256(pat),
    );
    expect(found).toHaveLength(1);
  }
  const [client] = await rows(
    'SELECT client_secret_hash FROM applications WHERE client_id = $1',
    credentials.webApplication.clientId,
  );
  expect(client?.['client_secret_hash']).toEqual(sha256(credentials.webApplication.clientSecret));
}

describe('on an empty database', () => {
  it('gives roles that count at once for what their users make', async () => {
    await run();
    const { adminServiceUser } = await read();
    const [now] = await rows(`SELECT app_now()::text AS moment`);
    const held = await app
      .get(UnitOfWork)
      .run((tx) =>
        app.get(EffectiveRoles).ofMaker(tx, adminServiceUser.userId as UserId, String(now?.['moment'])),
      );
    expect(held).toEqual([{ role: 'IAM_OWNER', orgId: null }]);
  });

  it('makes everything, and a file that only its owner can read', async () => {
    const summary = await run(PLAN, keeper('http://localhost:8025'));
    const credentials = await read();
    expect(credentials).toEqual({
      issuer: ISSUER,
      orgId: summary.organization.id,
      primaryDomain: 'acme.test',
      admin: {
        userId: expect.any(String) as string,
        loginName: 'admin@acme.test',
        password: expect.any(String) as string,
      },
      serviceUser: {
        userId: expect.any(String) as string,
        userName: 'service-user',
        pat: expect.any(String) as string,
      },
      adminServiceUser: {
        userId: expect.any(String) as string,
        userName: 'admin-service-user',
        pat: expect.any(String) as string,
      },
      webApplication: {
        clientId: expect.any(String) as string,
        clientSecret: expect.stringMatching(/^[A-Za-z0-9]{64}$/) as string,
        redirectUri: 'http://localhost:9080/callback',
        postLogoutRedirectUri: 'http://localhost:9080/signed-out',
      },
      pkceApplication: {
        clientId: expect.any(String) as string,
        redirectUri: 'http://localhost:9080/pkce/callback',
      },
      mailboxUrl: 'http://localhost:8025',
      dashboardUrl: 'https://id.test/admin/queues',
    });
    await expectTrue(credentials);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(path.dirname(file))).toEqual(['credentials.json']);

    expect(await rows(`SELECT user_id, role, org_id FROM memberships ORDER BY role, user_id`)).toEqual(
      expect.arrayContaining([
        { user_id: credentials.admin.userId, role: 'IAM_OWNER', org_id: null },
        { user_id: credentials.adminServiceUser.userId, role: 'IAM_OWNER', org_id: null },
        { user_id: credentials.serviceUser.userId, role: 'ORG_OWNER', org_id: credentials.orgId },
      ]),
    );
    expect(
      await rows('SELECT name, auth_method, grant_types, dev_mode FROM applications ORDER BY id'),
    ).toEqual([
      {
        name: 'Console',
        auth_method: 'none',
        grant_types: ['authorization_code'],
        dev_mode: true,
      },
      {
        name: 'Tour web application',
        auth_method: 'client_secret_basic',
        grant_types: ['authorization_code', 'refresh_token'],
        dev_mode: true,
      },
      {
        name: 'Tour PKCE application',
        auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        dev_mode: true,
      },
    ]);
    expect(await rows('SELECT id FROM notifications')).toEqual([]);
  });

  it('made by six at once is made once', async () => {
    const summaries = await Promise.all(Array.from({ length: 6 }, () => run()));
    expect(new Set(summaries.map(({ organization }) => organization.id)).size).toBe(1);
    await expectTrue(await read());
    for (const [table, count] of [
      ['organizations', '1'],
      ['instance', '1'],
      ['projects', '2'],
      ['applications', '3'],
      ['users', '3'],
      ['personal_access_tokens', '2'],
    ] as const) {
      expect(await rows(`SELECT count(*) FROM ${table}`), table).toEqual([{ count }]);
    }
  });

  it('makes only an administrator when nobody keeps secrets, and the rest later', async () => {
    const { admin } = await runWithoutFile();
    expect(admin).toMatchObject({ loginName: 'admin@acme.test', hasPassword: false, password: undefined });
    expect(admin.link?.url).toMatch(/^https:\/\/id\.test\/password\/init\?id=[\w-]{20,}&code=[A-Z0-9]{6}$/);
    expect(await rows('SELECT user_name, state FROM users')).toEqual([
      { user_name: 'admin', state: 'initial' },
    ]);
    // the tour's clients are in development mode: nothing for production
    expect(await rows('SELECT name FROM applications')).toEqual([{ name: 'Console' }]);
    expect(await rows(`SELECT name FROM projects WHERE name = 'Tour'`)).toEqual([]);
    // no mail is queued: the link was handed out
    expect(await rows('SELECT id FROM notifications')).toEqual([]);
    await run();
    await expectTrue(await read());
    expect(await rows(`SELECT state FROM users WHERE user_name = 'admin'`)).toEqual([{ state: 'active' }]);
    expect(await rows('SELECT id FROM verification_codes WHERE ended_at IS NULL')).toEqual([]);
  });

  it('hands the link of a new administrator out once', async () => {
    expect((await runWithoutFile()).admin.link).toBeDefined();
    const codes = await rows('SELECT id, ended_at FROM verification_codes');
    expect(codes).toHaveLength(1);
    expect((await runWithoutFile()).admin).toMatchObject({ hasPassword: false, link: undefined });
    expect(await rows('SELECT id, ended_at FROM verification_codes')).toEqual(codes);
  });

  it('gives the administrator the configured password, also without a file', async () => {
    const plan = { ...PLAN, admin: { ...PLAN.admin, password: 'Configured-1' } };
    expect((await runWithoutFile(plan)).admin).toMatchObject({ hasPassword: true, link: undefined });
    await run(plan);
    expect((await read()).admin.password).toBe('Configured-1');
    await expectTrue(await read());
  });

  it('refuses a configured password that is weak', async () => {
    const plan = { ...PLAN, admin: { ...PLAN.admin, password: 'weak' } };
    await expect(run(plan)).rejects.toThrow('Password is too short');
    expect(await rows('SELECT id FROM organizations')).toEqual([]);
  });

  it('asks what the instance’s password policy asks, of a password that is to become theirs', async () => {
    const plan = (password: string) => ({ ...PLAN, admin: { ...PLAN.admin, password } });
    await run(plan('Configured-1'));
    await sql.query(
      `INSERT INTO password_policies (org_id, min_length) SELECT default_org_id, 20 FROM instance`,
    );
    // theirs already: it stays good
    await run(plan('Configured-1'));
    await sql.query(`DELETE FROM user_passwords`);
    await sql.query(`UPDATE users SET state = 'initial' WHERE kind = 'human'`);
    await expect(run(plan('Configured-1'))).rejects.toThrow('Password is too short');
    await run(plan('Configured-and-longer-1'));
    expect((await read()).admin.password).toBe('Configured-and-longer-1');
  });
});

describe('S208: bootstrap runs again', () => {
  it('changes nothing and keeps the file’s secrets', async () => {
    await run(PLAN, keeper('http://localhost:8025'));
    const before = await read();
    const changes = await rows('SELECT position FROM events');
    await run({ ...PLAN, orgName: 'Other', primaryDomain: 'other.test' });
    expect(await read()).toEqual(before);
    await runWithoutFile();
    expect(await read()).toEqual(before);
    expect(await rows('SELECT position FROM events')).toEqual(changes);
  });

  it.each([
    ['is lost', () => rm(file)],
    ['is no JSON', () => writeFile(file, 'not json')],
    ['has another shape', () => writeFile(file, '[]')],
    [
      'has members of other types',
      () => writeFile(file, JSON.stringify({ admin: 7, serviceUser: { pat: [] }, webApplication: null })),
    ],
    [
      'holds what is not true',
      async () => {
        const now = await read();
        const untrue = {
          ...now,
          admin: { ...now.admin, password: 'Not-The-0ne' },
          serviceUser: { ...now.serviceUser, pat: 'pat_x' },
          adminServiceUser: { ...now.adminServiceUser, pat: now.serviceUser.pat },
          webApplication: { ...now.webApplication, clientSecret: 'x' },
        };
        await writeFile(file, JSON.stringify(untrue));
      },
    ],
  ])('leaves out what it cannot tell, and replaces nothing, when the file %s', async (_, spoil) => {
    await run();
    const before = await read();
    const stored = await everySecret();
    const changes = await rows('SELECT position FROM events');
    await spoil();
    const { leftOut } = await run();
    expect(leftOut).toEqual([
      'admin.password',
      'serviceUser.pat',
      'adminServiceUser.pat',
      'webApplication.clientSecret',
    ]);
    expect(await everySecret()).toEqual(stored);
    expect(await rows('SELECT position FROM events')).toEqual(changes);
    const { userId, loginName } = before.admin;
    expect(await read()).toMatchObject({ orgId: before.orgId, admin: { userId, loginName } });
    expect(await readFile(file, 'utf8')).not.toMatch(/"(?:password|pat|clientSecret)"/);
  });

  it('keeps what a part of the file still tells', async () => {
    await run();
    const before = await read();
    await writeFile(file, JSON.stringify({ serviceUser: before.serviceUser }));
    expect((await run()).leftOut).toEqual([
      'admin.password',
      'adminServiceUser.pat',
      'webApplication.clientSecret',
    ]);
    expect((await read()).serviceUser).toEqual(before.serviceUser);
  });

  it('makes tokens and secrets anew when asked to, and no password', async () => {
    await run();
    const before = await read();
    const [password] = await rows('SELECT hash FROM user_passwords');
    await rm(file);
    expect((await renew()).leftOut).toEqual(['admin.password']);
    const after = await read();
    await expectTrue({ ...after, admin: before.admin });
    expect(after.serviceUser.userId).toBe(before.serviceUser.userId);
    expect(after.webApplication.clientId).toBe(before.webApplication.clientId);
    expect(await rows('SELECT hash FROM user_passwords')).toEqual([password]);
    // whoever uses the old tokens goes on
    expect(await rows('SELECT id FROM personal_access_tokens WHERE revoked_at IS NULL')).toHaveLength(4);
  });

  it('makes no token for one that was revoked', async () => {
    await run();
    const before = await read();
    await sql.query('UPDATE personal_access_tokens SET revoked_at = now() WHERE user_id = $1', [
      before.serviceUser.userId,
    ]);
    expect((await run()).leftOut).toEqual(['serviceUser.pat']);
    expect(await rows('SELECT id FROM personal_access_tokens')).toHaveLength(2);
    expect((await read()).adminServiceUser).toEqual(before.adminServiceUser);
  });

  it('leaves a password alone that the administrator chose', async () => {
    const plan = { ...PLAN, admin: { ...PLAN.admin, password: 'Configured-1' } };
    await run(plan);
    const { admin } = await read();
    const chosen = await app.get(PasswordHashing).hash('Chosen-By-Them-1', TEST_BILL);
    await sql.query('UPDATE user_passwords SET hash = $2 WHERE user_id = $1', [admin.userId, chosen]);
    await runWithoutFile(plan);
    expect((await run(plan)).leftOut).toEqual(['admin.password']);
    expect(await rows('SELECT hash FROM user_passwords')).toEqual([{ hash: chosen }]);
    expect((await read()).admin).toEqual({ userId: admin.userId, loginName: admin.loginName });
    const [epoch] = await rows('SELECT token_epoch FROM users WHERE id = $1', admin.userId);
    expect(epoch).toEqual({ token_epoch: 0 });
  });

  it('gives no role back, and makes nobody in place of who was deleted', async () => {
    await run();
    const { admin, serviceUser, adminServiceUser } = await read();
    await sql.query('DELETE FROM memberships WHERE user_id = ANY ($1)', [[admin.userId, serviceUser.userId]]);
    await run();
    expect(await rows('SELECT user_id, role FROM memberships')).toEqual([
      { user_id: adminServiceUser.userId, role: 'IAM_OWNER' },
    ]);
    await sql.query('DELETE FROM login_identifiers WHERE user_id = $1', [admin.userId]);
    await sql.query(`UPDATE users SET user_name = 'gone' WHERE id = $1`, [admin.userId]);
    const { admin: seen } = await run();
    expect(seen).toMatchObject({ userId: undefined, hasPassword: false, link: undefined });
    expect(await rows(`SELECT id FROM users WHERE kind = 'human'`)).toHaveLength(1);
  });

  it('says what it has made or changed of the console, and says nothing where it has not', async () => {
    const files = { credentials: undefined, link: undefined, token: undefined };
    const said = async (plan = PLAN) =>
      bootstrapReport(await runWithoutFile(plan), undefined, files).filter((line) =>
        line.includes('console'),
      );
    expect(await said()).toEqual(['The application of the console is made.']);
    expect(await said()).toEqual([]);
    const moved = { ...PLAN, publicUrl: 'https://id.acme.test' };
    expect(await said(moved)).toEqual([
      'The application of the console was changed to what the console needs: devMode, postLogoutRedirectUris, redirectUris.',
    ]);
    expect(await said(moved)).toEqual([]);
    await sql.query(`UPDATE applications SET state = 'inactive'`);
    expect(await said(moved)).toEqual([
      'The application of the console was changed to what the console needs: state.',
    ]);
    await sql.query('DELETE FROM applications');
    expect(await said(moved)).toEqual(['The application of the console is made.']);
  });

  it('leaves an administrator who is shut out as they are', async () => {
    await runWithoutFile();
    await sql.query(`UPDATE users SET state = 'locked' WHERE user_name = 'admin'`);
    const plan = { ...PLAN, admin: { ...PLAN.admin, password: 'Configured-1' } };
    expect((await run(plan)).admin).toMatchObject({ hasPassword: false, password: undefined });
    expect(await rows(`SELECT state FROM users WHERE user_name = 'admin'`)).toEqual([{ state: 'locked' }]);
    expect(await rows('SELECT hash FROM user_passwords')).toEqual([]);
  });
});

describe('S210: the file of one service user’s token', () => {
  let tokenFile: string;
  beforeEach(() => {
    tokenFile = path.join(folder, 'secrets', 'token');
  });
  const runForToken = (more: { renew?: boolean } = {}) =>
    app.get(Bootstrap).run(PLAN, { token: new TokenFile(tokenFile), ...more });
  const content = () => readFile(tokenFile, 'utf8');
  const isLive = async (token: string) =>
    (await rows('SELECT FROM personal_access_tokens WHERE token_hash = $1', sha256(token.trim()))).length ===
    1;

  it('is written once, for its owner alone, and makes nothing else', async () => {
    expect((await runForToken()).token).toEqual({ userName: 'admin-service-user', outcome: 'made' });
    const token = await content();
    expect(token).toMatch(/^pat_[A-Za-z0-9_-]{43}\n$/);
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    expect(await isLive(token)).toBe(true);
    expect(await rows('SELECT user_name FROM users ORDER BY user_name')).toEqual([
      { user_name: 'admin' },
      { user_name: 'admin-service-user' },
    ]);
    expect(await rows('SELECT DISTINCT role FROM memberships')).toEqual([{ role: 'IAM_OWNER' }]);
    expect(await rows('SELECT name FROM applications')).toEqual([{ name: 'Console' }]);

    const before = await stat(tokenFile);
    expect((await runForToken()).token?.outcome).toBe('kept');
    expect((await stat(tokenFile)).ino).toBe(before.ino);
    expect(await rows('SELECT id FROM personal_access_tokens')).toHaveLength(1);
  });

  it('is written once by four at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => runForToken()));
    expect(outcomes.map(({ token }) => token?.outcome).toSorted()).toEqual(['kept', 'kept', 'kept', 'made']);
    expect(await isLive(await content())).toBe(true);
  });

  it('makes the token of a run true that died before its commit', async () => {
    await runForToken();
    const token = await content();
    await sql.query('DELETE FROM personal_access_tokens');
    expect((await runForToken()).token?.outcome).toBe('kept');
    expect(await content()).toBe(token);
    expect(await isLive(token)).toBe(true);
  });

  it('makes no token true that somebody else could have written', async () => {
    await mkdir(path.dirname(tokenFile));
    await writeFile(tokenFile, `pat_${'x'.repeat(43)}\n`, { mode: 0o644 });
    await chmod(tokenFile, 0o644);
    expect((await runForToken()).token?.outcome).toBe('file-not-true');
    expect(await rows('SELECT id FROM personal_access_tokens')).toEqual([]);
  });

  it.each([
    ['anything else', 'hello\n'],
    ['nothing', ''],
    ['a token of elsewhere', `pat_${'x'.repeat(43)}\n`],
  ])('is not replaced where it holds %s', async (_, held) => {
    await runForToken();
    await writeFile(tokenFile, held);
    expect((await runForToken()).token?.outcome).toBe('file-not-true');
    expect((await runForToken({ renew: true })).token?.outcome).toBe('file-not-true');
    expect(await content()).toBe(held);
    expect(await rows('SELECT id FROM personal_access_tokens')).toHaveLength(1);
  });

  it('follows no link', async () => {
    await mkdir(path.dirname(tokenFile));
    await symlink(path.join(folder, 'elsewhere'), tokenFile);
    await expect(runForToken()).rejects.toThrow('symbolic link');
    expect(await rows('SELECT id FROM organizations')).toEqual([]);
    expect(await readdir(folder)).toEqual(['secrets']);
  });

  it('is not written again once it was taken away, unless a new token is asked for', async () => {
    await runForToken();
    await rm(tokenFile);
    expect((await runForToken()).token?.outcome).toBe('unknown');
    await expect(stat(tokenFile)).rejects.toThrow('ENOENT');
    expect((await runForToken({ renew: true })).token?.outcome).toBe('made');
    expect(await isLive(await content())).toBe(true);
  });

  it('gets no token for a service user who is shut out', async () => {
    await runForToken();
    await rm(tokenFile);
    await sql.query(`UPDATE users SET state = 'inactive' WHERE kind = 'machine'`);
    expect((await runForToken({ renew: true })).token?.outcome).toBe('no-service-user');
  });

  it('shares the service user with the credentials', async () => {
    await app.get(Bootstrap).run(PLAN, { credentials: keeper(), token: new TokenFile(tokenFile) });
    expect(`${(await read()).adminServiceUser.pat}\n`).toBe(await content());
  });
});
