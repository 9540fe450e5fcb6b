import { describe, expect, it } from 'vitest';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { ImportEngine } from '../../support/import-engine.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const engine = given(() => new ImportEngine(api));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));

const GITHUB = { kind: 'github', name: 'GitHub', clientId: 'c', clientSecret: 'secret-of-client' };

const ofOrganization = given(async () => (await owner.call('POST', 'idps', GITHUB)).json<{ id: string }>());
const ofInstance = given(async () =>
  (await root.call('POST', '/admin/v1/idps', GITHUB)).json<{ id: string }>(),
);

let people = 0;
function record(idps: readonly object[], changes: object = {}) {
  const userName = `person-${(people += 1)}`;
  return {
    userName,
    profile: { firstName: 'Ada', lastName: 'Lovelace' },
    email: { email: `${userName}@mail.test`, isEmailVerified: true },
    idps,
    ...changes,
  };
}

describe('idps of _import', () => {
  it('make a user active who has nothing else, and are listed', async () => {
    const idps = [{ configId: ofOrganization.id, externalUserId: '583231', displayName: 'octocat' }];
    const imported = await owner.call('POST', 'users/human/_import', record(idps));
    expect(imported.statusCode).toBe(200);
    const { userId, details } = imported.json<{ userId: string; details: { sequence: string } }>();
    expect(details.sequence).toBe('2');
    const user = (await owner.call('GET', `users/${userId}`)).json<{ user: { state: string } }>().user;
    expect(user.state).toBe('USER_STATE_ACTIVE');
    expect((await owner.call('GET', `users/${userId}/idps`)).json()).toMatchObject({
      result: [{ idpId: ofOrganization.id, externalUserId: '583231', displayName: 'octocat' }],
    });
    const sent = await api.sql.query('SELECT template FROM notifications WHERE user_id = $1', [userId]);
    expect(sent.rows).toEqual([]);
    const only = { orgIds: [world.orgId] };
    const exported = async (more: object) =>
      (await root.call('POST', '/admin/v1/export', { ...only, ...more })).body.includes('"idps"');
    expect(await exported({})).toBe(false);
    expect(await exported({ withIdps: true })).toBe(true);
  });

  it('ask an address that is not verified for a code, and for no password', async () => {
    const idps = [{ configId: ofOrganization.id, externalUserId: 'unverified' }];
    const email = { email: 'unverified@mail.test' };
    const { userId } = (await owner.call('POST', 'users/human/_import', record(idps, { email }))).json<{
      userId: string;
    }>();
    const sent = await api.sql.query('SELECT template FROM notifications WHERE user_id = $1', [userId]);
    expect(sent.rows).toEqual([{ template: 'verify_email' }]);
  });

  it('that are taken, or of a provider out of reach, leave nothing of the user', async () => {
    const idps = [{ configId: ofOrganization.id, externalUserId: 'taken' }];
    expect((await owner.call('POST', 'users/human/_import', record(idps))).statusCode).toBe(200);
    const again = record(idps);
    const refused = await owner.call('POST', 'users/human/_import', again);
    expect(refused.statusCode).toBe(409);
    expect(refused.json()).toEqual(errorBody(6, 'Identity belongs to a user already', 'IDP-Sb4tk'));
    const left = await api.sql.query('SELECT id FROM users WHERE user_name = $1', [again.userName]);
    expect(left.rows).toEqual([]);
    const stranger = await aServiceUser(await anOrganization(api), 'ORG_OWNER');
    expect((await stranger.call('POST', 'users/human/_import', record(idps))).statusCode).toBe(404);
    const shared = [{ configId: ofInstance.id, externalUserId: 'a' }];
    expect((await owner.call('POST', 'users/human/_import', record(shared))).statusCode).toBe(404);
    expect((await root.call('POST', 'users/human/_import', record(shared))).statusCode).toBe(200);
  });

  it('come with a user who is made anew, by the same rules', async () => {
    const idps = [{ configId: ofOrganization.id, externalUserId: 'new' }];
    const added = await owner.call('POST', 'users/human', record(idps));
    expect(added.statusCode, added.body).toBe(200);
    const { userId } = added.json<{ userId: string }>();
    expect((await owner.call('GET', `users/${userId}`)).json()).toMatchObject({
      user: { state: 'USER_STATE_ACTIVE' },
    });
    expect((await owner.call('GET', `users/${userId}/idps`)).json()).toMatchObject({
      result: [{ externalUserId: 'new' }],
    });
    expect((await owner.call('POST', 'users/human', record(idps))).statusCode).toBe(409);
    const shared = [{ configId: ofInstance.id, externalUserId: 'of another' }];
    expect((await owner.call('POST', 'users/human', record(shared))).statusCode).toBe(404);
  });
});

