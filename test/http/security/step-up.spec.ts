import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApiDocument } from '../../../src/http/openapi/document.js';
import { ReadDocument } from '../../../src/http/openapi/read-document.js';
import { anOwnApplication } from '../../support/applications.js';
import {
  basic,
  codeRequest,
  hiddenFields,
  obtainTokens,
  refreshTokens,
  requestToken,
  TestBrowser,
  tokensOf,
  type TokenAnswer,
} from '../../support/browser-flow.js';
import { call, errorBody, type Method } from '../../support/calls.js';
import { documentedCalls, type DocumentedCall } from '../../support/document-schemas.js';
import { aTotpSecret } from '../../support/factors.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// RFC 9470 at our own APIs: a sensitive call asks how its user signed in, where the policy says so.

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const SCOPE = 'openid offline_access urn:zitadel:iam:org:project:id:zitadel:aud';
const MULTI_FACTOR = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor';

/** Beside whatever removes something. */
const SENSITIVE: readonly string[] = [
  // ends every session and token of it (S515)
  'POST /management/v1/orgs/me/_deactivate',
  'POST /management/v1/orgs/me/members',
  'PUT /management/v1/orgs/me/members/{userId}',
  'POST /management/v1/users/{id}/passwordless/_link',
  'POST /management/v1/orgs/me/scim_tokens',
  'POST /management/v1/orgs/me/initial_access_tokens',
  'POST /management/v1/projects/{projectId}/apps/{appId}/_generate_registration_token',
  'POST /management/v1/users/_bulk',
  'POST /admin/v1/members',
  'PUT /admin/v1/members/{userId}',
  'PUT /admin/v1/keys/schedule',
  'POST /admin/v1/keys/_rotate',
  'POST /admin/v1/keys/{id}/_activate',
  'POST /admin/v1/notification_providers',
  'PUT /admin/v1/notification_providers/{id}',
  'POST /admin/v1/notification_providers/{id}/_activate',
  'POST /admin/v1/notification_providers/{id}/_deactivate',
  'POST /management/v1/users/{id}/idps',
  'POST /admin/v1/idps',
  'PUT /admin/v1/idps/{id}',
  'POST /admin/v1/idps/{id}/_activate',
  'POST /admin/v1/idps/{id}/_deactivate',
  'POST /admin/v1/idps/{id}/_refresh',
  'POST /management/v1/idps',
  'PUT /management/v1/idps/{id}',
  'POST /management/v1/idps/{id}/_activate',
  'POST /management/v1/idps/{id}/_deactivate',
  'POST /management/v1/webhooks',
  'PUT /management/v1/webhooks/{id}',
  'POST /management/v1/webhooks/{id}/_activate',
  'POST /management/v1/webhooks/{id}/_deactivate',
  'POST /management/v1/webhooks/{id}/_change_secret',
  'POST /management/v1/webhooks/{id}/_replay',
  'POST /admin/v1/webhooks',
  'PUT /admin/v1/webhooks/{id}',
  'POST /admin/v1/webhooks/{id}/_activate',
  'POST /admin/v1/webhooks/{id}/_deactivate',
  'POST /admin/v1/webhooks/{id}/_change_secret',
  'POST /admin/v1/webhooks/{id}/_replay',
  'PUT /management/v1/user_migration',
  'POST /management/v1/user_migration/_rotate_secret',
  'POST /management/v1/idps/{id}/_refresh',
  'PUT /management/v1/claims_webhook',
  'POST /management/v1/claims_webhook/_change_secret',
  'POST /admin/v1/export',
  'POST /management/v1/projects/{projectId}/apps/oidc',
  'PUT /management/v1/projects/{projectId}/apps/{appId}/oidc_config',
  'PUT /management/v1/policies/factors',
  'PUT /admin/v1/settings/factors',
  'POST /management/v1/users/{id}/pats',
  'POST /management/v1/users/{id}/keys',
  'PUT /management/v1/users/{id}/secret',
  'POST /management/v1/users/{id}/password',
  'PUT /management/v1/users/{id}/email',
  'PUT /management/v1/users/{id}/phone',
  'POST /management/v1/projects/{projectId}/apps/{appId}/keys',
  'PUT /management/v1/projects/{projectId}/apps/{appId}/api_config',
  'POST /management/v1/projects/{projectId}/apps/{appId}/oidc_config/_generate_client_secret',
  'POST /management/v1/projects/{projectId}/apps/{appId}/api_config/_generate_client_secret',
  'POST /management/v1/imports',
  'POST /management/v1/imports/{id}/_retry',
  'POST /admin/v1/import',
  'PUT /admin/v1/settings/security',
];

/** What whoever has it gets in with, in an answer. */
const SECRETS = /secret$|token$|^keyDetails$|^link$|^codes$|password$/i;
/** What somebody gets in with, or gets in again by, in a body. */
const CREDENTIALS =
  /^(password|hashedPassword|publicKey|email|phone|otpCode|recoveryCodes|clientSecret|bindPassword|authToken|machineKeys|userLinks|enableImpersonation)$/;

