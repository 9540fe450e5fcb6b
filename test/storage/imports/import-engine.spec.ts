import { beforeAll, describe, expect, it } from 'vitest';
import { RecoveryCodes } from '../../../src/domain/factors/recovery-codes/recovery-codes.js';
import type { ImportJob } from '../../../src/domain/imports/import-job.js';
import type { OrgId, UserId } from '../../../src/domain/shared/ids.js';
import { anApplication } from '../../support/applications.js';
import { obtainTokens } from '../../support/browser-flow.js';
import { given } from '../../support/given.js';
import { BCRYPT, human, ImportEngine } from '../../support/import-engine.js';
import { TWILIO } from '../../support/sms.js';
import { aUser, PASSWORD } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

let owner: UserId;

const { api, world } = useWorld(TWILIO);
const other = given(() => anOrganization(api));
const engine = given(() => new ImportEngine(api));
beforeAll(async () => {
  owner = await engine.addImporter(world.orgId);
});

async function rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await api.sql.query<Row>(text, values)).rows;
}

async function userNamed(
  name: string,
  orgId: OrgId = world.orgId,
): Promise<{ id: UserId; state: string } | undefined> {
  const [row] = await rows<{ id: UserId; state: string }>(
    'SELECT id, state FROM users WHERE org_id = $1 AND user_name = $2',
    [orgId, name],
  );
  return row;
}

async function told(job: ImportJob): Promise<unknown[]> {
  const outcomes = await engine.outcomes(job);
  return outcomes.map(({ line, outcome, code, path }) => [line, outcome, code, path]);
}

