import { beforeAll, describe, expect, it } from 'vitest';
import { ImportChunksStore } from '../../../src/domain/imports/chunks/import-chunks.store.js';
import { FillImport } from '../../../src/domain/imports/receive/fill-import.js';
import { startTestApi } from '../../support/api.js';
import { call } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { record } from '../../support/human-records.js';
import { ImportEngine, loseAnswer } from '../../support/import-engine.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world: home } = useWorld();
const root = given(() => aServiceUser(home, 'IAM_OWNER'));
beforeAll(async () => {
  // what is made in the first seconds of a role counts as made before it
  await api.advance(6);
});
const engine = given(() => new ImportEngine(api));

/** An organization of which nothing can come in before something else has. */
function organization(orgId: string) {
  return {
    orgMembers: [{ userId: `${orgId}-u1`, roles: ['ORG_OWNER'] }],
    userGrants: [{ userId: `${orgId}-u1`, projectId: `${orgId}-p`, roleKeys: ['admin'] }],
    userMetadata: [{ id: `${orgId}-u1`, key: 'crm', value: 'NDI=' }],
    projectRoles: [{ projectId: `${orgId}-p`, roleKey: 'admin', displayName: 'Admin' }],
    apiApps: [{ appId: `${orgId}-a`, app: { projectId: `${orgId}-p`, name: 'Api' } }],
    projects: [{ projectId: `${orgId}-p`, project: { name: 'Shop' } }],
    humanUsers: [{ userId: `${orgId}-u1`, user: record() }],
    machineUsers: [{ userId: `${orgId}-m1`, user: { userName: 'robot', name: 'Robot' } }],
    domains: [{ domainName: `${orgId}.test`, isVerified: true, isPrimary: true }],
    org: { name: orgId },
    orgId,
  };
}

function everythingOf(orgId: string) {
  return {
    orgId,
    domains: [`${orgId}.test`],
    projectIds: [`${orgId}-p`],
    projectRoles: [`${orgId}-p_admin`],
    apiAppIds: [`${orgId}-a`],
    humanUserIds: [`${orgId}-u1`],
    machineUserIds: [`${orgId}-m1`],
    userMetadata: [{ userId: `${orgId}-u1`, key: 'crm' }],
    userGrants: [{ projectId: `${orgId}-p`, userId: `${orgId}-u1` }],
    orgMembers: [`${orgId}-u1`],
  };
}

async function send(body: unknown, headers: Readonly<Record<string, string>> = {}, to = api) {
  return await root.call('POST', '/admin/v1/import', body, { headers, on: to });
}

/** What the same request is told again, once all of it has ended. */
async function toldAgain(body: unknown, key: string) {
  const response = await send(body, { 'idempotency-key': key });
  return [response.statusCode, response.json<unknown>()];
}

describe('an import of whole organizations', () => {
  it('F19: goes on without the process that took it, whether somebody waits there or not', async () => {
    const body = { dataOrgs: { orgs: [organization('left')] }, timeout: '10m' };
    const waited = { dataOrgs: { orgs: [organization('waited')] }, timeout: '10m' };
    const other = await startTestApi({}, api);
    const accepted = await send(body, { prefer: 'respond-async', 'idempotency-key': 'left' }, other);
    expect(accepted.statusCode).toBe(202);
    const before = (await engine.queued()).length;
    const waiting = send(waited, { 'idempotency-key': 'waited' }, other).catch(() => undefined);
    await expect.poll(async () => (await engine.queued()).length).toBeGreaterThan(before);
    await other.close();
    await engine.drain();
    await waiting;
    expect(await toldAgain(body, 'left')).toEqual([200, { success: { orgs: [everythingOf('left')] } }]);
    expect(await toldAgain(waited, 'waited')).toEqual([200, { success: { orgs: [everythingOf('waited')] } }]);
  });

  it('F14: is the same wherever a worker is killed, between its steps or within one', async () => {
    const body = { dataOrgs: { orgs: [organization('killed')] } };
    await send(body, { prefer: 'respond-async', 'idempotency-key': 'killed' });
    const chunks = api.app.get(ImportChunksStore);
    const passes: number[] = [];
    for (;;) {
      const next = (await engine.queued()).find(({ name }) => name === 'import-chunk');
      if (next === undefined) break;
      const { rows } = await api.sql.query<{ pass: number }>(
        `SELECT pass FROM import_chunks WHERE import_id = $1 AND number = $2`,
        [next.jobId, next.number],
      );
      passes.push(...rows.map(({ pass }) => pass));
      // it was taken up, and whoever took it is gone
      expect(await chunks.claim(next.jobId, next.number, 20_000)).toMatchObject({ kind: 'claimed' });
      await api.advance(21);
      await new ImportEngine(api).runQueued(next);
    }
    await engine.drain();
    expect(passes).toEqual([...passes].sort((one, other) => one - other));
    expect(new Set(passes).size).toBe(9);
    expect(await toldAgain(body, 'killed')).toEqual([200, { success: { orgs: [everythingOf('killed')] } }]);
    const { rows } = await api.sql.query(
      `SELECT records_total AS total, (SELECT sum(created) FROM import_chunks c WHERE c.import_id = j.id)::int AS created,
         (SELECT sum(skipped) FROM import_chunks c WHERE c.import_id = j.id)::int AS skipped
       FROM imports j ORDER BY created_at DESC LIMIT 1`,
    );
    // the primary domain came with its organization
    expect(rows).toEqual([{ total: 10, created: 9, skipped: 1 }]);
  });

  it('F21: is the same import when it is sent again, and refused with other content', async () => {
    const key = { 'idempotency-key': 'again', prefer: 'respond-async' };
    const body = { dataOrgs: { orgs: [organization('again')] } };
    const first = (await send(body, key)).json<{ importId: string }>();
    expect((await send(body, key)).json()).toEqual(first);
    const other = await send({ dataOrgs: { orgs: [organization('others')] } }, key);
    expect(other.statusCode).toBe(422);
    await engine.drain();
    expect(await toldAgain(body, 'again')).toEqual([200, { success: { orgs: [everythingOf('again')] } }]);
  });

  it('stops with the rest undone when whoever began it may no longer write to the instance', async () => {
    const lost = await aServiceUser(home, 'IAM_OWNER');
    const body = { dataOrgs: { orgs: [organization('lost')] } };
    const headers = { prefer: 'respond-async' };
    await lost.call('POST', '/admin/v1/import', body, { headers });
    const first = (await engine.queued()).find(({ name }) => name === 'import-chunk');
    if (first !== undefined) await engine.runQueued(first);
    await api.sql.query(`DELETE FROM memberships WHERE user_id = $1`, [lost.userId]);
    await engine.drain();
    const { rows } = await api.sql.query(
      `SELECT (SELECT count(*)::int FROM organizations WHERE id = 'lost') AS organizations,
         (SELECT count(*)::int FROM projects WHERE org_id = 'lost') AS projects`,
    );
    expect(rows).toEqual([{ organizations: 1, projects: 0 }]);
  });
});

