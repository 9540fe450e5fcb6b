import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  answerOf,
  basic,
  codeRequest,
  IMPLICIT,
  implicitRequest,
  obtainTokens,
  redemption,
  redirected,
  refreshTokens,
  requestToken,
  TestBrowser,
  userinfo,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { errorBody } from '../../support/calls.js';
import { given, givenRunning } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { statementsOf } from '../../support/statements.js';
import { aUser } from '../../support/users.js';
import { isSignedBy, WebhookReceiver, type HookReply } from '../../support/webhook-receiver.js';
import { anOrganization, useWorld } from '../../support/world.js';

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const viewer = given(() => aServiceUser(world, 'ORG_OWNER_VIEWER'));
const user = given(() => aUser(world));
const asking = { claimsWebhook: true, accessTokenType: 'jwt' } as const;
const client = given(() => anApplication(world, asking));
const receiver = givenRunning(() => WebhookReceiver.start());
let path = 0;

beforeEach(async () => {
  // another URL for each test, so that none of them meets the rest that another one's failures brought
  path += 1;
  await api.sql.query('DELETE FROM claims_webhooks');
});

const here = () => `/claims/${path}`;
const claims = (added: object): HookReply => ({ status: 200, body: JSON.stringify({ claims: added }) });

async function set(settings: object = {}): Promise<string> {
  // the longest: on a busy machine its answer comes late
  const body = { url: receiver.url(here()), timeout: '3s', ...settings };
  const response = await owner.call('PUT', 'claims_webhook', body);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ secret: string }>().secret;
}

async function tokensOf(of: TestClient = client) {
  const tokens = await obtainTokens(api, of, user);
  return { ...tokens, id: decodeJwt(tokens.id_token) };
}

// S246, S354