describe('a file of new users', () => {
  it('becomes users, names, passwords and events, and nothing of it is kept', async () => {
    const records = Array.from({ length: 25 }, (_, index) => human(`new-${index}`));
    const job = await engine.import(world.orgId, owner, records, {}, 10);
    expect(job).toMatchObject({
      state: 'done',
      total: 25,
      counts: { created: 25, updated: 0, skipped: 0, failed: 0 },
    });
    const outcomes = await engine.outcomes(job);
    expect(outcomes.map(({ line, outcome }) => [line, outcome])).toEqual(
      records.map((_, index) => [index + 1, 'created']),
    );
    const ids = outcomes.map(({ userId }) => userId);
    const found = await rows(
      `SELECT u.user_name, u.state, h.email, p.scheme, e.type, e.data ->> 'import' AS job,
         (SELECT count(*)::int FROM login_identifiers i WHERE i.user_id = u.id) AS names
       FROM users u JOIN user_humans h ON h.user_id = u.id JOIN user_passwords p ON p.user_id = u.id
       JOIN events e ON e.aggregate_type = 'user' AND e.aggregate_id = u.id
       WHERE u.id = ANY ($1) ORDER BY u.id`,
      [ids],
    );
    expect(found).toHaveLength(25);
    expect(found[0]).toEqual({
      user_name: 'new-0',
      state: 'active',
      email: 'new-0@mail.test',
      scheme: 'bcrypt',
      type: 'user.human.imported',
      job: job.id,
      names: 2,
    });
    const left = await rows(
      'SELECT FROM import_chunks WHERE import_id = $1 AND (payload IS NOT NULL OR failed_payload IS NOT NULL)',
      [job.id],
    );
    expect(left).toHaveLength(0);
  });

  it('keeps ids, creation times, states, metadata and TOTP secrets, the last sealed', async () => {
    const job = await engine.import(world.orgId, owner, [
      human('kept', {
        userId: 'legacy|kept-1',
        createdAt: '2019-03-04T05:06:07Z',
        totpSecret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
        metadata: { 'crm.id': 'back\\slash\ttab' },
      }),
      human('locked-one', { state: 'locked' }),
      { kind: 'machine', userName: 'robot', name: 'Robot', accessTokenType: 'jwt' },
    ]);
    expect(job.counts).toMatchObject({ created: 3 });
    const [kept] = await rows<Record<string, unknown>>(
      `SELECT u.created_at, m.value, t.secret_sealed FROM users u JOIN user_metadata m ON m.user_id = u.id
       JOIN user_totp_secrets t ON t.user_id = u.id WHERE u.id = 'legacy|kept-1'`,
    );
    expect(kept?.['created_at']).toEqual(new Date('2019-03-04T05:06:07Z'));
    expect(String(kept?.['value'])).toBe('back\\slash\ttab');
    expect(String(kept?.['secret_sealed'])).not.toContain('JBSWY3DPEHPK3PXP');
    expect(await userNamed('locked-one')).toMatchObject({ state: 'locked' });
    const [robot] = await rows(
      `SELECT m.access_token_type FROM users u JOIN service_users m ON m.user_id = u.id WHERE user_name = 'robot'`,
    );
    expect(robot).toEqual({ access_token_type: 'jwt' });
  });

  it('S160: separators and line breaks stay inside their cell', async () => {
    const trick = '\\N\\t\\.\\\\x41 "a";b,c';
    const job = await engine.import(world.orgId, owner, [
      human('tricky', { profile: { firstName: trick, lastName: 'L' } }),
      human('tricked'),
    ]);
    expect(job.counts).toMatchObject({ created: 2 });
    const [row] = await rows(
      `SELECT h.first_name, h.last_name, h.email FROM users u JOIN user_humans h ON h.user_id = u.id
       WHERE u.user_name = 'tricky'`,
    );
    expect(row).toEqual({ first_name: trick, last_name: 'L', email: 'tricky@mail.test' });
  });

  it('tells each fault with its line and field, and imports the rest', async () => {
    const job = await engine.import(world.orgId, owner, [
      human('fine'),
      'no json',
      human('bad-mail', { email: { email: 'nonsense' } }),
      human('odd-field', { favouriteColour: 'red' }),
      human('bad-hash', { hashedPassword: { value: '$unknown$x' } }),
      human('fine'),
      human('weak-password', { hashedPassword: undefined, password: 'short' }),
      human('fine-too'),
      human('S205', { profile: { firstName: 'Ada\u202E', lastName: 'L' } }),
      human('S204', { email: { email: '=?utf-8?q?a?=@mail.test' } }),
    ]);
    expect(job).toMatchObject({ state: 'done', total: 10, counts: { created: 2, failed: 8 } });
    expect(await told(job)).toEqual([
      [1, 'created', undefined, undefined],
      [2, 'failed', 'malformed', undefined],
      [3, 'failed', 'invalid', 'email.email'],
      [4, 'failed', 'invalid', expect.stringContaining('favouriteColour')],
      [5, 'failed', 'invalid', 'hashedPassword.value'],
      [6, 'failed', 'duplicate', undefined],
      [7, 'failed', 'invalid', 'password'],
      [8, 'created', undefined, undefined],
      [9, 'failed', 'invalid', 'profile.firstName'],
      [10, 'failed', 'invalid', 'email.email'],
    ]);
    const texts = JSON.stringify(await engine.outcomes(job));
    expect(texts).not.toContain('$unknown$');
    expect(texts).not.toContain('nonsense');
  });

  it('says that somebody is there already of a record with a password in clear, too', async () => {
    await engine.import(world.orgId, owner, [human('there-in-clear')]);
    const clear = { hashedPassword: undefined, password: PASSWORD };
    const job = await engine.import(world.orgId, owner, [
      human('there-in-clear', clear),
      human('new-in-clear', clear),
    ]);
    expect(await told(job)).toEqual([
      [1, 'failed', 'already_exists', 'userName'],
      [2, 'created', undefined, undefined],
    ]);
  });

  it('S165: of records of which the database refuses one, only that one fails', async () => {
    await rows(
      `ALTER TABLE user_humans ADD CONSTRAINT poison CHECK (nick_name IS DISTINCT FROM 'poison') NOT VALID`,
    );
    const records = Array.from({ length: 10_000 }, (_, index) =>
      human(
        `many-${index}`,
        index === 6_789 ? { profile: { firstName: 'A', lastName: 'B', nickName: 'poison' } } : {},
      ),
    );
    const job = await engine.import(world.orgId, owner, records);
    await rows('ALTER TABLE user_humans DROP CONSTRAINT poison');
    expect(job).toMatchObject({ state: 'done', counts: { created: 9_999, failed: 1 } });
    const failed = (await engine.outcomes(job)).filter(({ outcome }) => outcome === 'failed');
    expect(failed).toMatchObject([{ line: 6_790, code: 'refused' }]);
  });

  it('S159: a record of another organization is forbidden to who owns only theirs', async () => {
    const job = await engine.import(world.orgId, owner, [
      human('mine', { orgId: world.orgId }),
      human('theirs', { orgId: other.orgId }),
    ]);
    expect(await told(job)).toEqual([
      [1, 'created', undefined, undefined],
      [2, 'failed', 'forbidden', 'orgId'],
    ]);
    expect(await userNamed('theirs', other.orgId)).toBeUndefined();
  });

  it('goes into every organization for who owns the instance', async () => {
    const root = await engine.addImporter(world.orgId, 'IAM_OWNER');
    const job = await engine.import(world.orgId, root, [
      human('both', { orgId: world.orgId }),
      human('both', { orgId: other.orgId }),
      human('nowhere', { orgId: 'no-such-org' }),
    ]);
    expect(job.instanceWide).toBe(true);
    expect(await told(job)).toEqual([
      [1, 'created', undefined, undefined],
      [2, 'created', undefined, undefined],
      [3, 'failed', 'not_found', 'orgId'],
    ]);
    expect(await userNamed('both', other.orgId)).toBeDefined();
  });
});

