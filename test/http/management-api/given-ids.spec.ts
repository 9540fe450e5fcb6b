import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { given } from '../../support/given.js';
import { record } from '../../support/human-records.js';
import { ImportEngine } from '../../support/import-engine.js';
import { aServiceUser } from '../../support/service-users.js';
import { useWorld } from '../../support/world.js';
import { importCalls, ndjson } from './import-calls.js';

// Ids that come along stay apart from each other and survive URLs (S199).

const { api, world } = useWorld();
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const engine = given(() => new ImportEngine(api));

const { uploaded, find } = importCalls(() => ({ api, owner }));

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const key = {
  type: 'KEY_TYPE_JSON',
  expirationDate: '9999-12-31T23:59:59.000Z',
  publicKey: Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })).toString('base64'),
};
const oidc = { projectId: 'p-199', name: 'app', redirectUris: ['https://rp.test/cb'] };

interface Answer {
  readonly errors?: { type: string; id: string; message: string }[];
}

async function importData(org: Record<string, unknown>): Promise<Answer> {
  let answered = false;
  const body = { dataOrgs: { orgs: [org] }, timeout: '30s' };
  const answer = root.call('POST', '/admin/v1/import', body).finally(() => {
    answered = true;
  });
  await expect.poll(async () => answered || (await engine.queued()).length > 0).toBe(true);
  await engine.drain();
  const response = await answer;
  expect(response.statusCode, response.body).toBe(200);
  return response.json<Answer>();
}

async function importUsers(
  ...ids: string[]
): Promise<{ path?: string; message?: string; givenId?: string }[]> {
  const { id } = await uploaded(ndjson(...ids.map((userId) => ({ ...record(), userId }))));
  await engine.drain();
  expect((await find(id)).state).toBe('done');
  const { body } = await owner.call('GET', `imports/${id}/results?outcome=failed`);
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { path?: string; message?: string });
}

describe('S199: ids that a URL would change', () => {
  it('costs a user its record, with the rule', async () => {
    const failed = await importUsers('.', '..', '%2e%2e', 'a/b', 'auth0|s199');
    expect(failed.map(({ path, message }) => [path, message])).toEqual([
      ['userId', 'userId must not be . or .., which URLs leave out'],
      ['userId', 'userId must not be . or .., which URLs leave out'],
      ['userId', 'userId must not have / \\ ? # ; or %, which have a meaning in URLs'],
      ['userId', 'userId must not have / \\ ? # ; or %, which have a meaning in URLs'],
    ]);
    expect((await owner.call('GET', 'users/auth0%7Cs199')).statusCode).toBe(200);
  });

  it('costs anything else its item', async () => {
    const { errors = [] } = await importData({
      orgId: world.orgId,
      projects: [
        { projectId: '..', project: { name: 'dots' } },
        { projectId: 'p-199', project: { name: 'good' } },
      ],
      oidcApps: [
        { appId: '%2e', app: oidc },
        { appId: 'a-199', clientId: 'c/199', app: oidc },
      ],
      machineKeys: [{ keyId: 'k#1', userId: root.userId, ...key }],
    });
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('projectId must not be . or ..'),
      expect.stringContaining('appId must not have'),
      expect.stringContaining('clientId must not have'),
      expect.stringContaining('keyId must not have'),
    ]);
    const org = await importData({ orgId: '..', org: { name: 'Dots' } });
    expect(org.errors?.[0]?.message).toContain('orgId must not be . or ..');
  });

  it('is refused for a service user, too', async () => {
    const body = { userName: 'dots', name: 'Dots', userId: '..' };
    const answer = await owner.call('POST', 'users/machine', body);
    expect([answer.statusCode, answer.body]).toEqual([400, expect.stringContaining('userId must not be')]);
  });
});

