import { decodeJwt } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { REDIRECT_URI } from '../../support/applications.js';
import { authorizeUrl, codeRequest, obtainTokens, pkce, userinfo } from '../../support/browser-flow.js';
import {
  anInitialToken,
  aRegistered,
  metadata,
  REGISTER,
  registering,
  type Registered,
} from '../../support/client-registration.js';
import { DocumentHost } from '../../support/document-host.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { expectErrorPage, expectOAuthError } from '../oidc/support/answers.js';

// Pairwise subjects of applications that are made by the API or register themselves (OpenID Connect Core §8.1, Dynamic Client
// Registration §2, §5).

const SETTINGS = {
  CLIENT_REGISTRATION: 'token',
  RATE_LIMIT_REGISTRATION: '0',
  OUTBOUND_PRIVATE_ADDRESSES: 'allow',
};
const { api, world } = useWorld({ ...SETTINGS, PAIRWISE_SUBJECTS: 'on' });
const off = useReplica(api, { ...SETTINGS, PAIRWISE_SUBJECTS: 'off' });
const guarded = useReplica(api, {
  ...SETTINGS,
  OUTBOUND_PRIVATE_ADDRESSES: 'refuse',
  PAIRWISE_SUBJECTS: 'on',
});
const documented = useReplica(api, () => ({
  ...SETTINGS,
  PAIRWISE_SUBJECTS: 'on',
  CLIENT_ID_METADATA_DOCUMENTS: 'on',
  CLIENT_REGISTRATION_PROJECT: world.projectId,
  RATE_LIMIT_REGISTRATION_ALL: '0',
}));
const host = given(() => DocumentHost.start());
const initial = given(() => anInitialToken(world));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const user = given(() => aUser(world));
afterAll(() => host.stop());

const OTHER_HOST = 'https://shop.test/cb';
const PAIRWISE = { subject_type: 'pairwise' };

function listed(path: string, body: unknown): string {
  return host.answer(path, { body: typeof body === 'string' ? body : JSON.stringify(body) });
}

async function register(changes: Record<string, unknown>, at = api) {
  return await registering(at, 'POST', REGISTER, initial.token, metadata(changes));
}

async function refusal(changes: Record<string, unknown>, at = api): Promise<string> {
  return expectOAuthError(await register(changes, at), 400, 'invalid_client_metadata');
}

async function change(of: Registered, changes: Record<string, unknown>) {
  const body = { ...metadata(changes), client_id: of.client_id };
  return await registering(api, 'PUT', of.registration_client_uri, of.registration_access_token, body);
}

async function subOf(registered: Registered): Promise<string> {
  const client = { id: '', clientId: registered.client_id, clientSecret: registered.client_secret };
  const tokens = await obtainTokens(api, client, user, { scope: 'openid' });
  const { sub = '' } = decodeJwt(tokens.id_token);
  expect((await userinfo(api, tokens.access_token)).json()).toEqual({ sub });
  return sub;
}