describe('a user who is there already', () => {
  it('fails the record of insert, by name, id and verified e-mail', async () => {
    await engine.import(world.orgId, owner, [human('there', { userId: 'there-1' })]);
    const job = await engine.import(world.orgId, owner, [
      human('THERE', { email: { email: 'else@mail.test', isEmailVerified: true } }),
      human('there-else', { userId: 'there-1' }),
      human('there-mail', { email: { email: 'there@mail.test', isEmailVerified: true } }),
      human('there-not'),
    ]);
    expect(await told(job)).toEqual([
      [1, 'failed', 'already_exists', 'userName'],
      [2, 'failed', 'already_exists', 'userId'],
      [3, 'failed', 'already_exists', 'email.email'],
      [4, 'created', undefined, undefined],
    ]);
  });

  it('is left alone by skip, and told with their id', async () => {
    const records = [human('skipped'), human('fresh')];
    const first = await engine.import(world.orgId, owner, [records[0] ?? {}]);
    const job = await engine.import(world.orgId, owner, records, { mode: 'skip' });
    expect(job.counts).toMatchObject({ created: 1, skipped: 1 });
    const [before] = await engine.outcomes(first);
    expect((await engine.outcomes(job))[0]).toMatchObject({
      outcome: 'skipped',
      userId: before?.userId,
      code: 'already_exists',
    });
  });

  it('is brought up to the record by upsert, once, and without a password', async () => {
    await engine.import(world.orgId, owner, [human('up', { userId: 'up-1' })]);
    const record = human('up-renamed', {
      userId: 'up-1',
      profile: { firstName: 'Grace', lastName: 'Hopper', nickName: 'Amazing' },
      email: { email: 'grace@mail.test', isEmailVerified: true },
      phone: { phone: '+41791234567', isPhoneVerified: true },
      metadata: { team: 'navy' },
      hashedPassword: { value: BCRYPT.replace('R9h', 'S9h') },
    });
    const job = await engine.import(world.orgId, owner, [record], { mode: 'upsert' });
    expect(job.counts).toMatchObject({ updated: 1 });
    const [after] = await rows(
      `SELECT u.user_name, u.sequence, u.token_epoch, h.first_name, h.display_name, h.nick_name, h.email, h.phone,
         p.hash, (SELECT string_agg(kind || '=' || canonical, ' ' ORDER BY kind) FROM login_identifiers i
                  WHERE i.user_id = u.id) AS names
       FROM users u JOIN user_humans h ON h.user_id = u.id JOIN user_passwords p ON p.user_id = u.id
       WHERE u.id = 'up-1'`,
    );
    expect(after).toEqual({
      user_name: 'up-renamed',
      sequence: '2',
      token_epoch: 0,
      first_name: 'Grace',
      display_name: 'Grace Hopper',
      nick_name: 'Amazing',
      email: 'grace@mail.test',
      phone: '+41791234567',
      hash: BCRYPT,
      names: 'email=grace@mail.test user_name=up-renamed',
    });
    const [event] = await rows<{ fields: string[] }>(
      `SELECT fields FROM events WHERE aggregate_id = 'up-1' AND type = 'user.human.changed'`,
    );
    expect(event?.fields).toEqual(
      expect.arrayContaining(['email', 'firstName', 'metadata.team', 'phone', 'userName']),
    );
    const again = await engine.import(world.orgId, owner, [record], { mode: 'upsert' });
    expect(again.counts).toMatchObject({ updated: 0, skipped: 1 });
  });

  it('is changed by the first of two records that mean them, by id and by name', async () => {
    await engine.import(world.orgId, owner, [human('twice', { userId: 'twice-1' })]);
    const record = (userName: string, more: object) =>
      human(userName, { email: { email: `${userName}@mail.test`, isEmailVerified: true }, ...more });
    const job = await engine.import(
      world.orgId,
      owner,
      [
        record('twice-renamed', { userId: 'twice-1', metadata: { team: 'navy' } }),
        record('twice', { metadata: { team: 'army' } }),
      ],
      { mode: 'upsert', updatePasswords: true },
    );
    expect(await told(job)).toEqual([
      [1, 'updated', undefined, undefined],
      [2, 'failed', 'duplicate', undefined],
    ]);
    const names = await rows('SELECT kind, canonical FROM login_identifiers WHERE user_id = $1 ORDER BY 1', [
      'twice-1',
    ]);
    expect(names).toEqual([
      { kind: 'email', canonical: 'twice-renamed@mail.test' },
      { kind: 'user_name', canonical: 'twice-renamed' },
    ]);
  });

  it('gets no more metadata than a user can have, however many files bring it', async () => {
    await engine.import(world.orgId, owner, [human('full', { userId: 'full-1' }), human('fine')]);
    const keys = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${from + index}`, 'x']));
    const upsert = async (...records: object[]) =>
      await engine.import(world.orgId, owner, records, { mode: 'upsert' });
    for (const from of [0, 100]) await upsert(human('full', { userId: 'full-1', metadata: keys(from, 100) }));
    const job = await upsert(
      human('full', { userId: 'full-1', metadata: keys(200, 1) }),
      human('fine', { metadata: keys(0, 1) }),
    );
    expect(await told(job)).toEqual([
      [1, 'failed', 'refused', 'metadata'],
      [2, 'updated', undefined, undefined],
    ]);
    const [kept] = await rows('SELECT count(*)::int FROM user_metadata WHERE user_id = $1', ['full-1']);
    expect(kept).toEqual({ count: 200 });
  });

  it('S163: a new password, and being deactivated, ends what was issued before', async () => {
    await engine.import(world.orgId, owner, [
      human('pw', { userId: 'pw-1' }),
      human('out', { userId: 'out-1' }),
    ]);
    const job = await engine.import(
      world.orgId,
      owner,
      [
        human('pw', { userId: 'pw-1', hashedPassword: { value: BCRYPT.replace('R9h', 'S9h') } }),
        human('out', { userId: 'out-1', state: 'inactive' }),
      ],
      { mode: 'upsert', updatePasswords: true },
    );
    expect(job.counts).toMatchObject({ updated: 2 });
    const after = await rows(
      `SELECT u.id, u.state, u.token_epoch, p.hash FROM users u JOIN user_passwords p ON p.user_id = u.id
       WHERE u.id IN ('pw-1', 'out-1') ORDER BY u.id`,
    );
    expect(after).toEqual([
      { id: 'out-1', state: 'inactive', token_epoch: 1, hash: BCRYPT },
      { id: 'pw-1', state: 'active', token_epoch: 1, hash: BCRYPT.replace('R9h', 'S9h') },
    ]);
  });

  it("S163: an import that sets a password ends sessions of that user, and nobody else's", async () => {
    const user = await aUser(world);
    const bystander = await aUser(world);
    const client = await anApplication(world);
    await obtainTokens(api, client, user);
    await obtainTokens(api, client, bystander);
    const record = human(user.userName, { hashedPassword: { value: BCRYPT } });
    const job = await engine.import(world.orgId, owner, [record], { mode: 'upsert', updatePasswords: true });
    expect(await told(job)).toEqual([[1, 'updated', undefined, undefined]]);
    const sessions = await rows(
      `SELECT user_id, end_reason FROM sessions WHERE user_id = ANY ($1) ORDER BY end_reason NULLS LAST`,
      [[user.userId, bystander.userId]],
    );
    expect(sessions).toEqual([
      { user_id: user.userId, end_reason: 'changed_by_import' },
      { user_id: bystander.userId, end_reason: null },
    ]);
  });

  it('S169: undoing an import keeps users who have signed in', async () => {
    const records = [
      human('signed-in', { hashedPassword: undefined, password: PASSWORD }),
      human('never-in'),
    ];
    const job = await engine.import(world.orgId, owner, records);
    const userName = 'signed-in';
    const loginName = `${userName}@${world.domain}`;
    const found = await userNamed(userName);
    if (found === undefined) throw new Error('not imported');
    const client = await anApplication(world);
    await obtainTokens(api, client, { userId: found.id, orgId: world.orgId, userName, loginName });
    const change = { orgId: world.orgId, jobId: job.id, actorId: owner, through: null };
    await engine.transaction(async (tx) => await engine.steer.undo(tx, change));
    await engine.drain();
    expect((await engine.outcomes(job)).map(({ undone }) => undone)).toEqual(['kept', 'removed']);
    expect(await userNamed('never-in')).toBeUndefined();
  });

  it('is never changed by upsert with less rights than they have', async () => {
    await engine.import(world.orgId, owner, [human('boss', { userId: 'boss-1' })]);
    await rows(`INSERT INTO memberships (user_id, user_org_id, role) VALUES ('boss-1', $1, 'IAM_OWNER')`, [
      world.orgId,
    ]);
    const record = human('boss', { userId: 'boss-1', profile: { firstName: 'X', lastName: 'Y' } });
    const job = await engine.import(world.orgId, owner, [record], { mode: 'upsert' });
    expect(await told(job)).toEqual([[1, 'failed', 'forbidden', undefined]]);
  });

  it('S400: is not changed by less rights than they get while the import waits for them', async () => {
    await engine.import(world.orgId, owner, [human('rising', { userId: 'rising-1' })]);
    const admin = await api.sql.connect();
    try {
      await admin.query('BEGIN');
      await admin.query(`SELECT FROM users WHERE id = 'rising-1' FOR UPDATE`);
      await admin.query(
        `INSERT INTO memberships (user_id, user_org_id, role) VALUES ('rising-1', $1, 'IAM_OWNER')`,
        [world.orgId],
      );
      const record = human('rising', { userId: 'rising-1' });
      const changes = { mode: 'upsert', updatePasswords: true } as const;
      const importing = engine.import(world.orgId, owner, [record], changes);
      await expect
        .poll(
          async () =>
            await rows(
              `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            ),
        )
        .not.toHaveLength(0);
      await admin.query('COMMIT');
      expect(await told(await importing)).toEqual([[1, 'failed', 'forbidden', undefined]]);
    } finally {
      admin.release();
    }
  });

  it('S401: whose password it replaces, or who is shut out, keeps no link that adds a passkey', async () => {
    const names = ['linked-1', 'linked-2', 'linked-3'];
    const people = names.map((name) => human(name, { userId: name }));
    await engine.import(world.orgId, owner, people);
    for (const name of names) {
      await rows(
        `INSERT INTO verification_codes (id, org_id, user_id, purpose, target, code_hash, expires_at, made_by)
         VALUES ($1, $2, $1, 'register_passkey', '', '\\x00', app_now() + interval '1 hour', '')`,
        [name, world.orgId],
      );
    }
    const live = async () =>
      await rows(
        `SELECT user_id FROM verification_codes WHERE user_id LIKE 'linked-%' AND ended_at IS NULL ORDER BY user_id`,
      );
    expect(await live()).toHaveLength(3);
    const changed = { profile: { firstName: 'Other', lastName: 'Name' } };
    await engine.import(
      world.orgId,
      owner,
      [
        human('linked-1', { userId: 'linked-1', state: 'locked' }),
        human('linked-2', { userId: 'linked-2', ...changed }),
      ],
      { mode: 'upsert' },
    );
    expect(await live()).toEqual([{ user_id: 'linked-2' }, { user_id: 'linked-3' }]);
    await engine.import(world.orgId, owner, [human('linked-3', { userId: 'linked-3' })], {
      mode: 'upsert',
      updatePasswords: true,
    });
    expect(await live()).toEqual([{ user_id: 'linked-2' }]);
  });

  it('S402: is not shut out while they own the instance', async () => {
    const root = await engine.addImporter(world.orgId, 'IAM_OWNER');
    await engine.import(world.orgId, owner, [human('holder', { userId: 'holder-1' })]);
    await rows(`INSERT INTO memberships (user_id, user_org_id, role) VALUES ('holder-1', $1, 'IAM_OWNER')`, [
      world.orgId,
    ]);
    const locked = [human('holder', { userId: 'holder-1', state: 'locked' })];
    const refused = await engine.import(world.orgId, root, locked, { mode: 'upsert' });
    expect(await told(refused)).toEqual([[1, 'failed', 'forbidden', 'state']]);
    const renamed = [human('holder', { userId: 'holder-1', profile: { firstName: 'O', lastName: 'N' } })];
    const job = await engine.import(world.orgId, root, renamed, { mode: 'upsert' });
    expect(await told(job)).toEqual([[1, 'updated', undefined, undefined]]);
  });

  it('S388: knows who imported their password, or that nobody answers for it', async () => {
    const madeBy = async (): Promise<unknown> =>
      (await rows<{ made_by: string }>(`SELECT made_by FROM user_passwords WHERE user_id = 'made-1'`))[0]
        ?.made_by;
    await engine.import(world.orgId, owner, [human('made', { userId: 'made-1' })]);
    expect(await madeBy()).toBe(owner);
    await rows(`UPDATE user_passwords SET made_by = NULL WHERE user_id = 'made-1'`);
    const plain = { userId: 'made-1', profile: { firstName: 'Other', lastName: 'Name' } };
    await engine.import(world.orgId, owner, [human('made', plain)], { mode: 'upsert' });
    expect(await madeBy()).toBeNull();
    const password = [human('made', { userId: 'made-1' })];
    await engine.import(world.orgId, owner, password, { mode: 'upsert', updatePasswords: true });
    expect(await madeBy()).toBe(owner);
  });

  it('is no way to change what lets the caller in, whatever else the record says (S468)', async () => {
    await engine.import(world.orgId, owner, [human('manager', { userId: 'manager-1' })]);
    await rows(
      `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ('manager-1', $1, 'ORG_OWNER', $1)`,
      [world.orgId],
    );
    const manager = 'manager-1' as UserId;
    const upsert = async (changes: object) =>
      await told(
        await engine.import(world.orgId, manager, [human('manager', { userId: manager, ...changes })], {
          mode: 'upsert',
        }),
      );
    expect(await upsert({ email: { email: 'other@mail.test', isEmailVerified: true } })).toEqual([
      [1, 'failed', 'forbidden', 'email'],
    ]);
    expect(await upsert({ phone: { phone: '+41791234567', isPhoneVerified: true } })).toEqual([
      [1, 'failed', 'forbidden', 'phone'],
    ]);
    expect(await upsert({ profile: { firstName: 'Other', lastName: 'Name' } })).toEqual([
      [1, 'updated', undefined, undefined],
    ]);
  });

  it('is not found in another organization, nor restored after its deletion (S145)', async () => {
    const theirs = await engine.addImporter(other.orgId);
    await engine.import(other.orgId, theirs, [human('far', { userId: 'far-1' })]);
    await engine.import(world.orgId, owner, [human('dead', { userId: 'dead-1' })]);
    await rows(`DELETE FROM login_identifiers WHERE user_id = 'dead-1'`);
    await rows(`UPDATE users SET state = 'deleted' WHERE id = 'dead-1'`);
    const records = [human('far', { userId: 'far-1' }), human('dead', { userId: 'dead-1' })];
    for (const mode of ['insert', 'skip', 'upsert'] as const) {
      const job = await engine.import(world.orgId, owner, records, { mode });
      expect(await told(job)).toEqual([
        [1, 'failed', 'already_exists', 'userId'],
        [2, 'failed', 'already_exists', 'userId'],
      ]);
    }
  });

  it('is one user, however many chunks of the file name them', async () => {
    const records = [human('twice'), human('twice', { profile: { firstName: 'Late', lastName: 'Comer' } })];
    for (const mode of ['skip', 'upsert'] as const) {
      const job = await engine.import(world.orgId, owner, records, { mode }, 1);
      expect((await told(job))[1]).toEqual([2, 'failed', 'duplicate', undefined]);
    }
    const [row] = await rows(
      `SELECT h.first_name FROM users u JOIN user_humans h ON h.user_id = u.id WHERE u.user_name = 'twice'`,
    );
    expect(row).toEqual({ first_name: 'Ada' });
  });
});

