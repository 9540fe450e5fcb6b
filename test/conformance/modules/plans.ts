import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModuleRun, type ResponseType } from '../support/module-run.js';
import { Stage } from '../support/stage.js';
import { CLAIMS } from './claims.js';
import { HAPPY } from './happy.js';
import type { Module, Modules } from './module.js';
import { REFUSALS } from './refusals.js';
import { SESSIONS } from './sessions.js';
import { TOKENS } from './tokens.js';

const MODULES: Modules = { ...HAPPY, ...CLAIMS, ...SESSIONS, ...REFUSALS, ...TOKENS };

/** In the order of the suite's plans. */
const OF_ALL = [
  'oidcc-server',
  'oidcc-idtoken-signature',
  'oidcc-scope-profile',
  'oidcc-scope-email',
  'oidcc-scope-address',
  'oidcc-scope-phone',
  'oidcc-scope-all',
  'oidcc-alternate-happy-flow',
  'oidcc-display-page',
  'oidcc-display-popup',
  'oidcc-prompt-login',
  'oidcc-prompt-none-not-logged-in',
  'oidcc-prompt-none-logged-in',
  'oidcc-max-age-1',
  'oidcc-max-age-10000',
  'oidcc-ensure-request-with-unknown-parameter-succeeds',
  'oidcc-id-token-hint',
  'oidcc-login-hint',
  'oidcc-ui-locales',
  'oidcc-claims-locales',
  'oidcc-ensure-request-with-acr-values-succeeds',
  'oidcc-ensure-registered-redirect-uri',
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
  'oidcc-claims-essential',
  'oidcc-ensure-request-object-with-redirect-uri',
];
const WITH_ACCESS_TOKEN = [
  'oidcc-response-type-missing',
  'oidcc-userinfo-get',
  'oidcc-userinfo-post-header',
  'oidcc-userinfo-post-body',
];
const OF_CODE = [
  'oidcc-idtoken-unsigned',
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
  'oidcc-codereuse',
  'oidcc-codereuse-30seconds',
  'oidcc-ensure-post-request-succeeds',
  'oidcc-server-client-secret-post',
  'oidcc-refresh-token',
  'oidcc-ensure-request-with-valid-pkce-succeeds',
];
const OF_HYBRID = [
  'oidcc-codereuse',
  'oidcc-codereuse-30seconds',
  'oidcc-server-client-secret-post',
  'oidcc-refresh-token',
];
const OF_IMPLICIT = ['oidcc-ensure-request-without-nonce-fails'];

const MODULES_OF: Readonly<Record<ResponseType, readonly string[]>> = {
  code: [...OF_ALL, ...WITH_ACCESS_TOKEN, ...OF_CODE],
  id_token: [...OF_ALL, ...OF_IMPLICIT],
  'id_token token': [...OF_ALL, ...OF_IMPLICIT, ...WITH_ACCESS_TOKEN],
  'code id_token': [
    ...OF_ALL,
    ...OF_IMPLICIT,
    ...WITH_ACCESS_TOKEN,
    ...OF_HYBRID,
    'oidcc-ensure-request-with-valid-pkce-succeeds',
  ],
  'code token': [
    ...OF_ALL,
    ...WITH_ACCESS_TOKEN,
    ...OF_HYBRID,
    'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
  ],
  'code id_token token': [...OF_ALL, ...OF_IMPLICIT, ...WITH_ACCESS_TOKEN, ...OF_HYBRID],
};

/** The modules of a plan, for each of its response types. The Form Post plans are the same with another mode. */
export function describePlan(
  plan: string,
  responseTypes: readonly ResponseType[],
  { formPost = false, settings }: { formPost?: boolean; settings?: Readonly<Record<string, string>> } = {},
): void {
  describe.each([plan])('%s', () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await Stage.build(settings);
    });
    afterAll(() => stage.close());

    describe.each(responseTypes)('response type %s', (responseType) => {
      it.each(MODULES_OF[responseType])('%s', async (module) => {
        const run = await ModuleRun.begin(stage, { responseType, formPost });
        await expect(moduleNamed(module)(run)).resolves.toBeUndefined();
      });
    });
  });
}

export const IMPLICIT_TYPES = ['id_token', 'id_token token'] as const;
export const HYBRID_TYPES = ['code id_token', 'code token', 'code id_token token'] as const;
export const WITH_HYBRID = { HYBRID_FLOW: 'on' };

function moduleNamed(name: string): Module {
  const found = MODULES[name];
  if (found === undefined) throw new Error(`no module ${name}`);
  return found;
}