describe('userLinks of whole organizations', () => {
  it('add identities to users who are there, each by itself', async () => {
    const { userId } = (await owner.call('POST', 'users/human', record([]))).json<{ userId: string }>();
    const link = (changes: object) => ({
      userId,
      idpId: ofOrganization.id,
      idpName: 'GitHub',
      providedUserId: 'linked',
      providedUserName: 'octocat',
      idpType: 1,
      ...changes,
    });
    const userLinks = [
      link({}),
      link({ idpId: ofInstance.id, providedUserName: undefined }),
      link({ userId: 'nobody', providedUserId: 'other' }),
      link({ idpId: 'none' }),
      link({ providedUserId: '' }),
    ];
    const body = { dataOrgs: { orgs: [{ orgId: world.orgId, userLinks }] }, timeout: '30s' };
    const send = async () => {
      let answered = false;
      const answer = root.call('POST', '/admin/v1/import', body).finally(() => {
        answered = true;
      });
      await expect.poll(async () => answered || (await engine.queued()).length > 0).toBe(true);
      await engine.drain();
      return (await answer).json<{
        errors?: { type: string; id: string }[];
        success?: { orgs: object[] };
      }>();
    };
    const done = await send();
    expect(done.success?.orgs).toEqual([
      {
        orgId: world.orgId,
        userLinks: [
          { userId, externalUserId: 'linked', displayName: 'octocat', idpId: ofOrganization.id },
          { userId, externalUserId: 'linked', idpId: ofInstance.id },
        ],
      },
    ]);
    expect(done.errors?.map(({ type }) => type)).toEqual(Array.from({ length: 3 }, () => 'user_link'));
    expect((await owner.call('GET', `users/${userId}/idps`)).json()).toMatchObject({
      result: [
        { idpId: ofOrganization.id, externalUserId: 'linked', displayName: 'octocat' },
        { idpId: ofInstance.id, externalUserId: 'linked' },
      ],
    });
    // what is there exactly so is no error, as with metadata and policies
    expect((await send()).errors).toHaveLength(3);
    const { rows } = await api.sql.query(
      `SELECT sum(identities)::int AS linked, sum(known_identities)::int AS known,
         sum(refused_identities)::int AS refused
       FROM import_chunks GROUP BY import_id HAVING sum(known_identities) = 2 OR sum(refused_identities) = 3
       ORDER BY linked DESC`,
    );
    expect(rows).toEqual([
      { linked: 2, known: 0, refused: 3 },
      { linked: 0, known: 2, refused: 3 },
    ]);
  });

  it('let in who had nothing to sign in with, and verify no address by that', async () => {
    const { idps: _, ...bare } = record([], { email: { email: 'linked@mail.test', isEmailVerified: false } });
    const imported = await owner.call('POST', 'users/human/_import', bare);
    const { userId } = imported.json<{ userId: string }>();
    const stateOf = async () =>
      (await owner.call('GET', `users/${userId}`)).json<{
        user: { state: string; human: { email: { isEmailVerified?: boolean } } };
      }>().user;
    expect(await stateOf()).toMatchObject({ state: 'USER_STATE_INITIAL' });
    const link = { userId, idpId: ofOrganization.id, providedUserId: 'first way in', providedUserName: 'a' };
    const orgs = [{ orgId: world.orgId, userLinks: [link] }];
    const answer = root.call('POST', '/admin/v1/import', { dataOrgs: { orgs }, timeout: '30s' });
    await expect.poll(async () => (await engine.queued()).length > 0).toBe(true);
    await engine.drain();
    expect((await answer).json()).not.toHaveProperty('errors');
    const after = await stateOf();
    expect(after.state).toBe('USER_STATE_ACTIVE');
    expect(after.human.email.isEmailVerified ?? false).toBe(false);
    // the link of the invitation opens nothing any more
    const live = await api.sql.query(
      `SELECT FROM verification_codes WHERE user_id = $1 AND purpose = 'initialise' AND ended_at IS NULL`,
      [userId],
    );
    expect(live.rows).toHaveLength(0);
  });
});

