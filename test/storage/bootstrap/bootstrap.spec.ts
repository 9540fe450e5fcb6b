import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BootstrapModule } from '../../../src/cli/bootstrap.module.js';
import { CredentialsFile } from '../../../src/cli/credentials-file.js';
import { readConfig } from '../../../src/config/config.js';
import { Bootstrap, type BootstrapPlan } from '../../../src/domain/bootstrap/bootstrap.js';
import { PasswordHashing } from '../../../src/domain/passwords/password-hashing.js';
import { sha256 } from '../../../src/domain/shared/random.js';
import { PinoLog } from '../../../src/ops/pino-log.js';
import { cloneDatabase, type TestDatabase } from '../../support/databases.js';
import { TEST_BILL } from '../../support/hashing.js';

const ISSUER = 'https://id.test';
const PLAN: BootstrapPlan = {
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
  app = await NestFactory.createApplicationContext(BootstrapModule.with(config, log), { logger: false });
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
const run = (plan: BootstrapPlan = PLAN, kept: CredentialsFile | undefined = keeper()) =>
  app.get(Bootstrap).run(plan, kept);
const runWithoutFile = (plan: BootstrapPlan = PLAN) => app.get(Bootstrap).run(plan, undefined);
const read = async () => JSON.parse(await readFile(file, 'utf8')) as Credentials;

async function rows(text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> {
  return (await sql.query<Record<string, unknown>>(text, values)).rows;
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
      ['applications', '2'],
      ['users', '3'],
      ['personal_access_tokens', '2'],
    ] as const) {
      expect(await rows(`SELECT count(*) FROM ${table}`), table).toEqual([{ count }]);
    }
  });

  it('issues no secret when nobody keeps it, and does so later', async () => {
    expect(await runWithoutFile()).toMatchObject({
      adminLoginName: 'admin@acme.test',
      adminHasPassword: false,
    });
    expect(await rows('SELECT id FROM personal_access_tokens')).toEqual([]);
    // the tour's clients are in development mode: nothing for production
    expect(await rows('SELECT id FROM applications')).toEqual([]);
    expect(await rows(`SELECT name FROM projects WHERE name = 'Tour'`)).toEqual([]);
    expect(await rows(`SELECT state FROM users WHERE user_name = 'admin'`)).toEqual([{ state: 'initial' }]);
    await run();
    await expectTrue(await read());
    expect(await rows(`SELECT state FROM users WHERE user_name = 'admin'`)).toEqual([{ state: 'active' }]);
  });

  it('gives the administrator the configured password, also without a file', async () => {
    const plan = { ...PLAN, admin: { ...PLAN.admin, password: 'Configured-1' } };
    expect(await runWithoutFile(plan)).toMatchObject({ adminHasPassword: true });
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
    await expect(run(plan('Configured-1'))).rejects.toThrow('Password is too short');
    await run(plan('Configured-and-longer-1'));
    expect((await read()).admin.password).toBe('Configured-and-longer-1');
  });
});

describe('once more', () => {
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

  it('heals a file that is lost', async () => {
    await run();
    const before = await read();
    await rm(file);
    await run();
    const after = await read();
    await expectTrue(after);
    expect(after.serviceUser.userId).toBe(before.serviceUser.userId);
    expect(after.webApplication.clientId).toBe(before.webApplication.clientId);
    expect(after.admin.password).not.toBe(before.admin.password);
    const [epoch] = await rows('SELECT token_epoch FROM users WHERE id = $1', before.admin.userId);
    expect(epoch).toEqual({ token_epoch: 1 });
  });

  it.each([
    ['no JSON', () => 'not json'],
    ['another shape', () => '[]'],
    ['a part of it', (now: Credentials) => JSON.stringify({ serviceUser: now.serviceUser })],
    [
      'members of other types',
      () => JSON.stringify({ admin: 7, serviceUser: { pat: [] }, webApplication: null }),
    ],
    [
      'what is not true',
      (now: Credentials) =>
        JSON.stringify({
          ...now,
          admin: { ...now.admin, password: 'Not-The-0ne' },
          serviceUser: { ...now.serviceUser, pat: now.adminServiceUser.pat },
          webApplication: { ...now.webApplication, clientSecret: 'x' },
        }),
    ],
  ])('heals a file with %s', async (_, content) => {
    await run();
    const before = await read();
    await writeFile(file, content(before));
    await run();
    const after = await read();
    await expectTrue(after);
    if (content(before).includes('"adminServiceUser":{"userId"')) {
      expect(after.adminServiceUser.pat).toBe(before.adminServiceUser.pat);
    }
    expect(after.orgId).toBe(before.orgId);
  });

  it('issues anew what the database no longer honours, and nothing else', async () => {
    await run();
    const before = await read();
    await sql.query('UPDATE personal_access_tokens SET revoked_at = now() WHERE user_id = $1', [
      before.serviceUser.userId,
    ]);
    await run();
    const after = await read();
    await expectTrue(after);
    expect(after).toEqual({ ...before, serviceUser: after.serviceUser });
    expect(after.serviceUser.pat).not.toBe(before.serviceUser.pat);
  });

  it('leaves a password alone that the administrator chose, unless it must be told', async () => {
    const plan = { ...PLAN, admin: { ...PLAN.admin, password: 'Configured-1' } };
    await run(plan);
    const { admin } = await read();
    const chosen = await app.get(PasswordHashing).hash('Chosen-By-Them-1', TEST_BILL);
    await sql.query('UPDATE user_passwords SET hash = $2 WHERE user_id = $1', [admin.userId, chosen]);
    await runWithoutFile(plan);
    expect(await rows('SELECT hash FROM user_passwords')).toEqual([{ hash: chosen }]);
    await run(plan);
    await expectTrue(await read());
  });
});