describe('a file that we cannot keep', () => {
  it('F45: imports nothing, its sender is told to send it again, and its key can be used again', async () => {
    const body = { dataOrgs: { orgs: [organization('kept')] } };
    const key = { 'idempotency-key': 'kept', prefer: 'respond-async' };
    await api.sql.query(`
      CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$`);
    await api.sql.query(`
      CREATE TRIGGER disk_full BEFORE INSERT ON import_chunks FOR EACH ROW WHEN (NEW.pass = 50)
      EXECUTE FUNCTION disk_full()`);
    const refused = await send(body, key);
    expect([refused.statusCode, refused.json<{ code: number }>().code]).toEqual([503, 14]);
    const { rows } = await api.sql.query(`
      SELECT j.state, j.reason, (SELECT count(*)::int FROM import_chunks c WHERE c.import_id = j.id AND c.payload IS NOT NULL)
      FROM imports j ORDER BY j.created_at DESC LIMIT 1`);
    expect(rows).toEqual([{ state: 'failed', reason: 'source_unavailable', count: 0 }]);
    await api.sql.query(`DROP TRIGGER disk_full ON import_chunks`);
    expect((await send(body, key)).statusCode).toBe(202);
    await engine.drain();
    expect(await toldAgain(body, 'kept')).toEqual([200, { success: { orgs: [everythingOf('kept')] } }]);
  });

  it('is not one that we have kept whole when the connection to PostgreSQL is lost', async () => {
    const body = { dataOrgs: { orgs: [organization('unheard')] } };
    const key = { 'idempotency-key': 'unheard', prefer: 'respond-async' };
    const lost = loseAnswer(api.app.get(FillImport));
    expect((await send(body, key)).statusCode).toBe(503);
    const again = await send(body, key);
    expect([again.statusCode, again.json()]).toEqual([202, { importId: (await lost).id }]);
    await engine.drain();
    expect(await toldAgain(body, 'unheard')).toEqual([200, { success: { orgs: [everythingOf('unheard')] } }]);
  });
});

describe('a password that an import replaces', () => {
  it.each(['now', 'deferred', 'none'])('is told to its owner, with notify=%s', async (notify) => {
    const person = record({ userId: `owner-${notify}` });
    const file = async (query: string, one: unknown) => {
      await root.call('POST', `imports?format=ndjson${query}`, JSON.stringify(one));
      await engine.drain();
    };
    await file('', person);
    const hash = '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW';
    const changed = { ...person, hashedPassword: { value: hash } };
    await file(`&mode=upsert&updatePasswords=true&notify=${notify}`, changed);
    const { rows } = await api.sql.query(
      `SELECT n.template, n.state, o.lane FROM notifications n LEFT JOIN outbox o ON o.id = n.outbox_id
       WHERE n.user_id = $1`,
      [`owner-${notify}`],
    );
    const told = { template: 'password_changed', state: 'pending', lane: 'bulk' };
    expect(rows).toEqual(notify === 'none' ? [] : [told]);
  });
});

