// SQL by hand: where bootstrap put the console's application
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { REDIRECT_URI } from '../../support/applications.js';
import {
  codeRequest,
  pkce,
  redemption,
  redirected,
  requestToken,
  TestBrowser,
} from '../../support/browser-flow.js';
import { call, errorBody } from '../../support/calls.js';
import { ensureConsole } from '../../support/console.js';
import { given } from '../../support/given.js';
import { API_SCOPE, aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aManager } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

// The console's application and its project are an organization's like any other; whoever manages that organization must
// not be able to end the console for the whole instance.

const CALLBACK = 'https://id.test/console/callback';

const { api, world } = useWorld();
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const own = given(async () => {
  const clientId = await ensureConsole(api);
  const { rows } = await api.sql.query<{ project: string; app: string }>(
    'SELECT project_id AS project, id AS app FROM applications WHERE client_id = $1',
    [clientId],
  );
  const [{ project, app } = { project: '', app: '' }] = rows;
  return { clientId, project: `projects/${project}`, app: `projects/${project}/apps/${app}` };
});

/** As bootstrap has made it. */
const CONFIG = {
  appType: 'OIDC_APP_TYPE_USER_AGENT',
  authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
  redirectUris: [CALLBACK],
  postLogoutRedirectUris: ['https://id.test/'],
};

function expectRefused(response: LightMyRequestResponse, text: string, id: string): void {
  expect(response.statusCode).toBe(400);
  expect(response.json()).toEqual(errorBody(9, text, id));
}

/** What the console does: a sign-in, and a call with the token of it. */
async function expectUsable(): Promise<void> {
  const admin = await aManager(world, 'IAM_OWNER', { proven: true });
  const { verifier, challenge } = pkce();
  const request = codeRequest(
    { id: '', clientId: own.clientId, clientSecret: '' },
    { redirect_uri: CALLBACK, scope: `openid ${API_SCOPE}`, ...challenge },
  );
  const code = redirected(await new TestBrowser(api).signIn(request, admin)).get('code') ?? '';
  const form = redemption(code, { client_id: own.clientId, redirect_uri: CALLBACK, code_verifier: verifier });
  const { access_token: pat } = (await requestToken(api, form)).json<{ access_token: string }>();
  expect((await call(api, 'GET', '/admin/v1/keys', { pat })).statusCode).toBe(200);
}

describe('S517: an owner of the organization that runs the instance, and an owner of the instance', () => {
  const each = async (attempt: (by: ServiceUser) => Promise<void>): Promise<void> => {
    for (const by of [owner, root]) await attempt(by);
    await expectUsable();
  };

  it('cannot deactivate or remove the console’s application', async () => {
    expect((await owner.call('GET', own.app)).json()).toMatchObject({ app: { isOwn: true } });
    expect((await owner.call('GET', own.project)).json()).toMatchObject({ project: { isOwn: true } });
    expect((await owner.call('GET', 'orgs/me')).json()).toMatchObject({ org: { isOwn: true } });
    const listed = await owner.call('POST', 'projects/_search', {});
    const flags = listed.json<{ result: { isOwn?: boolean }[] }>().result.map(({ isOwn }) => isOwn);
    expect(flags.toSorted()).toEqual([true, undefined]);
    await each(async (by) => {
      for (const [method, path] of [
        ['POST', '/_deactivate'],
        ['DELETE', ''],
      ] as const) {
        const response = await by.call(method, own.app + path);
        expectRefused(response, 'The service needs the application of its console', 'COMMAND-k7Cns');
      }
    });
  });

  it('cannot take its access, nor any setting that a sign-in of the console needs', async () => {
    await each(async (by) => {
      const changes: object[] = [{ managementAccess: 'none' }, { managementAccess: 'organization' }];
      if (by === root) {
        changes.push(
          { redirectUris: [REDIRECT_URI] },
          { redirectUris: [CALLBACK, REDIRECT_URI] },
          { grantTypes: ['OIDC_GRANT_TYPE_DEVICE_CODE'] },
          { authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC' },
          { requirePushedAuthorizationRequests: true },
          { dpopBoundAccessTokens: true },
          { claimsWebhook: true },
        );
      }
      for (const change of changes) {
        const response = await by.call('PUT', `${own.app}/oidc_config`, { ...CONFIG, ...change });
        const [field = ''] = Object.keys(change);
        const name = field === 'authMethodType' ? 'authMethod' : field;
        expect([change, response.statusCode]).toEqual([change, 400]);
        expect(response.json()).toMatchObject({
          code: 9,
          message: expect.stringContaining(name) as string,
          details: [{ id: 'COMMAND-k8Cns' }],
        });
      }
    });
    // what it does not need stays the instance owner's
    const changed = await root.call('PUT', `${own.app}/oidc_config`, {
      ...CONFIG,
      postLogoutRedirectUris: ['https://id.test/', 'https://id.test/bye'],
      clockSkew: '1s',
    });
    expect(changed.statusCode).toBe(200);
    await expectUsable();
  });

  it('cannot restrict who signs in to the applications of the service’s own project', async () => {
    await each(async (by) => {
      for (const check of ['projectRoleCheck', 'hasProjectCheck']) {
        const response = await by.call('PUT', own.project, { name: 'Identity Service', [check]: true });
        expectRefused(
          response,
          `The console is one of its applications: ${check} would keep administrators out`,
          'COMMAND-k9Cns',
        );
      }
      const renamed = await by.call('PUT', own.project, {
        name: `Own ${by.userId}`,
        projectRoleAssertion: true,
      });
      expect(renamed.statusCode).toBe(200);
    });
  });
});
