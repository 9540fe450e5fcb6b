import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, type TestClient } from '../../support/applications.js';
import { anAssertingApplication, asserted, type AssertingClient } from '../../support/assertions.js';
import {
  basic,
  codeRequest,
  redemption,
  refreshRequest,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';
import { ApiProcess, isBuilt } from '../oidc/support/api-process.js';
import { EXCHANGE, EXCHANGING, subject } from '../oidc/support/exchanges.js';
import { broughtBy, ProcessBrowser } from '../oidc/support/process-browser.js';

let a: ApiProcess;
let b: ApiProcess;

// What a client takes back, or an administrator takes from it, on one API process is gone on another when the call
// returns. Two processes of the build, each with a memory of its own, on one database.

const { api: stage, world } = useWorld();
beforeAll(async () => {
  if (!isBuilt) return;
  [a, b] = await Promise.all([ApiProcess.spawn(stage.environment), ApiProcess.spawn(stage.environment)]);
  await Promise.all([a.untilReady(), b.untilReady()]);
});
afterAll(async () => {
  if (isBuilt) await Promise.all([a.stop(), b.stop()]);
});

type Proof = () => Promise<{
  readonly headers?: Record<string, string>;
  readonly form?: Record<string, string>;
}>;
const bySecret =
  (client: TestClient): Proof =>
  () =>
    Promise.resolve({ headers: basic(client) });
const byAssertion =
  (client: AssertingClient): Proof =>
  async () => ({ form: await asserted(client) });

async function send(process: ApiProcess, endpoint: string, form: Record<string, string>, proof: Proof) {
  const { headers = {}, form: assertion = {} } = await proof();
  const response = await fetch(`${process.url}/oauth/v2/${endpoint}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ ...form, ...assertion }),
  });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Partial<TokenAnswer> };
}

async function isActive(process: ApiProcess, token: string, proof: Proof): Promise<unknown> {
  const { status, body } = await send(process, 'introspect', { token }, proof);
  expect(status).toBe(200);
  return (body as { active: boolean }).active;
}

async function obtain(client: TestClient, proof: Proof): Promise<TokenAnswer> {
  const user = await aUser(world);
  const answered = await new ProcessBrowser().signIn(a, codeRequest(client), user);
  const form = redemption(broughtBy(answered).get('code') ?? '');
  const { status, body } = await send(b, 'token', form, proof);
  expect(status).toBe(200);
  return body as TokenAnswer;
}

describe.skipIf(!isBuilt)('two processes', () => {
  it.each(['opaque', 'jwt'] as const)('%s tokens revoked on one are dead on the other', async (form) => {
    const client = await anApplication(world, { accessTokenType: form });
    const proof = bySecret(client);
    const tokens = await obtain(client, proof);
    for (const process of [a, b]) expect(await isActive(process, tokens.access_token, proof)).toBe(true);
    expect((await send(a, 'revoke', { token: tokens.access_token }, proof)).status).toBe(200);
    expect(await isActive(b, tokens.access_token, proof)).toBe(false);

    const refresh = refreshRequest(tokens.refresh_token);
    const { body: later } = await send(a, 'token', refresh, proof);
    expect(await isActive(b, later.access_token ?? '', proof)).toBe(true);
    expect((await send(b, 'revoke', { token: later.refresh_token ?? '' }, proof)).status).toBe(200);
    expect(await isActive(a, later.access_token ?? '', proof)).toBe(false);
    const again = await send(a, 'token', { ...refresh, refresh_token: later.refresh_token ?? '' }, proof);
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it.each(['access_token', 'jwt'] as const)(
    'what came of an exchange (%s) on one is dead there when the token that it came from is revoked on the other',
    async (asked) => {
      const client = await anApplication(world, { grantTypes: EXCHANGING });
      const proof = bySecret(client);
      const tokens = await obtain(client, proof);
      const kind = `urn:ietf:params:oauth:token-type:${asked}`;
      const form = { grant_type: EXCHANGE, requested_token_type: kind };
      const exchangeAt = async (process: ApiProcess, token: string) =>
        await send(process, 'token', { ...form, ...subject(token) }, proof);
      const { status, body: child } = await exchangeAt(b, tokens.access_token);
      expect(status).toBe(200);
      const { body: grandchild } = await exchangeAt(a, child.access_token ?? '');
      const given = [child.access_token ?? '', grandchild.access_token ?? ''];
      for (const token of given) {
        for (const process of [a, b]) expect(await isActive(process, token, proof)).toBe(true);
      }
      expect((await send(a, 'revoke', { token: tokens.access_token }, proof)).status).toBe(200);
      for (const token of given) expect(await isActive(b, token, proof)).toBe(false);
      for (const token of [tokens.access_token, ...given]) {
        expect(await exchangeAt(b, token)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
      }
      const refresh = refreshRequest(child.refresh_token ?? '');
      expect(await send(b, 'token', refresh, proof)).toMatchObject({
        status: 400,
        body: { error: 'invalid_grant' },
      });
    },
  );

  it('a key removed on one is no key on the other, and what it obtained is dead there (S073)', async () => {
    const owner: ServiceUser = await aServiceUser(world, 'ORG_OWNER');
    const client = await anAssertingApplication(world);
    const witness = bySecret(await anApplication(world));
    const tokens = await obtain(client, byAssertion(client));
    for (const process of [a, b]) expect(await isActive(process, tokens.access_token, witness)).toBe(true);
    const path = `projects/${world.projectId}/apps/${client.id}/keys/${client.keyId}`;
    const removed = await fetch(`${a.url}/management/v1/${path}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${owner.pat}` },
    });
    expect(removed.status).toBe(200);
    for (const endpoint of ['token', 'introspect', 'revoke']) {
      const form = refreshRequest(tokens.refresh_token, { token: 'x' });
      expect((await send(b, endpoint, form, byAssertion(client))).status).toBe(401);
    }
    for (const process of [b, a]) expect(await isActive(process, tokens.access_token, witness)).toBe(false);
  });

  it('an assertion is good on one of them', async () => {
    const client = await anAssertingApplication(world);
    const form = await asserted(client);
    const answers = await Promise.all(
      [a, b, a, b, a, b].map((process) =>
        send(process, 'introspect', { token: 'x' }, () => Promise.resolve({ form })),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401, 401]);
  });
});
