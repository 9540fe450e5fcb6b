import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useReplica } from '../support/api.js';
import { anApplication } from '../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  obtainTokens,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
} from '../support/browser-flow.js';
import { given } from '../support/given.js';
import {
  aRobot,
  aServiceUser,
  assertionOf,
  byAssertion,
  bySecret,
  type ServiceUser,
} from '../support/service-users.js';
import { aUser } from '../support/users.js';
import { useWorld } from '../support/world.js';
import { eventually } from './support/eventually.js';
import { IdentityProcess } from './support/identity-process.js';
import { SmtpSink } from './support/smtp-sink.js';
import { WorkerProcess } from './support/worker-process.js';

// `identity restore`, on a database as a backup brings it back: with everything alive that was ended since. A backup of
// PostgreSQL is restored in faults/restored.

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anApplication(world));
const robot = given(() => aRobot(world));
let sink: SmtpSink;

beforeAll(async () => {
  sink = await SmtpSink.start();
});
afterAll(() => sink.stop());

async function restore(...args: string[]): Promise<string> {
  const program = IdentityProcess.run(['restore', ...args], { ...api.environment, LOG_LEVEL: 'warn' });
  expect(await program.exited, program.err).toBe(0);
  return program.out;
}

/** As often as tests want; an instance replaces its keys at once no more than once a minute. */
async function finish(...args: string[]): Promise<string> {
  for (const table of ['signing_keys', 'token_keys'])
    await api.sql.query(`UPDATE ${table} SET by_emergency = false`);
  return await restore('finish', ...args);
}

/** A mail with a code, and one that only tells something. */
async function makeMails(owner: ServiceUser): Promise<{ withCode: string; notice: string }> {
  const [forgetful, changed] = [await aUser(world), await aUser(world)];
  const reset = await owner.call('POST', `users/${forgetful.userId}/password/_reset`, {});
  expect(reset.statusCode, reset.body).toBe(200);
  const set = await owner.call('POST', `users/${changed.userId}/password`, { password: 'Marker-Fr3sh!' });
  expect(set.statusCode, set.body).toBe(200);
  return { withCode: `${forgetful.userName}@mail.test`, notice: `${changed.userName}@mail.test` };
}

async function withWorker(work: (worker: WorkerProcess) => Promise<void>): Promise<void> {
  const worker = WorkerProcess.spawn({ ...api.environment, SMTP_URL: sink.url, LOG_LEVEL: 'info' });
  try {
    await worker.untilReady();
    await work(worker);
  } finally {
    await worker.kill();
  }
}