/** Of something that the call itself makes, which holds no role yet. */
const OF_WHAT_IS_NEW = ['UserList.addHuman', 'Users.importHuman', 'Applications.addApi'];

const { api, world } = useWorld();
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const client = given(() =>
  anOwnApplication(world, { grantTypes: ['authorization_code', 'refresh_token', EXCHANGE] }),
);
const owner = given(() => aUser(world));
const app = given(() => aTotpSecret(api, owner.userId));
const plainOwner = given(() => aUser(world));

async function setPolicy(stepUp: string, stepUpMaxAge = '600s'): Promise<void> {
  const policy = { stepUp, stepUpMaxAge, secondFactor: 'offered' };
  const put = await call(api, 'PUT', 'policies/factors', { pat: root.pat, body: policy });
  expect(put.statusCode).toBe(200);
}

async function withTwoFactors(): Promise<TokenAnswer> {
  await api.advance(90);
  const browser = new TestBrowser(api);
  const asked = await browser.signIn(codeRequest(client, { scope: SCOPE }), owner);
  const fields = hiddenFields((await browser.get(asked.headers.location ?? '')).body);
  const shown = await browser.post('/login/second-factor', { ...fields, code: app.code(api) });
  return await tokensOf(api, client, shown);
}

/** Of all fields of a part of the document that are no mere counts and switches. */
function namesIn(part: unknown, document: OpenApiDocument): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  if (Array.isArray(part)) return part.flatMap((one) => namesIn(one, document));
  const { $ref, properties = {}, examples: _, ...rest } = part as Readonly<Record<string, unknown>>;
  const fields = Object.entries(properties as Readonly<Record<string, { readonly type?: string }>>);
  return [
    ...fields.flatMap(([name, field]) => [
      ...(field.type === 'integer' ? [] : [name]),
      ...namesIn(field, document),
    ]),
    ...Object.values(rest).flatMap((one) => namesIn(one, document)),
    ...(typeof $ref === 'string' ? namesIn(target($ref, document), document) : []),
  ];
}

function target($ref: string, document: OpenApiDocument): unknown {
  const steps = $ref.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
}

const nobody = (pat: string) => call(api, 'DELETE', 'users/nobodys', { pat, body: {} });
const challenge = (acr: string, maxAge = 600) =>
  'Bearer error="insufficient_user_authentication", ' +
  `error_description="sign in with a second factor, not more than ${String(maxAge)} seconds ago", ` +
  `acr_values="${acr}", max_age="${String(maxAge)}"`;

beforeAll(async () => {
  for (const { userId, orgId } of [owner, plainOwner]) {
    const values = [userId, orgId];
    await api.sql.query(
      `INSERT INTO memberships (user_id, user_org_id, role) VALUES ($1, $2, 'IAM_OWNER')`,
      values,
    );
  }
});