describe('an identity that a manager adds', () => {
  it('lets in who had nothing to sign in with, and nobody who is shut out', async () => {
    const add = async (subject: string) => {
      const { idps: _, ...bare } = record([]);
      const { userId } = (await owner.call('POST', 'users/human/_import', bare)).json<{ userId: string }>();
      return {
        userId,
        link: async () =>
          (
            await owner.call('POST', `users/${userId}/idps`, {
              idpId: ofOrganization.id,
              externalUserId: subject,
            })
          ).statusCode,
        state: async () =>
          (await owner.call('GET', `users/${userId}`)).json<{ user: { state: string } }>().user.state,
      };
    };
    const waiting = await add('by a manager');
    expect([await waiting.link(), await waiting.state()]).toEqual([200, 'USER_STATE_ACTIVE']);
    const locked = await add('of one who is locked');
    await owner.call('POST', `users/${locked.userId}/_lock`);
    expect([await locked.link(), await locked.state()]).toEqual([200, 'USER_STATE_LOCKED']);
    // an invitation that was sent before opens nothing, nor once they are unlocked
    const live = await api.sql.query(
      `SELECT FROM verification_codes WHERE user_id = ANY ($1) AND purpose = 'initialise' AND ended_at IS NULL`,
      [[waiting.userId, locked.userId]],
    );
    expect(live.rows).toHaveLength(0);
  });
});

describe('what became of the identities of a file', () => {
  it('is counted, linked, known and refused, beside second factors', async () => {
    const importer = await engine.addImporter(world.orgId);
    const idp = (externalUserId: string) => ({ configId: ofOrganization.id, externalUserId });
    const [both, one, none] = [record([idp('c1'), idp('c2')]), record([idp('c3')]), record([])];
    const counts = async (records: readonly object[], options: object) =>
      (await engine.import(world.orgId, importer, records, options)).counts;
    expect(await counts([both, one, none], {})).toMatchObject({
      created: 3,
      identities: 3,
      knownIdentities: 0,
      refusedIdentities: 0,
    });
    // of another user, of a provider that is not there, and once more in the file
    const bad = [
      record([idp('c1'), idp('c9')]),
      record([{ configId: 'none', externalUserId: 'c8' }]),
      record([idp('c7')]),
      record([idp('c7')]),
    ];
    expect(await counts(bad, { mode: 'skip' })).toMatchObject({
      created: 1,
      failed: 3,
      identities: 1,
      knownIdentities: 0,
      refusedIdentities: 4,
    });
    expect(await counts([both], { mode: 'skip' })).toMatchObject({ skipped: 1, knownIdentities: 2 });
    const more = { ...both, idps: [idp('c1'), idp('c2'), idp('c4')] };
    expect(await counts([more], { mode: 'upsert' })).toMatchObject({
      skipped: 1,
      identities: 0,
      knownIdentities: 2,
      refusedIdentities: 1,
    });
    expect(await counts([more], { mode: 'upsert', updatePasswords: true })).toMatchObject({
      updated: 1,
      identities: 1,
      knownIdentities: 2,
      refusedIdentities: 0,
    });
  });
});