describe('metadata beside the users of a file', () => {
  const bytes = (text: string) => Buffer.from(text).toString('base64');

  async function importFile(orgs: unknown, query = '', by = root) {
    const path = `imports?format=json${query}`;
    const body = { dataOrgs: { orgs } };
    const response = await call(api, 'POST', path, { pat: by.pat, body });
    await engine.drain();
    const { id } = response.json<{ id: string }>();
    const results = await call(api, 'GET', `imports/${id}/results`, { pat: by.pat });
    const lines = results.body.trim().split('\n');
    return lines.map((line) => JSON.parse(line) as { outcome: string; code?: string; givenId?: string });
  }

  const shown = (outcomes: { outcome: string; code?: string; givenId?: string }[]) =>
    outcomes.map(({ givenId, outcome, code = '' }) => `${givenId} ${outcome} ${code}`.trim());

  it('comes in with them, many at a time, by the rules of the mode', async () => {
    const file = (value: string) => [
      {
        userMetadata: [
          { id: 'bulk-1', key: 'crm', value: bytes(value) },
          { id: 'bulk-2', key: 'crm', value: bytes('2') },
          { id: 'nobody', key: 'crm', value: bytes('3') },
        ],
        humanUsers: [1, 2].map((number) => ({ userId: `bulk-${number}`, user: record() })),
        orgId: home.orgId,
      },
    ];
    const metadata = ['bulk-1_crm', 'bulk-2_crm'];
    expect(shown(await importFile(file('1'), '&dryRun=true'))).toEqual([
      ...metadata.map((name) => `${name} created`),
      'nobody_crm failed not_found',
      'bulk-1 created',
      'bulk-2 created',
    ]);
    expect(shown(await importFile(file('1')))).toContain('bulk-1_crm created');
    // it is no change of the user: undoing the import would find them untouched
    const { rows } = await api.sql.query(
      `SELECT encode(m.value, 'escape') AS value, u.sequence::int FROM user_metadata m JOIN users u ON u.id = m.user_id
       WHERE u.id LIKE 'bulk-%' ORDER BY u.id`,
    );
    expect(rows).toEqual([1, 2].map((value) => ({ value: String(value), sequence: 1 })));
    const [changed, same] = await importFile(file('other'));
    expect([changed?.code, same?.code]).toEqual(['already_exists', 'unchanged']);
    expect((await importFile(file('other'), '&mode=skip'))[0]).toMatchObject({ outcome: 'skipped' });
    expect((await importFile(file('other'), '&mode=upsert'))[0]).toMatchObject({ outcome: 'updated' });
  });

  it.each(['insert', 'skip', 'upsert'])(
    'a dry run promises none of a user who is refused, nor more than a user can have: %s (S381)',
    async (mode) => {
      await importFile([{ orgId: home.orgId, humanUsers: [{ userId: `dry-${mode}`, user: record() }] }]);
      const taken = record();
      await importFile([{ orgId: home.orgId, humanUsers: [{ user: taken }] }]);
      const big = bytes('x'.repeat(400_000));
      const file = [
        {
          userMetadata: [
            { id: `refused-${mode}`, key: 'crm', value: bytes('1') },
            ...['one', 'two', 'three'].map((key) => ({ id: `dry-${mode}`, key, value: big })),
          ],
          // its address is somebody else's
          humanUsers: [{ userId: `refused-${mode}`, user: { ...record(), email: taken.email } }],
          orgId: home.orgId,
        },
      ];
      const dry = shown(await importFile(file, `&dryRun=true&mode=${mode}`));
      expect(dry).toEqual(shown(await importFile(file, `&mode=${mode}`)));
      expect(dry.filter((line) => !line.includes(' failed '))).toEqual([]);
    },
  );

  it('S159: is of users of the organization only, and never more than a user can have', async () => {
    const abroad = await anOrganization(api);
    const owner = await aServiceUser(home, 'ORG_OWNER');
    await importFile([{ orgId: abroad.orgId, humanUsers: [{ userId: 'abroad-1', user: record() }] }]);
    await importFile([{ orgId: home.orgId, humanUsers: [{ userId: 'full-1', user: record() }] }]);
    const entry = (id: string, key: string, size = 1) => ({ id, key, value: bytes('x'.repeat(size)) });
    const userMetadata = [
      entry('abroad-1', 'k'),
      entry(root.userId, 'k'),
      entry('full-1', 'one', 400_000),
      entry('full-1', 'two', 400_000),
      entry('full-1', 'three', 400_000),
      entry(owner.userId, 'k'),
    ];
    expect(shown(await importFile([{ orgId: home.orgId, userMetadata }], '', owner))).toEqual([
      'abroad-1_k failed not_found',
      `${root.userId}_k failed forbidden`,
      ...['one', 'two', 'three'].map((key) => `full-1_${key} failed refused`),
      `${owner.userId}_k created`,
    ]);
    const elsewhere = await importFile([{ orgId: abroad.orgId, userMetadata }], '', owner);
    expect(elsewhere[0]).toMatchObject({ outcome: 'failed', code: 'forbidden' });
  });
});