describe('a client that registers itself', () => {
  it('has pairwise subjects where it asks for them, and public ones otherwise', async () => {
    const pairwise = await aRegistered(api, initial.token, PAIRWISE);
    expect(pairwise['subject_type']).toBe('pairwise');
    expect(pairwise).not.toHaveProperty('sector_identifier_uri');
    const open = await aRegistered(api, initial.token);
    expect(open['subject_type']).toBe('public');
    expect(await subOf(pairwise)).not.toBe(user.userId);
    expect(await subOf(open)).toBe(user.userId);
  });

  it('joins a sector that lists its redirect URIs', async () => {
    const sector_identifier_uri = listed('/sector.json', [REDIRECT_URI, OTHER_HOST]);
    const body = { ...PAIRWISE, redirect_uris: [REDIRECT_URI, OTHER_HOST], sector_identifier_uri };
    const registered = await aRegistered(api, initial.token, body);
    expect(registered).toMatchObject({ ...PAIRWISE, sector_identifier_uri });
    const alone = await aRegistered(api, initial.token, { ...PAIRWISE, sector_identifier_uri });
    expect(await subOf(alone)).toBe(await subOf(registered));
    expect(await subOf(await aRegistered(api, initial.token, PAIRWISE))).not.toBe(await subOf(registered));
  });

  it('joins none that does not list them, whatever its subjects are (Registration §5)', async () => {
    for (const subject_type of ['pairwise', 'public']) {
      const sector_identifier_uri = listed('/others.json', [OTHER_HOST]);
      const description = await refusal({ subject_type, sector_identifier_uri });
      expect(description).toBe(`sector_identifier_uri does not list ${REDIRECT_URI}`);
    }
    for (const [path, body] of [
      ['/object.json', { redirect_uris: [REDIRECT_URI] }],
      ['/text.json', REDIRECT_URI],
    ] as const) {
      const description = await refusal({ ...PAIRWISE, sector_identifier_uri: listed(path, body) });
      expect(description).toBe('sector_identifier_uri does not answer with a JSON array of URIs');
    }
    const gone = await refusal({ ...PAIRWISE, sector_identifier_uri: `${host.origin}/gone.json` });
    expect(gone).toBe('sector_identifier_uri is not answered with 200');
    const moved = host.answer('/moved.json', { status: 302, headers: { location: '/sector.json' } });
    expect(await refusal({ ...PAIRWISE, sector_identifier_uri: moved })).toContain(
      'is not answered with 200',
    );
  });

  it('has the service call no address inside', async () => {
    const sector_identifier_uri = listed('/inside.json', [REDIRECT_URI]);
    expect(await refusal({ ...PAIRWISE, sector_identifier_uri }, guarded)).toContain(
      'sector_identifier_uri cannot be fetched',
    );
    expect(host.asked).not.toContain('/inside.json');
    expect(await refusal({ ...PAIRWISE, sector_identifier_uri: 'http://rp.test/s' })).toContain(
      'must use https',
    );
  });

  it('names its sector where its redirect URIs have several hosts or none', async () => {
    expect(await refusal({ ...PAIRWISE, redirect_uris: [REDIRECT_URI, OTHER_HOST] })).toBe(
      'sector_identifier_uri is needed for pairwise subjects: the redirect URIs have several hosts',
    );
    const native = { application_type: 'native', token_endpoint_auth_method: 'none' };
    expect(await refusal({ ...PAIRWISE, ...native, redirect_uris: ['com.example.app:/cb'] })).toContain(
      'native',
    );
  });

  it('changes it by the same rules, and is asked for nothing again that it has shown', async () => {
    const sector_identifier_uri = listed('/changing.json', [REDIRECT_URI]);
    const registered = await aRegistered(api, initial.token, { ...PAIRWISE, sector_identifier_uri });
    const asked = () => host.asked.filter((one) => one === '/changing.json').length;
    expect(asked()).toBe(1);
    const again = { ...PAIRWISE, sector_identifier_uri, client_name: 'Other' };
    expect((await change(registered, again)).statusCode).toBe(200);
    expect(asked()).toBe(1);
    const more = { ...again, redirect_uris: [REDIRECT_URI, OTHER_HOST] };
    expect(expectOAuthError(await change(registered, more), 400, 'invalid_client_metadata')).toContain(
      OTHER_HOST,
    );
    listed('/changing.json', [REDIRECT_URI, OTHER_HOST]);
    expect((await change(registered, more)).json()).toMatchObject({ sector_identifier_uri, ...PAIRWISE });
    // what is left out is not made weaker
    const same = { sector_identifier_uri, ...PAIRWISE };
    expect((await change(registered, {})).json()).toMatchObject(same);
    const known = await change(registered, { subject_type: 'public' });
    expect(known.json()).toMatchObject({ subject_type: 'public' });
    expect(known.json()).not.toHaveProperty('sector_identifier_uri');
  });

  it('gets no sector for redirect URIs that were held against another one, by two changes at once (S502)', async () => {
    const MINE = 'https://mine.test/cb';
    const others = listed('/race-others.json', [REDIRECT_URI]);
    const mine = listed('/race-mine.json', [MINE]);
    const registered = await aRegistered(api, initial.token, {
      ...PAIRWISE,
      redirect_uris: [MINE],
      sector_identifier_uri: mine,
    });
    let answerMine = () => {};
    const after = new Promise<void>((resolve) => (answerMine = resolve));
    const more = [MINE, 'https://mine.test/more'];
    host.answer('/race-mine.json', { body: JSON.stringify(more), after });
    const leftOut = change(registered, { ...PAIRWISE, redirect_uris: more });
    await expect.poll(() => host.asked.filter((one) => one === '/race-mine.json').length).toBe(2);
    const moved = await change(registered, { ...PAIRWISE, sector_identifier_uri: others });
    expect(moved.statusCode).toBe(200);
    answerMine();
    expectOAuthError(await leftOut, 400, 'invalid_client_metadata');
    const { registration_client_uri: uri, registration_access_token: token } = registered;
    expect((await registering(api, 'GET', uri, token)).json()).toMatchObject({
      redirect_uris: [REDIRECT_URI],
      sector_identifier_uri: others,
    });
  });

  it('is refused where the instance serves none; a sector alone is ignored there, as ever', async () => {
    expect(await refusal(PAIRWISE, off)).toContain('subject_type');
    const sector_identifier_uri = `${host.origin}/never.json`;
    const response = await register({ sector_identifier_uri }, off);
    expect(response.statusCode).toBe(201);
    expect(response.json()).not.toHaveProperty('sector_identifier_uri');
    expect(host.asked).not.toContain('/never.json');
  });
});