describe('two imports of the same users at once', () => {
  it('make each user once, and nobody waits for ever', async () => {
    const records = Array.from({ length: 400 }, (_, index) => human(`race-${index}`));
    const jobs = [
      await engine.receive(world.orgId, owner, records),
      await engine.receive(world.orgId, owner, records.toReversed()),
    ];
    const queued = (await engine.queued()).filter(({ name }) => name === 'import-chunk');
    await Promise.all(queued.map((one) => engine.runQueued(one)));
    await engine.drain();
    const ended = await Promise.all(jobs.map(({ orgId, id }) => engine.jobs.find(orgId, id)));
    expect(ended.map(({ state }) => state)).toEqual(['done', 'done']);
    expect(ended.reduce((sum, { counts }) => sum + counts.created, 0)).toBe(400);
    expect(ended.reduce((sum, { counts }) => sum + counts.failed, 0)).toBe(400);
    expect(await rows(`SELECT FROM users WHERE user_name LIKE 'race-%'`)).toHaveLength(400);
  });
});

describe('a dry run', () => {
  it('says what would happen, and nothing of it does', async () => {
    await engine.import(world.orgId, owner, [human('dry-there')]);
    const messages = async () => await rows(`SELECT id FROM notifications ORDER BY id`);
    const before = await messages();
    const job = await engine.import(
      world.orgId,
      owner,
      [
        human('dry-there'),
        human('dry-new', { hashedPassword: undefined }),
        human('dry-new'),
        human('dry-two'),
      ],
      { dryRun: true, notify: 'now' },
      2,
    );
    expect(job).toMatchObject({ state: 'done', counts: { created: 2, failed: 2 } });
    expect(await told(job)).toEqual([
      [1, 'failed', 'already_exists', 'userName'],
      [2, 'created', undefined, undefined],
      [3, 'failed', 'already_exists', 'userName'],
      [4, 'created', undefined, undefined],
    ]);
    expect((await engine.outcomes(job))[1]?.userId).toBeUndefined();
    expect(await userNamed('dry-new')).toBeUndefined();
    expect(await messages()).toEqual(before);
    const [event] = await rows(`SELECT FROM events WHERE data ->> 'import' = $1`, [job.id]);
    expect(event).toBeUndefined();
  });
});