describe('claims at token time', () => {
  it('are in the JWT access token, the ID token and userinfo, asked for once for both tokens, and signed', async () => {
    const secret = await set();
    receiver.reply = () => claims({ tier: 'gold' });
    const { id, access_token: accessToken } = await tokensOf();
    expect(id['tier']).toBe('gold');
    expect(decodeJwt(accessToken)['tier']).toBe('gold');
    const [question, ...others] = receiver.at(here());
    expect(others).toEqual([]);
    expect(question && isSignedBy(secret, question)).toBe(true);
    expect(question?.json).toMatchObject({
      type: 'claims.requested',
      data: {
        organizationId: world.orgId,
        userId: user.userId,
        clientId: client.clientId,
        projectId: world.projectId,
        for: ['access_token', 'id_token'],
      },
    });
    expect(question?.body).not.toContain(user.userName);
    receiver.reply = () => claims({ tier: 'silver' });
    expect((await userinfo(api, accessToken)).json()).toMatchObject({ sub: user.userId, tier: 'silver' });
    expect(receiver.at(here())[1]?.json.data['for']).toEqual(['userinfo']);
  });

  it('are asked for by nobody else: not by another application, not where nothing has room for them', async () => {
    await set();
    receiver.reply = () => claims({ tier: 'gold' });
    const plain = await anApplication(world, { accessTokenType: 'jwt' });
    const { id, access_token: accessToken } = await tokensOf(plain);
    expect(id['tier']).toBeUndefined();
    await userinfo(api, accessToken);
    const other = await anOrganization(api);
    const theirs = await anApplication(other, asking);
    const stranger = await aUser(other);
    await obtainTokens(api, theirs, stranger);
    expect(receiver.at(here())).toEqual([]);
  });

  it('are asked for again at a refresh, and for an ID token beside an opaque access token', async () => {
    await set();
    receiver.reply = () => claims({ tier: 'gold' });
    const opaque = await anApplication(world, { claimsWebhook: true });
    const tokens = await tokensOf(opaque);
    receiver.reply = () => claims({ tier: 'bronze' });
    const refreshed = (await refreshTokens(api, opaque, tokens)).json<{ id_token: string }>();
    expect(decodeJwt(refreshed.id_token)['tier']).toBe('bronze');
    expect(receiver.at(here()).map(({ json }) => json.data['for'])).toEqual([['id_token'], ['id_token']]);
  });

  it('never take the place of what a token says', async () => {
    await set();
    receiver.reply = () => claims({ sub: 'root', tier: 'gold' });
    const { id } = await tokensOf();
    expect(id.sub).toBe(user.userId);
    // the whole answer is refused
    expect(id['tier']).toBeUndefined();
  });

  it.each<[string, HookReply]>([
    ['an error', 500],
    ['a redirect', { status: 302, headers: { location: 'https://example.com/' } }],
    ['no JSON', { status: 200, body: 'gold' }],
    ['an answer that is too long', { status: 200, body: `{"claims":{"a":"${'x'.repeat(70_000)}"}}` }],
    ['silence', 'hang'],
  ])('are left out after %s, or the tokens are refused', async (_case, reply) => {
    const wait = reply === 'hang' ? { timeout: '1s' } : {};
    await set(wait);
    receiver.reply = () => reply;
    const { id, access_token: accessToken } = await tokensOf();
    expect(id['tier']).toBeUndefined();
    await set({ ...wait, onFailure: 'refuse' });
    const answered = await new TestBrowser(api).signIn(codeRequest(client), user);
    const code = redirected(answered).get('code') ?? '';
    const refused = await requestToken(api, redemption(code), basic(client));
    expect(refused.statusCode).toBe(503);
    expect(refused.headers['retry-after']).toBe('5');
    expect(refused.json()).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'the claims webhook of the organization did not answer',
    });
    const told = await userinfo(api, accessToken);
    expect(told.statusCode).toBe(503);
  });

  it('are waited for no longer than the deadline', async () => {
    await set({ timeout: '1s' });
    receiver.reply = () => ({ status: 200, body: '{"claims":{"tier":"late"}}', afterMs: 20_000 });
    const { id } = await tokensOf();
    expect(id['tier']).toBeUndefined();
  });

  it('are not asked for during a while after failures in a row', async () => {
    await set();
    receiver.reply = () => 500;
    for (let index = 0; index < 7; index += 1) await tokensOf();
    expect(receiver.at(here())).toHaveLength(5);
    const { rows } = await api.sql.query(
      `SELECT org_id, data FROM events WHERE type = 'claims_webhook.alarm'`,
    );
    // of all tests of this file
    expect(rows).toEqual([{ org_id: world.orgId, data: {} }]);
  });

  it('are asked for others where the server has no good answer for one user', async () => {
    await set();
    const other = await aUser(world);
    receiver.reply = ({ json }) => {
      if (json.data['userId'] === other.userId) return claims({ tier: 'gold' });
      return receiver.at(here()).length % 2 === 0 ? 404 : claims({ sub: 'root' });
    };
    for (let index = 0; index < 7; index += 1) await tokensOf();
    // that one is not asked about for a while
    expect(receiver.at(here())).toHaveLength(5);
    const { id_token: theirs } = await obtainTokens(api, client, other);
    expect(decodeJwt(theirs)['tier']).toBe('gold');
  });

  it('are asked for others where one user has as many questions waiting as they may', async () => {
    await set({ timeout: '3s' });
    // longer than may be set: nothing may end here because this process was late
    await api.sql.query('ALTER TABLE claims_webhooks DROP CONSTRAINT claims_webhooks_timeout');
    await api.sql.query('UPDATE claims_webhooks SET timeout_seconds = 120');
    receiver.reply = () => claims({});
    const { access_token: mine } = await tokensOf();
    const other = await aUser(world);
    const { access_token: theirs } = await obtainTokens(api, client, other);
    let [waiting, most] = [0, 0];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    receiver.reply = async ({ json }) => {
      if (json.data['userId'] === other.userId) return claims({ tier: 'gold' });
      waiting += 1;
      most = Math.max(most, waiting);
      await released;
      waiting -= 1;
      return claims({});
    };
    const flood = Promise.all(Array.from({ length: 20 }, () => userinfo(api, mine)));
    await expect.poll(() => most).toBe(5);
    expect((await userinfo(api, theirs)).json()).toMatchObject({ tier: 'gold' });
    expect(waiting).toBe(5);
    release();
    await flood;
    expect(most).toBe(5);
  });

  it('leave a code to be sent again where it was refused, which is no replay', async () => {
    await set({ onFailure: 'refuse' });
    receiver.reply = () => 500;
    const code = redirected(await new TestBrowser(api).signIn(codeRequest(client), user)).get('code') ?? '';
    for (let times = 0; times < 2; times += 1) {
      expect((await requestToken(api, redemption(code), basic(client))).statusCode).toBe(503);
    }
    receiver.reply = () => claims({ tier: 'gold' });
    const again = await requestToken(api, redemption(code), basic(client));
    expect(again.statusCode, again.body).toBe(200);
    const tokens = again.json<TokenAnswer>();
    expect(decodeJwt(tokens.id_token)['tier']).toBe('gold');
    expect((await refreshTokens(api, client, tokens)).statusCode).toBe(200);
    // now it is one
    expect((await requestToken(api, redemption(code), basic(client))).statusCode).toBe(400);
    expect((await userinfo(api, tokens.access_token)).statusCode).toBe(401);
  });

  it('leave a refresh to be repeated where it was refused', async () => {
    await set();
    receiver.reply = () => claims({});
    const tokens = await tokensOf();
    await set({ onFailure: 'refuse' });
    receiver.reply = () => 500;
    expect((await refreshTokens(api, client, tokens)).statusCode).toBe(503);
    receiver.reply = () => claims({ tier: 'gold' });
    const again = await refreshTokens(api, client, tokens);
    expect(again.statusCode, again.body).toBe(200);
    expect(decodeJwt(again.json<{ id_token: string }>().id_token)['tier']).toBe('gold');
  });

  it('leave a refresh to be repeated however long the webhook was away', async () => {
    await set();
    receiver.reply = () => claims({});
    const tokens = await tokensOf();
    await set({ onFailure: 'refuse' });
    receiver.reply = () => 500;
    expect((await refreshTokens(api, client, tokens)).statusCode).toBe(503);
    // longer than the grace of a retry
    await api.sql.query(
      `UPDATE refresh_tokens SET used_at = used_at - interval '1 hour' WHERE used_at IS NOT NULL`,
    );
    receiver.reply = () => claims({ tier: 'gold' });
    const again = await refreshTokens(api, client, tokens);
    expect(again.statusCode, again.body).toBe(200);
    const further = await refreshTokens(api, client, again.json<TokenAnswer>());
    expect(further.statusCode, further.body).toBe(200);
  });

  it.each([
    ['all were refused', [500, 500], [503, 503]],
    ['one was refused', [500, 200], [200, 503]],
  ])('leave a refresh to be repeated that was sent twice at once, where %s', async (_, replies, answers) => {
    await set();
    receiver.reply = () => claims({});
    const tokens = await tokensOf();
    await set({ onFailure: 'refuse' });
    let asked = 0;
    receiver.reply = async () => {
      const reply = replies[asked];
      asked += 1;
      await expect.poll(() => asked).toBe(2);
      return reply === 500 ? 500 : claims({ tier: 'gold' });
    };
    const both = await Promise.all([0, 1].map(async () => await refreshTokens(api, client, tokens)));
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual(answers);
    // longer than the grace of a retry
    await api.sql.query(
      `UPDATE refresh_tokens SET used_at = used_at - interval '1 hour' WHERE used_at IS NOT NULL`,
    );
    receiver.reply = () => claims({ tier: 'gold' });
    const taken = both.find(({ statusCode }) => statusCode === 200)?.json<TokenAnswer>() ?? tokens;
    const again = await refreshTokens(api, client, taken);
    expect(again.statusCode, again.body).toBe(200);
  });

  it('are not asked for during a while after answers that are of no use', async () => {
    await set();
    receiver.reply = () => ({ status: 200, body: '<html>Welcome</html>' });
    for (let index = 0; index < 7; index += 1) await tokensOf();
    expect(receiver.at(here())).toHaveLength(5);
  });

  it('come through the front channel as well, and so does the refusal', async () => {
    await set({ onFailure: 'refuse' });
    receiver.reply = () => claims({ tier: 'gold' });
    const inFront = await anApplication(world, { ...IMPLICIT, claimsWebhook: true });
    const first = answerOf(await new TestBrowser(api).signIn(implicitRequest(inFront), user));
    expect(decodeJwt(first.parameters.get('id_token') ?? '')['tier']).toBe('gold');
    receiver.reply = () => 500;
    const second = answerOf(await new TestBrowser(api).signIn(implicitRequest(inFront), user));
    expect(second.parameters.get('error')).toBe('temporarily_unavailable');
  });
});

