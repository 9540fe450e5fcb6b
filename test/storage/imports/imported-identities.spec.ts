import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { UserId } from '../../../src/domain/shared/ids.js';
import { given } from '../../support/given.js';
import { human, ImportEngine } from '../../support/import-engine.js';
import { anOrganization, useWorld } from '../../support/world.js';
import { converted, fixture } from '../../unit/cli/support/run-cli.js';

let owner: UserId;

const { api, world } = useWorld();
const engine = given(() => new ImportEngine(api));
beforeAll(async () => {
  owner = await engine.addImporter(world.orgId);
});

async function rows<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await api.sql.query<Row>(text, values)).rows;
}

async function aProvider(orgId: string | null): Promise<string> {
  const [row] = await rows<{ id: string }>(
    `INSERT INTO identity_providers (org_id, kind, name, settings) VALUES ($1, 'google', $2, '{}') RETURNING id`,
    [orgId, randomUUID()],
  );
  if (row === undefined) throw new Error('no provider was added');
  return row.id;
}

const identitiesOf = async (id: string) =>
  await rows<Record<string, unknown>>(
    `SELECT provider_id, subject, display_name, org_id, made_by FROM user_identities WHERE user_id = $1
     ORDER BY subject`,
    [id],
  );
const at = (configId: string, externalUserId: string, more: object = {}) => ({
  configId,
  externalUserId,
  ...more,
});
const someone = (id: string, idps: readonly object[], changes: object = {}) =>
  human(id, { userId: id, idps, hashedPassword: undefined, ...changes });
const unknown = { outcome: 'failed', code: 'not_found', path: 'idps[0].configId' };
const exists = { outcome: 'failed', code: 'already_exists', path: 'idps' };
const duplicate = { outcome: 'failed', code: 'duplicate', path: 'idps' };