describe('a dry run of a file in several chunks', () => {
  it.each(['insert', 'skip', 'upsert'] as const)('says of each record what a run says: %s', async (mode) => {
    const email = { email: `dry-${mode}@mail.test`, isEmailVerified: true };
    const records = [
      human(`dry-a-${mode}`, { email }),
      human(`dry-b-${mode}`, { email: { ...email, email: email.email.toUpperCase() } }),
      human(`dry-a-${mode}`, { email: { email: `other-${mode}@mail.test`, isEmailVerified: true } }),
      human(`dry-c-${mode}`, { email: { email: email.email } }),
      human(`dry-d-${mode}`),
    ];
    const run = async (dryRun: boolean) =>
      await told(await engine.import(world.orgId, owner, records, { mode, dryRun }, 1));
    const dry = await run(true);
    expect(dry).toEqual(await run(false));
    expect(dry.slice(0, 2)).toEqual([
      [1, 'created', undefined, undefined],
      [2, 'failed', 'already_exists', 'email.email'],
    ]);
  });
});

describe('a dry run of a mixed file in several chunks (S381)', () => {
  const verified = (address: string) => ({ email: { email: address, isEmailVerified: true } });

  it.each(['insert', 'skip', 'upsert'] as const)(
    'holds nothing that fails or stays against others: %s',
    async (mode) => {
      const at = (name: string) => verified(`${name}-${mode}@mixed.test`);
      await engine.import(world.orgId, owner, [human(`there-${mode}`, at('there'))], {}, 1);
      const records = [
        // fails by its address; its name and id are free for whoever comes next
        human(`mixed-a-${mode}`, { ...at('there'), userId: `mixed-a-${mode}` }),
        human(`mixed-a-${mode}`, at('a')),
        human(`mixed-b-${mode}`, { ...at('b'), userId: `mixed-a-${mode}` }),
        // is there already: refused, left alone or changed, and only then has the address
        human(`there-${mode}`, at('other')),
        human(`mixed-c-${mode}`, at('other')),
        'no record',
        human(`mixed-d-${mode}`, { email: { email: 'not an address' } }),
        human(`mixed-d-${mode}`, at('d')),
      ];
      const run = async (dryRun: boolean) =>
        await told(await engine.import(world.orgId, owner, records, { mode, dryRun }, 1));
      const dry = await run(true);
      expect(dry).toEqual(await run(false));
      expect(JSON.stringify(dry)).toMatch(/"created".*"failed"|"failed".*"created"/);
    },
  );
});