describe('a client that describes itself in a document', () => {
  async function begun(clientId: string) {
    const request = codeRequest({ id: '', clientId, clientSecret: '' });
    return await documented.app.inject(authorizeUrl({ ...request, ...pkce().challenge }));
  }

  it('has pairwise subjects where it asks for them', async () => {
    const clientId = host.publish('/agent', PAIRWISE);
    expect((await begun(clientId)).headers.location).toMatch(/^\/login/);
    const { rows } = await api.sql.query('SELECT pairwise_sector FROM applications WHERE client_id = $1', [
      clientId,
    ]);
    expect(rows).toEqual([{ pairwise_sector: `${world.orgId} rp.test` }]);
  });

  it('undoes nothing that somebody here has changed while it was read (S506)', async () => {
    const sector_identifier_uri = listed('/slow-sector.json', [REDIRECT_URI]);
    const described = { ...PAIRWISE, sector_identifier_uri, client_name: 'Slow agent' };
    const clientId = host.publish('/slow-agent', described, { 'cache-control': 'max-age=300' });
    await begun(clientId);
    const apps = `projects/${world.projectId}/apps`;
    const queries = [{ nameQuery: { name: 'Slow agent' } }];
    const list = await owner.call('POST', `${apps}/_search`, { queries });
    type Found = { result: { id: string; oidcConfig: object }[] };
    const { id = '', oidcConfig } = list.json<Found>().result[0] ?? {};
    const redirect_uris = [REDIRECT_URI, `${REDIRECT_URI}/more`];
    let answer = () => {};
    const after = new Promise<void>((resolve) => (answer = resolve));
    host.answer('/slow-sector.json', { body: JSON.stringify(redirect_uris), after });
    host.publish('/slow-agent', { ...described, redirect_uris });
    await documented.advance(301);
    const refreshing = begun(clientId);
    await expect.poll(() => host.asked.filter((one) => one === '/slow-sector.json').length).toBe(2);
    const { redirectUris, sectorIdentifierUri, subjectType, authMethodType, grantTypes } =
      oidcConfig as Record<string, unknown>;
    const given = { redirectUris, sectorIdentifierUri, subjectType, authMethodType, grantTypes };
    const stricter = { ...given, requirePushedAuthorizationRequests: true };
    expect((await owner.call('PUT', `${apps}/${id}/oidc_config`, stricter)).statusCode).toBe(200);
    answer();
    expect((await refreshing).statusCode).toBe(302);
    const shown = async () =>
      (await owner.call('GET', `${apps}/${id}`)).json<{ app: Found['result'][0] }>().app;
    expect((await shown()).oidcConfig).toMatchObject(stricter);
    // the next one reads it anew, with what is on file by then
    await begun(clientId);
    expect((await shown()).oidcConfig).toMatchObject({ ...stricter, redirectUris: redirect_uris });
  });

  it('joins no sector that does not list its redirect URIs', async () => {
    const sector_identifier_uri = listed('/not-its-own.json', [OTHER_HOST]);
    const clientId = host.publish('/intruder', { ...PAIRWISE, sector_identifier_uri });
    expectErrorPage(await begun(clientId), 400);
    const { rows } = await api.sql.query('SELECT id FROM applications WHERE client_id = $1', [clientId]);
    expect(rows).toEqual([]);
    expect(host.asked).toContain('/not-its-own.json');
  });
});