describe('S199: an id of an object of another kind', () => {
  it('is nobody’s user id: organization, project, application, client, key', async () => {
    const client = await anApplication(world);
    const { rows } = await api.sql.query<{ id: string; project_id: string }>(
      `SELECT id, project_id FROM applications WHERE client_id = $1`,
      [client.clientId],
    );
    const made = await api.sql.query<{ id: string }>(
      `INSERT INTO service_user_keys (org_id, user_id, public_jwk, expires_at)
       VALUES ($1, $2, '{"kty":"EC"}', app_now() + interval '1 day') RETURNING id`,
      [world.orgId, root.userId],
    );
    const [application] = rows;
    if (application === undefined) throw new Error('no application was made');
    const ids = [
      world.orgId,
      application.project_id,
      application.id,
      client.clientId,
      made.rows[0]?.id ?? '',
    ];
    const failed = await importUsers(...ids, 's199-free');
    expect(failed.map(({ path, message }) => [path, message])).toEqual(
      ids.map(() => ['userId', 'userId stands for something else already (V3-DKcYh)']),
    );
    for (const userId of ids) {
      const body = { userName: `svc-${userId}`, name: 'Taken', userId };
      const answer = await owner.call('POST', 'users/machine', body);
      expect([userId, answer.statusCode]).toEqual([userId, 409]);
    }
  });

  it('is no id of a project, application, client or key where a user has it, or one of these', async () => {
    await importUsers('s199-user');
    const { errors = [] } = await importData({
      orgId: world.orgId,
      projects: [
        { projectId: 's199-user', project: { name: 'as a user' } },
        { projectId: world.orgId, project: { name: 'as an organization' } },
        { projectId: 's199-project', project: { name: 'as itself' } },
      ],
      oidcApps: [
        { appId: 's199-project', app: { ...oidc, projectId: 's199-project', name: 'as its project' } },
        { appId: 's199-a', clientId: 's199-user', app: { ...oidc, projectId: 's199-project', name: 'user' } },
        { appId: 's199-b', clientId: 's199-b', app: { ...oidc, projectId: 's199-project', name: 'its own' } },
      ],
      machineKeys: [{ keyId: 's199-user', userId: root.userId, ...key }],
    });
    expect(errors.map(({ id }) => id)).toEqual([
      's199-user',
      world.orgId,
      's199-project',
      's199-a',
      's199-user',
    ]);
    expect(errors.every(({ message }) => message.includes('already exists'))).toBe(true);
  });

  it('goes to one alone, however many race for it', async () => {
    for (let round = 0; round < 12; round += 1) {
      const id = `s199-race-${round}`;
      const racers = [
        api.sql.query(`INSERT INTO projects (id, org_id, name) VALUES ($1, $2, $1)`, [id, world.orgId]),
        api.sql.query(`INSERT INTO organizations (id, name) VALUES ($1, $1)`, [id]),
        api.sql.query(
          `INSERT INTO users (id, org_id, kind, user_name, state) VALUES ($1, $2, 'machine', $1, 'active')`,
          [id, world.orgId],
        ),
      ];
      const ended = await Promise.allSettled(racers);
      expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });

  it('stays what it was when the thing is gone', async () => {
    const insert = `INSERT INTO projects (id, org_id, name) VALUES ('s199-gone', $1, 's199-gone')`;
    await api.sql.query(insert, [world.orgId]);
    await api.sql.query(`DELETE FROM projects WHERE id = 's199-gone'`);
    expect(await importUsers('s199-gone')).toMatchObject([{ path: 'userId' }]);
    await api.sql.query(insert, [world.orgId]);
  });
});

it('lets nobody take the ids that are drawn next', async () => {
  // what an import could bring along: ids are a time and a running number
  await api.sql.query(
    `INSERT INTO users (id, org_id, kind, user_name)
     SELECT ((start + t) * 4194304 + number + n)::text, $1, 'machine', 'foreseen-' || t || '-' || n
     FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 1735689600000 AS start,
             last_value AS number FROM id_numbers) AS now,
       generate_series(0, 8000) AS t, generate_series(1, 4) AS n`,
    [world.orgId],
  );
  const added = await owner.call('POST', 'projects', { name: 'Unforeseen' });
  expect(added.statusCode, added.body).toBe(200);
});
