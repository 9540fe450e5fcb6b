import { expect } from 'vitest';
import { refreshedIdTokenFaults } from '../checks/id-token.js';
import { isText, isTextList, parseObject, type Json } from '../checks/json.js';
import { readJwt } from '../checks/jwt.js';
import { characterFaults, invalidGrantFaults, refreshAnswerFaults } from '../checks/token-answer.js';
import { randomText, type ModuleRun, type Request } from '../support/module-run.js';
import { must } from '../support/must.js';
import type { Modules } from './module.js';

const OFFLINE = 'openid offline_access';

/** A flow that ends in a refresh token, and that token's first use. Returns the token that is good now. */
export async function refreshOnce(
  run: ModuleRun,
  changes: Request,
  refresh: Record<string, string>,
): Promise<string> {
  const { tokens, claims } = await run.succeed({ scope: OFFLINE, prompt: 'consent', ...changes });
  const token = tokens?.['refresh_token'];
  // without one the suite skips the module, and warns that the grant is announced
  if (!isText(token)) throw new Error('no refresh token was issued');
  must('refresh token', characterFaults('refresh_token', token));
  await run.stage.advance(1);
  const answer = await run.tokenRequest({ grant_type: 'refresh_token', refresh_token: token, ...refresh });
  must('refresh', refreshAnswerFaults(answer));
  const body: Json = parseObject(answer.body) ?? {};
  if (isText(body['id_token'])) {
    const refreshed = readJwt(body['id_token']).claims;
    // a nonce need not come again (OpenID Connect Core §12.2)
    await run.checkIdToken(body['id_token'], 'nonce' in refreshed ? String(claims['nonce']) : undefined);
    must('refresh', refreshedIdTokenFaults(claims, refreshed));
  }
  await run.userinfoClaims(String(body['access_token']));
  return isText(body['refresh_token']) ? body['refresh_token'] : token;
}

/** Codes that come twice, and refresh tokens. */
export const TOKENS: Modules = {
  'oidcc-codereuse': async (run) => {
    const { parameters } = await run.succeed();
    const answer = await run.tokenRequest(run.redemption(parameters.get('code') ?? ''));
    must('second use of a code', invalidGrantFaults(answer));
  },

  'oidcc-codereuse-30seconds': async (run) => {
    const { parameters, accessToken } = await run.succeed();
    await run.stage.advance(30);
    const answer = await run.tokenRequest(run.redemption(parameters.get('code') ?? ''));
    must('second use of a code', invalidGrantFaults(answer));
    const { status } = await run.userinfo(accessToken ?? '');
    expect(status, 'userinfo with the token of that code').toBeGreaterThanOrEqual(400);
    expect(status, 'userinfo with the token of that code').toBeLessThan(500);
  },

  'oidcc-refresh-token': async (run) => {
    const grants = run.document['grant_types_supported'];
    expect(isTextList(grants) ? grants : []).toContain('refresh_token');
    expect(run.document['scopes_supported']).toContain('offline_access');
    await refreshOnce(run, {}, { scope: OFFLINE });
    const second = await run.asClient('client2');
    const refreshToken = await refreshOnce(second, { nonce: randomText(43) }, {});
    const stolen = await run.tokenRequest({ grant_type: 'refresh_token', refresh_token: refreshToken });
    must("another client's refresh token", invalidGrantFaults(stolen));
  },
};