describe('an application of the API', () => {
  const apps = () => `projects/${world.projectId}/apps`;
  const PAIRWISE_APP = {
    name: 'Shop',
    redirectUris: [REDIRECT_URI],
    subjectType: 'OIDC_SUBJECT_TYPE_PAIRWISE',
  };
  let count = 0;
  const body = (changes: object = {}) => ({ ...PAIRWISE_APP, name: `Shop ${(count += 1)}`, ...changes });
  const add = async (changes: object = {}) => await owner.call('POST', `${apps()}/oidc`, body(changes));

  it('is made, shown, and changed with its subjects', async () => {
    const sectorIdentifierUri = listed('/app.json', [REDIRECT_URI]);
    const added = await add({ sectorIdentifierUri });
    expect(added.statusCode).toBe(200);
    const { appId } = added.json<{ appId: string }>();
    const shown = async () =>
      (await owner.call('GET', `${apps()}/${appId}`)).json<{ app: { oidcConfig: object } }>().app.oidcConfig;
    const { subjectType } = PAIRWISE_APP;
    expect(await shown()).toMatchObject({ subjectType, sectorIdentifierUri });
    const { name: _, ...config } = body();
    expect((await owner.call('PUT', `${apps()}/${appId}/oidc_config`, config)).statusCode).toBe(200);
    expect(await shown()).toMatchObject({ subjectType });
    expect(await shown()).not.toHaveProperty('sectorIdentifierUri');
  });

  it.each<[object, string]>([
    [{ subjectType: 'pairwise' }, 'subjectType must be one of'],
    [{ redirectUris: [REDIRECT_URI, OTHER_HOST] }, 'sectorIdentifierUri is needed for pairwise subjects'],
    [{ sectorIdentifierUri: 'http://rp.test/s' }, 'sectorIdentifierUri must use https'],
  ])('with %j is refused', async (changes, message) => {
    const response = await add(changes);
    expect(response.statusCode).toBe(400);
    expect(response.json<{ message: string }>().message).toContain(message);
  });

  it('is held to the rules of redirect URIs before its sector is looked for', async () => {
    const { appId } = (await add()).json<{ appId: string }>();
    const { name: _, ...config } = body({ redirectUris: ['no address'] });
    const changed = await owner.call('PUT', `${apps()}/${appId}/oidc_config`, config);
    expect(changed.statusCode).toBe(400);
    expect(changed.json<{ message: string }>().message).toContain('redirectUris[0]');
  });

  it('proves its sector when it is made and when it changes', async () => {
    const sectorIdentifierUri = listed('/foreign.json', [OTHER_HOST]);
    const refused = await add({ sectorIdentifierUri });
    expect(refused.json()).toMatchObject({
      code: 3,
      message: `sectorIdentifierUri does not list ${REDIRECT_URI}`,
    });
    const { appId } = (await add()).json<{ appId: string }>();
    const { name: _, ...config } = body({ sectorIdentifierUri });
    const changed = await owner.call('PUT', `${apps()}/${appId}/oidc_config`, config);
    expect(changed.json()).toMatchObject({
      code: 3,
      message: `sectorIdentifierUri does not list ${REDIRECT_URI}`,
    });
  });
});
