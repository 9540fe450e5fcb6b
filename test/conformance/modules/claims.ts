import { expect } from 'vitest';
import { claimsOutOfPlaceFaults, missingClaimFaults } from '../checks/claims.js';
import { isTextList, parseObject, type Json } from '../checks/json.js';
import { userinfoFaults } from '../checks/userinfo.js';
import type { Answer } from '../support/https-client.js';
import type { ModuleRun, Success } from '../support/module-run.js';
import { must } from '../support/must.js';
import type { Module, Modules } from './module.js';

/** The scope is announced, asked for, and all its claims come where they belong (OpenID Connect Core §5.4). */
async function askForScope(
  run: ModuleRun,
  scope: string,
  options: { readonly reversed?: boolean } = {},
): Promise<{ readonly done: Success; readonly userinfo: Json | undefined }> {
  const announced = run.document['scopes_supported'];
  expect(isTextList(announced) ? announced : []).toEqual(expect.arrayContaining(scope.split(' ')));
  const done = await run.succeed({ scope }, options);
  if (!run.hasAccessToken) {
    must('ID token', missingClaimFaults('ID token', done.claims, scope));
    return { done, userinfo: undefined };
  }
  const answer = await run.userinfo(done.accessToken ?? '');
  must('userinfo', userinfoFaults(answer, done.claims['sub'], run.stage.nowSeconds));
  const userinfo = parseObject(answer.body) ?? {};
  must('userinfo', missingClaimFaults('userinfo', userinfo, scope));
  must('ID token', claimsOutOfPlaceFaults(done.claims, scope));
  return { done, userinfo };
}

const scope =
  (text: string): Module =>
  async (run) => {
    await askForScope(run, text);
  };

/** The claims of the scope, and of no other. */
const emailOnly =
  (text: string, reversed: boolean): Module =>
  async (run) => {
    const { done, userinfo } = await askForScope(run, text, { reversed });
    expect(done.claims).not.toHaveProperty('name');
    if (userinfo !== undefined) {
      expect(done.claims).not.toHaveProperty('email');
      expect(userinfo).not.toHaveProperty('name');
    }
  };

const userinfoBy =
  (call: (run: ModuleRun, accessToken: string) => Promise<Answer>): Module =>
  async (run) => {
    const { accessToken, claims } = await run.succeed();
    const answer = await call(run, accessToken ?? '');
    must('userinfo', userinfoFaults(answer, claims['sub'], run.stage.nowSeconds));
  };

/** Claims of the user, and the endpoint that gives them. */
export const CLAIMS: Modules = {
  'oidcc-userinfo-get': userinfoBy((run, token) => run.userinfo(token)),
  'oidcc-userinfo-post-header': userinfoBy((run, token) =>
    run.stage.http.postForm(run.endpoint('userinfo'), {}, { authorization: `Bearer ${token}` }),
  ),
  'oidcc-userinfo-post-body': userinfoBy((run, token) =>
    run.stage.http.postForm(run.endpoint('userinfo'), { access_token: token }),
  ),

  'oidcc-scope-profile': scope('openid profile'),
  'oidcc-scope-email': emailOnly('openid email', false),
  'oidcc-scope-address': scope('openid address'),
  'oidcc-scope-phone': scope('openid phone'),
  'oidcc-scope-all': scope('openid profile email address phone'),
  'oidcc-alternate-happy-flow': emailOnly('email openid', true),

  'oidcc-claims-essential': async (run) => {
    const place = run.hasAccessToken ? 'userinfo' : 'id_token';
    const claims = JSON.stringify({ [place]: { name: { essential: true } } });
    const done = await run.succeed({ claims });
    if (!run.hasAccessToken) {
      expect(done.claims).toHaveProperty('name');
      return;
    }
    expect(await run.userinfoClaims(done.accessToken)).toHaveProperty('name');
    expect(done.claims).not.toHaveProperty('name');
  },
};