describe('speed', () => {
  it('looks nothing up for an application that asks for no claims', async () => {
    await set();
    receiver.reply = () => claims({});
    const plain = await anApplication(world, { accessTokenType: 'jwt' });
    const lookUps = async (of: TestClient): Promise<number> => {
      const sent = await statementsOf(api, async () => {
        await userinfo(api, (await tokensOf(of)).access_token);
      });
      return sent.filter(({ name }) => name.startsWith('claims-webhooks')).length;
    };
    expect(await lookUps(plain)).toBe(0);
    expect(await lookUps(client)).toBe(2);
  });
});

describe('/management/v1/claims_webhook', () => {
  it('is set, read without its secret, changed, tested and removed', async () => {
    expect((await owner.call('GET', 'claims_webhook')).json()).toEqual({});
    expect((await owner.call('DELETE', 'claims_webhook')).json()).toEqual(
      errorBody(5, 'Claims webhook could not be found', 'HOOK-Cw6yt'),
    );
    const secret = await set();
    expect(secret).toMatch(/^whsec_/);
    expect(await set({ timeout: '3s', onFailure: 'refuse' })).toBeUndefined();
    const found = await viewer.call('GET', 'claims_webhook');
    expect(found.body).not.toContain(secret);
    expect(found.json()).toMatchObject({
      claimsWebhook: { url: receiver.url(here()), timeout: '3s', onFailure: 'refuse' },
    });
    receiver.reply = () => claims({ tier: 'gold' });
    expect((await owner.call('POST', 'claims_webhook/_test')).json()).toMatchObject({
      claims: { tier: 'gold' },
    });
    receiver.reply = () => claims({ iss: 'https://evil.example.com' });
    expect((await owner.call('POST', 'claims_webhook/_test')).json()).toMatchObject({
      reason: 'claim_reserved',
    });
    const changed = await owner.call('POST', 'claims_webhook/_change_secret', { overlap: '3600s' });
    const newer = changed.json<{ secret: string }>().secret;
    await owner.call('POST', 'claims_webhook/_test');
    const last = receiver.at(here()).at(-1);
    expect(last && isSignedBy(newer, last) && isSignedBy(secret, last)).toBe(true);
    expect((await owner.call('DELETE', 'claims_webhook')).statusCode).toBe(200);
    expect((await owner.call('POST', 'claims_webhook/_test')).statusCode).toBe(404);
    const { rows } = await api.sql.query<{ type: string }>(
      `SELECT type FROM events WHERE aggregate_type = 'claims_webhook' AND type <> 'claims_webhook.alarm'
       ORDER BY created_at DESC, position DESC LIMIT 4`,
    );
    expect(rows.map(({ type }) => type).toReversed()).toEqual([
      'claims_webhook.added',
      'claims_webhook.changed',
      'claims_webhook.secret.changed',
      'claims_webhook.removed',
    ]);
  });

  it('is for owners alone', async () => {
    const body = { url: receiver.url(here()) };
    expect((await viewer.call('PUT', 'claims_webhook', body)).statusCode).toBe(403);
    await set();
    expect((await viewer.call('DELETE', 'claims_webhook')).statusCode).toBe(403);
    expect((await viewer.call('POST', 'claims_webhook/_test')).statusCode).toBe(403);
  });

  it.each([
    ['a metadata service', { url: 'http://169.254.169.254/' }, 'url must not be an internal address'],
    ['no URL', { url: 'hooks' }, 'url must be an absolute URL'],
    ['a long deadline', { timeout: '4s' }, 'timeout must be a duration from "1s" to "3s"'],
    ['another fallback', { onFailure: 'ignore' }, 'onFailure must be one of issue, refuse'],
  ])('refuses %s', async (_case, field, message) => {
    const body = { url: 'https://hooks.example.com', ...field };
    expect((await owner.call('PUT', 'claims_webhook', body)).json()).toMatchObject({ code: 3, message });
  });
});