describe('messages', () => {
  const records = [
    human('no-password', { hashedPassword: undefined }),
    human('unverified', { email: { email: 'unverified@mail.test' } }),
    human('verified'),
    human('phoned', { phone: { phone: '+41791234568' } }),
    human('shut-out', { hashedPassword: undefined, state: 'inactive' }),
  ].map((record, index) => ({ ...record, userId: `msg-${index}` }));
  const expected = [
    { user_id: 'msg-0', template: 'initialise', state: 'pending', lane: 'bulk' },
    { user_id: 'msg-1', template: 'verify_email', state: 'pending', lane: 'bulk' },
    { user_id: 'msg-3', template: 'verify_phone', state: 'pending', lane: 'bulk' },
  ];
  const queuedMessages = `
    SELECT n.user_id, n.template, n.state, o.lane FROM notifications n
    JOIN verification_codes v ON v.id = n.code_id AND v.ended_at IS NULL AND v.user_id = n.user_id
    LEFT JOIN outbox o ON o.id = n.outbox_id AND o.payload ->> 'notificationId' = n.id
    WHERE n.user_id LIKE 'msg-%' ORDER BY n.user_id`;

  it('are queued on the bulk lane to who must verify or set something', async () => {
    const job = await engine.import(world.orgId, owner, records, { notify: 'now' });
    expect(job.counts).toMatchObject({ created: 5 });
    expect(await rows(queuedMessages)).toEqual(expected);
    await engine.transaction(
      async (tx) =>
        await engine.steer.undo(tx, { orgId: world.orgId, jobId: job.id, actorId: owner, through: null }),
    );
    await engine.drain();
    expect(await rows(queuedMessages)).toEqual([]);
  });

  it('wait to be asked for when they are deferred, and come once', async () => {
    const job = await engine.import(world.orgId, owner, records, { notify: 'deferred' }, 2);
    expect(await rows(queuedMessages)).toEqual([]);
    const change = { orgId: world.orgId, jobId: job.id, actorId: owner, through: null };
    await engine.transaction(async (tx) => await engine.steer.notify(tx, change));
    await engine.drain();
    expect(await rows(queuedMessages)).toEqual(expected);
    expect((await engine.jobs.find(world.orgId, job.id)).notified).toBe('done');
    await expect(
      engine.transaction(async (tx) => await engine.steer.notify(tx, change)),
    ).rejects.toMatchObject({
      kind: 'failed-precondition',
    });
  });
});