describe('a sensitive call', () => {
  const documented = async () => documentedCalls(await api.app.get(ReadDocument).document());
  const sensitive = async () =>
    (await documented()).filter(({ operation }) => operation['x-step-up'] !== undefined);

  it('is whatever removes something, and what is listed here', async () => {
    const named = (await sensitive()).map(({ method, path }) => `${method} ${path}`);
    const removing = (await documented())
      .filter(({ method, path }) => method === 'DELETE' && !path.startsWith('/auth/'))
      .map(({ method, path }) => `${method} ${path}`);
    expect(removing.length).toBeGreaterThan(20);
    expect([...named].sort()).toEqual([...SENSITIVE, ...removing].sort());
  });

  // S405
  it('is whatever answers with a secret or sets what somebody else gets in with', async () => {
    const document = await api.app.get(ReadDocument).document();
    const credential = ({ path, operation }: DocumentedCall) => {
      const { responses, requestBody } = operation;
      const answered = namesIn(responses, document).filter((name) => SECRETS.test(name));
      const given = namesIn(requestBody, document).filter((name) => CREDENTIALS.test(name));
      return path.startsWith('/auth/') ? [] : [...answered, ...given];
    };
    const changing = documentedCalls(document).filter(
      ({ method, path }) => (method === 'POST' || method === 'PUT') && !path.endsWith('_search'),
    );
    const found = changing.filter((one) => credential(one).length > 0);
    expect(found.length).toBeGreaterThan(30);
    const unasked = found.filter(({ operation }) => operation['x-step-up'] === undefined);
    expect(unasked.map(({ operation }) => operation.operationId).sort()).toEqual(
      [...OF_WHAT_IS_NEW, 'ApplicationPreviews.preview'].sort(),
    );
  });

  it('is refused to a person who showed a password alone, each of them, and nothing else is', async () => {
    await setPolicy('mfa');
    const { access_token: pat } = await obtainTokens(api, client, plainOwner, { scope: SCOPE });
    for (const { method, path, operation } of await sensitive()) {
      const where = operation['x-step-up'];
      const body =
        typeof where === 'string' ? {} : Object.fromEntries((where ?? []).map((name) => [name, true]));
      const address = path.replaceAll(/\{\w+\}/g, 'nobodys');
      const answer = await call(api, method, address, { pat, body });
      expect({ path, status: answer.statusCode }).toEqual({ path, status: 401 });
      expect(answer.headers['www-authenticate']).toBe(challenge(MULTI_FACTOR));
      expect(answer.json()).toEqual(
        errorBody(16, 'sign in with a second factor, not more than 600 seconds ago', 'AUTH-9Sk3f'),
      );
    }
    const harmless: readonly [Method, string, object?][] = [
      ['GET', '/management/v1/orgs/me'],
      ['POST', '/management/v1/projects', { name: 'Project' }],
      ['POST', '/admin/v1/export', { orgIds: [world.orgId] }],
      ['POST', '/management/v1/projects/nobodys/apps/oidc', { redirectUris: [] }],
    ];
    for (const [method, path, body] of harmless) {
      expect((await call(api, method, path, { pat, body })).statusCode).not.toBe(401);
    }
    for (const field of ['managementAccess', 'management_access']) {
      const path = '/management/v1/projects/nobodys/apps/oidc';
      const body = { [field]: 'instance' };
      expect((await call(api, 'POST', path, { pat, body })).statusCode).toBe(401);
    }
  });

  // S405
  it('is whatever lends somebody the roles of a service user, whose token is asked for nothing', async () => {
    await setPolicy('mfa');
    const { access_token: pat } = await obtainTokens(api, client, plainOwner, { scope: SCOPE });
    const { userId } = await aServiceUser(world, 'IAM_OWNER');
    for (const [method, path, body] of [
      ['POST', 'pats', {}],
      ['POST', 'keys', {}],
      ['PUT', 'secret', undefined],
    ] as const) {
      const answer = await call(api, method, `users/${userId}/${path}`, { pat, ...(body && { body }) });
      expect(answer.headers['www-authenticate']).toBe(challenge(MULTI_FACTOR));
    }
    const { access_token: strong } = await withTwoFactors();
    expect((await call(api, 'POST', `users/${userId}/pats`, { pat: strong, body: {} })).statusCode).toBe(200);
  });

  it('is for whoever showed enough a short while ago; refresh and exchange lend nobody more', async () => {
    await setPolicy('mfa');
    const { access_token: pat, refresh_token } = await withTwoFactors();
    expect((await nobody(pat)).statusCode).toBe(404);
    await api.advance(700);
    expect((await nobody(pat)).headers['www-authenticate']).toBe(challenge(MULTI_FACTOR));
    const refreshed = await refreshTokens(api, client, { refresh_token });
    expect((await nobody(refreshed.json<TokenAnswer>().access_token)).statusCode).toBe(401);
    const form = {
      grant_type: EXCHANGE,
      subject_token: refreshed.json<TokenAnswer>().access_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    };
    const exchanged = (await requestToken(api, form, basic(client))).json<TokenAnswer>();
    expect((await nobody(exchanged.access_token)).statusCode).toBe(401);
    // by what the challenge says
    const changes = { scope: SCOPE, acr_values: MULTI_FACTOR, max_age: '600' };
    const browser = new TestBrowser(api);
    expect(
      (
        await browser.get(
          `/oauth/v2/authorize?${new URLSearchParams(codeRequest(client, changes)).toString()}`,
        )
      ).statusCode,
    ).toBe(302);
    expect((await nobody((await withTwoFactors()).access_token)).statusCode).toBe(404);
  });

  it('may ask for a passkey, and for nothing at all', async () => {
    await setPolicy('phr');
    const { access_token: pat } = await withTwoFactors();
    expect((await nobody(pat)).headers['www-authenticate']).toBe(challenge('phr'));
    await setPolicy('off');
    expect((await nobody(pat)).statusCode).toBe(404);
  });

  it('asks no service user, and nobody who may not make it anyway', async () => {
    await setPolicy('phr');
    expect((await nobody(root.pat)).statusCode).toBe(404);
    const { access_token: pat } = await obtainTokens(api, client, await aUser(world), { scope: SCOPE });
    expect((await nobody(pat)).statusCode).toBe(403);
    expect((await call(api, 'DELETE', 'users/nobodys')).statusCode).toBe(401);
  });

  it('asks an instance owner for what the instance asks, whatever their organization does', async () => {
    const settings = async (stepUp: string) => {
      const body = { secondFactor: 'offered', stepUp, stepUpMaxAge: '300s' };
      const put = await call(api, 'PUT', '/admin/v1/settings/factors', { pat: root.pat, body });
      expect(put.statusCode).toBe(200);
    };
    await setPolicy('off');
    await settings('phr');
    const { access_token: pat } = await withTwoFactors();
    expect((await nobody(pat)).headers['www-authenticate']).toBe(challenge('phr', 300));
    const manager = await aUser(world);
    await api.sql.query(
      `INSERT INTO memberships (user_id, user_org_id, role, org_id) VALUES ($1, $2, 'ORG_OWNER', $2)`,
      [manager.userId, manager.orgId],
    );
    const theirs = await obtainTokens(api, client, manager, { scope: SCOPE });
    expect((await nobody(theirs.access_token)).statusCode).toBe(404);
    await settings('off');
    expect((await nobody(pat)).statusCode).toBe(404);
  });
});