describe('identity restore finish', () => {
  it('ends sessions, tokens and codes, and forgets what works once', async () => {
    const user = await aUser(world);
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, client, user, { scope: 'openid offline_access' }, browser);
    const silently = async () =>
      redirected(await browser.get(authorizeUrl(codeRequest(client, { prompt: 'none' }))));
    const code = (await silently()).get('code') ?? '';
    expect(code).not.toBe('');
    // work that was under way waits for the operator, and goes on then
    await api.sql.query(
      `INSERT INTO bulk_actions (org_id, action, created_by, subject_epoch) VALUES ($1, 'lock', $2, 0)`,
      [world.orgId, user.userId],
    );
    await api.sql.query(
      `INSERT INTO imports (id, org_id, created_by, state, finished_at, expires_at, format, mode, notify,
         subject_epoch, undo_state, undone_by, undone_subject_epoch, notify_state, notified_by, notified_subject_epoch)
       VALUES (new_id(), $1, $2, 'done', app_now(), app_now() + interval '1 day', 'csv', 'insert', 'deferred',
         0, 'running', $2, 0, 'done', $2, 0),
         (new_id(), $1, $2, 'done', app_now(), app_now() + interval '1 day', 'csv', 'insert', 'deferred',
         0, NULL, NULL, NULL, 'running', $2, 0)`,
      [world.orgId, user.userId],
    );

    expect(await finish()).toMatch(/Ended: [1-9]\d* session\(s\), [1-9]\d* grant\(s\)/);

    for (const at of [api, replica]) {
      await eventually('the token to end', 60_000, async () => {
        return (await userinfo(at, tokens.access_token)).statusCode === 401;
      });
      expect((await refreshTokens(at, client, tokens)).json()).toMatchObject({
        error: 'invalid_grant',
      });
      expect((await requestToken(at, redemption(code), basic(client))).json()).toMatchObject({
        error: 'invalid_grant',
      });
    }
    expect((await silently()).get('error')).toBe('login_required');
    const kept = await api.sql.query<{ goes: boolean }>(
      `SELECT b.subject_epoch = u.token_epoch + o.token_epoch AS goes FROM bulk_actions b
       JOIN users u ON u.id = b.created_by JOIN organizations o ON o.id = u.org_id WHERE u.id = $1`,
      [user.userId],
    );
    expect(kept.rows).toEqual([{ goes: true }]);
    const imports = await api.sql.query<{ undone: number; notified: number; all: number }>(
      `SELECT sum(j.undone_subject_epoch)::int AS undone, sum(j.notified_subject_epoch)::int AS notified,
              max(u.token_epoch + o.token_epoch)::int AS all
       FROM imports j JOIN users u ON u.id = j.created_by JOIN organizations o ON o.id = u.org_id WHERE u.id = $1`,
      [user.userId],
    );
    const [{ undone, notified, all } = { undone: 0, notified: 0, all: 1 }] = imports.rows;
    expect([undone, notified]).toEqual([all, all]);
    const { rows } = await api.sql.query(`SELECT FROM signing_keys WHERE state = 'current'`);
    expect(rows.length).toBeGreaterThan(0);
    // and everybody signs in again
    expect((await obtainTokens(api, client, user)).access_token).toBeDefined();
  });

  it('takes as long as it takes, and says what it cannot undo (S418)', async () => {
    await api.sql.query(`
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET statement_timeout = ''20s''', current_database()); END $$;
      CREATE TABLE haste (statements text);
      GRANT INSERT ON haste TO PUBLIC;
      CREATE FUNCTION note_haste() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO haste VALUES (current_setting('statement_timeout')); RETURN NULL; END $$;
      CREATE TRIGGER note_haste AFTER UPDATE ON sessions FOR EACH STATEMENT EXECUTE FUNCTION note_haste();`);
    const said = await finish();
    const { rows } = await api.sql.query('SELECT DISTINCT statements FROM haste');
    await api.sql.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET statement_timeout', current_database()); END $$`,
    );
    await api.sql.query('DROP TRIGGER note_haste ON sessions; DROP FUNCTION note_haste(); DROP TABLE haste');
    expect(rows).toEqual([{ statements: '0' }]);
    expect(said).toContain('Everything that was granted at the time of the backup is granted again');
    expect(said).toContain('Empty Redis before API and workers start');
  });

  it('refuses to replace keys twice within a minute, and has then changed nothing', async () => {
    await finish();
    const user = await aUser(world);
    const { access_token: token } = await obtainTokens(api, client, user);
    const again = IdentityProcess.run(['restore', 'finish'], { ...api.environment, LOG_LEVEL: 'warn' });
    expect(await again.exited).toBe(1);
    expect(again.err).toContain('Nothing was changed: The key was replaced at once less than a minute ago');
    expect((await userinfo(api, token)).statusCode).toBe(200);
  });

  it('leaves tokens, secrets and keys of programs, unless it is asked', async () => {
    const someone = await aServiceUser(world, 'ORG_OWNER');
    const me = async () => (await someone.call('GET', 'orgs/me')).statusCode;
    await finish();
    expect(await me()).toBe(200);
    expect((await bySecret(api, robot)).statusCode).toBe(200);
    expect((await byAssertion(api, await assertionOf(robot))).statusCode).toBe(200);

    expect(await finish('--disable', 'tokens,secrets,keys')).toMatch(/Disabled tokens: [1-9]/);
    expect(await me()).toBe(401);
    expect((await bySecret(api, robot)).json()).toMatchObject({ error: 'invalid_client' });
    expect((await byAssertion(api, await assertionOf(robot))).statusCode).toBe(400);
    expect((await refreshTokens(api, client, { refresh_token: 'whatever' })).json()).toMatchObject({
      error: 'invalid_client',
    });
  });

  it('holds back what was due, until somebody says what becomes of it', async () => {
    const owner = await aServiceUser(world, 'ORG_OWNER');
    const first = await makeMails(owner);
    expect(await finish()).toMatch(/Held back: 1 message/);
    await withWorker(async (worker) => {
      // a message that is made now goes out ahead of those that were there before
      const later = await makeMails(owner);
      for (const to of [later.withCode, later.notice]) {
        await eventually(`a mail to ${to}`, 60_000, () => sink.to(to)[0]);
      }
      expect([...sink.to(first.withCode), ...sink.to(first.notice)]).toEqual([]);

      expect(await restore('release', '--send')).toContain('1 message(s) are sent');
      await eventually('the notice', 60_000, () => sink.to(first.notice)[0]);
      // its code is forgotten
      expect(sink.to(first.withCode)).toEqual([]);
      worker.signal('SIGTERM');
      await worker.exited;
    });
    const second = await makeMails(owner);
    await finish();
    expect(await restore('release', '--discard')).toContain('1 message(s) are discarded');
    await withWorker(async () => {
      const { notice } = await makeMails(owner);
      await eventually(`a mail to ${notice}`, 60_000, () => sink.to(notice)[0]);
      expect([...sink.to(second.withCode), ...sink.to(second.notice)]).toEqual([]);
    });
    const { rows } = await api.sql.query(`SELECT state FROM notifications WHERE last_error = 'restored'`);
    expect(rows.map(({ state }: { state: string }) => state)).toEqual(rows.map(() => 'abandoned'));
    expect(rows.length).toBeGreaterThanOrEqual(3);
  });

  it.each([[['finish', '--disable', 'everything']], [['release']], [['release', '--send', '--discard']]])(
    'refuses %j',
    async (args) => {
      const program = IdentityProcess.run(['restore', ...args], api.environment);
      expect(await program.exited).toBe(2);
      expect(program.err).toMatch(/identity restore (finish|release)/);
      expect(program.err).not.toContain('finish-restore');
    },
  );
});