describe('recovery codes', () => {
  const codesOf = async (id: string) =>
    await rows<{ hash: string; used: boolean }>(
      `SELECT hash, used_at IS NOT NULL AS used FROM user_recovery_codes WHERE user_id = $1 ORDER BY hash`,
      [id],
    );

  it('come along in clear or as hashes, each once, and are kept by hashes alone', async () => {
    const recoveryCodes = [{ raw: 'abcde-fghjk' }, { raw: 'ABCDE FGHJK' }, { hash: BCRYPT }];
    const job = await engine.import(world.orgId, owner, [
      human('codes-1', { userId: 'codes-1', recoveryCodes, totpSecret: 'JBSWY3DPEHPK3PXP' }),
      human('codes-2', { userId: 'codes-2', recoveryCodes: [] }),
    ]);
    expect(job.counts).toMatchObject({ created: 2, failed: 0 });
    const kept = await codesOf('codes-1');
    expect(kept).toHaveLength(2);
    expect(kept.map(({ hash }) => hash)).toContain(BCRYPT);
    expect(kept.map(({ hash }) => hash)).toContain(
      api.app.get(RecoveryCodes).hashOf('codes-1' as UserId, 'abcdefghjk'),
    );
    expect(await codesOf('codes-2')).toEqual([]);
  });

  it('go with where codes are sent to, which an update adds to', async () => {
    const kindsOf = async () =>
      (
        await rows<{ kind: string }>(
          `SELECT kind FROM user_code_factors WHERE user_id = 'kinds-1' ORDER BY kind`,
          [],
        )
      ).map(({ kind }) => kind);
    const phone = { phone: '+41791234567' };
    const record = (codeFactors: string[]) => human('kinds-1', { userId: 'kinds-1', phone, codeFactors });
    await engine.import(world.orgId, owner, [record(['email'])]);
    expect(await kindsOf()).toEqual(['email']);
    await engine.import(world.orgId, owner, [record(['sms'])], { mode: 'upsert' });
    expect(await kindsOf()).toEqual(['email', 'sms']);
    const again = await engine.import(world.orgId, owner, [record(['email', 'sms'])], { mode: 'upsert' });
    expect(again.counts).toMatchObject({ updated: 0, skipped: 1 });
  });

  it('stay as they are in another import, unless it is to replace what people sign in with', async () => {
    const record = (raw: string) => human('codes-3', { userId: 'codes-3', recoveryCodes: [{ raw }] });
    await engine.import(world.orgId, owner, [record('first')]);
    await api.sql.query(`UPDATE user_recovery_codes SET used_at = now() WHERE user_id = 'codes-3'`);
    const [used] = await codesOf('codes-3');
    await engine.import(world.orgId, owner, [record('second')], { mode: 'upsert' });
    expect(await codesOf('codes-3')).toEqual([used]);
    await engine.import(world.orgId, owner, [record('second')], { mode: 'upsert', updatePasswords: true });
    const hash = api.app.get(RecoveryCodes).hashOf('codes-3' as UserId, 'second');
    expect(await codesOf('codes-3')).toEqual([{ hash, used: false }]);
  });
});