describe('identities of a file', () => {
  it('of a realm of Keycloak are those of its users here, once converted', async () => {
    const provider = await aProvider(world.orgId);
    const realm = ['keycloak', '--realm', fixture('keycloak/acme-realm.json')];
    const { records } = await converted([...realm, '--idp', `google=${provider}`]);
    const job = await engine.import(world.orgId, owner, records, { notify: 'none' });
    expect(job.counts).toMatchObject({ created: 3, failed: 0, identities: 2 });
    const identity = { provider_id: provider, org_id: world.orgId, made_by: owner };
    expect(await identitiesOf('0f2d1c5e-6a4c-4a58-8a3e-000000000001')).toEqual([
      { ...identity, subject: '110169484474386276334', display_name: 'dorothy@gmail.example' },
    ]);
    expect(await identitiesOf('0f2d1c5e-6a4c-4a58-8a3e-000000000003')).toEqual([
      { ...identity, subject: '110169484474386276335', display_name: 'wernher@gmail.example' },
    ]);
  });

  it('come along, are as good as a password, and go with an undone import', async () => {
    const provider = await aProvider(world.orgId);
    const unverified = { email: { email: 'late@mail.test', isEmailVerified: false } };
    const job = await engine.import(
      world.orgId,
      owner,
      [
        someone('id-1', [at(provider, 'ada', { displayName: 'Ada' })]),
        someone('id-2', [at(provider, 'bob')], unverified),
      ],
      { notify: 'deferred' },
    );
    expect(job.counts).toMatchObject({ created: 2, failed: 0, held: 1 });
    expect(await identitiesOf('id-1')).toEqual([
      { provider_id: provider, subject: 'ada', display_name: 'Ada', org_id: world.orgId, made_by: owner },
    ]);
    const states = await rows(`SELECT state FROM users WHERE id IN ('id-1', 'id-2')`);
    expect(states).toEqual([{ state: 'active' }, { state: 'active' }]);
    const [{ fields } = {}] = await rows<{ fields: string[] }>(
      `SELECT fields FROM events WHERE aggregate_id = 'id-1' AND type = 'user.human.imported'`,
    );
    expect(fields).toContain('identities');
    const ask = { orgId: world.orgId, jobId: job.id, actorId: owner, through: null };
    await engine.transaction(async (tx) => await engine.steer.notify(tx, ask));
    await engine.drain();
    const mailed = await rows(
      `SELECT user_id, template FROM notifications WHERE user_id IN ('id-1', 'id-2')`,
    );
    expect(mailed).toEqual([{ user_id: 'id-2', template: 'verify_email' }]);
    await engine.transaction(async (tx) => await engine.steer.undo(tx, ask));
    await engine.drain();
    expect(await identitiesOf('id-1')).toEqual([]);
  });

  it('that somebody has, or that the file has twice, fail their record alone', async () => {
    const provider = await aProvider(world.orgId);
    await engine.import(world.orgId, owner, [someone('id-3', [at(provider, 'taken')])]);
    const records = [
      someone('id-4', [at(provider, 'free'), at(provider, 'taken')]),
      someone('id-5', [at(provider, 'twice')]),
      someone('id-6', [at(provider, 'twice')]),
    ];
    for (const dryRun of [true, false]) {
      const job = await engine.import(world.orgId, owner, records, { dryRun });
      expect(await engine.outcomes(job)).toMatchObject([exists, { outcome: 'created' }, duplicate]);
    }
    // no id: the file is written without a look, and the index finds it
    const unnamed = [{ ...someone('id-8', [at(provider, 'taken')]), userId: undefined }];
    const job = await engine.import(world.orgId, owner, unnamed);
    expect(await engine.outcomes(job)).toMatchObject([exists]);
    expect(await rows(`SELECT id FROM users WHERE user_name IN ('id-4', 'id-6', 'id-8')`)).toEqual([]);
  });

  it('of a provider elsewhere, of none, and of the instance for whoever may not change those, are refused', async () => {
    const elsewhere = await anOrganization(api);
    const [theirs, ofInstance] = [await aProvider(elsewhere.orgId), await aProvider(null)];
    const job = await engine.import(world.orgId, owner, [
      someone('id-9', [at(theirs, 'a')]),
      someone('id-10', [at('999', 'a')]),
      someone('id-11', [at(ofInstance, 'a')]),
    ]);
    expect(await engine.outcomes(job)).toMatchObject([unknown, unknown, unknown]);
    await rows(
      `INSERT INTO memberships (user_org_id, user_id, org_id, role) VALUES ($1, $2, NULL, 'IAM_OWNER')`,
      [world.orgId, owner],
    );
    const again = await engine.import(world.orgId, owner, [someone('id-11', [at(ofInstance, 'a')])]);
    expect(again.counts).toMatchObject({ created: 1 });
  });

  it('are added to somebody who is there where passwords are replaced, each once', async () => {
    const provider = await aProvider(world.orgId);
    await engine.import(world.orgId, owner, [someone('id-12', [at(provider, 'one')])]);
    const both = someone('id-12', [at(provider, 'one'), at(provider, 'two')]);
    const left = await engine.import(world.orgId, owner, [both], { mode: 'upsert' });
    expect(left.counts).toMatchObject({ skipped: 1 });
    const replacing = { mode: 'upsert', updatePasswords: true } as const;
    const job = await engine.import(world.orgId, owner, [both], replacing);
    expect(job.counts).toMatchObject({ updated: 1 });
    expect((await identitiesOf('id-12')).map(({ subject }) => subject)).toEqual(['one', 'two']);
    const again = await engine.import(world.orgId, owner, [both], replacing);
    expect(again.counts).toMatchObject({ skipped: 1 });
    await engine.import(world.orgId, owner, [human('id-13', { userId: 'id-13' })]);
    const thief = await engine.import(
      world.orgId,
      owner,
      [someone('id-13', [at(provider, 'two')])],
      replacing,
    );
    expect(await engine.outcomes(thief)).toMatchObject([exists]);
    // whoever keeps the provider could be them
    const elsewhere = await anOrganization(api);
    await rows(
      `INSERT INTO memberships (user_org_id, user_id, org_id, role) VALUES ($1, 'id-13', $2, 'ORG_OWNER')`,
      [world.orgId, elsewhere.orgId],
    );
    const risen = await engine.import(
      world.orgId,
      owner,
      [someone('id-13', [at(provider, 'new')])],
      replacing,
    );
    expect(await engine.outcomes(risen)).toMatchObject([
      { outcome: 'failed', code: 'refused', path: 'idps' },
    ]);
  });
});
