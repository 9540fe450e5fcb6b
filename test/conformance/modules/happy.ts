import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { unaskedClaimFaults } from '../checks/claims.js';
import { entropyFaults } from '../checks/entropy.js';
import { hashFaults } from '../checks/id-token.js';
import { isTextList } from '../checks/json.js';
import { readJwt } from '../checks/jwt.js';
import { VERIFIER, type ModuleRun, type Request } from '../support/module-run.js';
import { must } from '../support/must.js';
import type { Module, Modules } from './module.js';

/** The request must do no harm to the flow. */
const goesWellWith =
  (changes: (run: ModuleRun) => Request): Module =>
  async (run) => {
    await run.succeed(changes(run));
  };

/** Flows that go well, with whatever else a request may hold. */
export const HAPPY: Modules = {
  'oidcc-server': async (run) => {
    const done = await run.succeed();
    const { idToken, claims, accessToken, tokens, inFront } = done;
    if (tokens !== undefined) {
      must('code', entropyFaults('code', done.parameters.get('code') ?? ''));
      expect(tokens, 'expires_in').toHaveProperty('expires_in');
    }
    if (accessToken === undefined) expect(claims).not.toHaveProperty('at_hash');
    else {
      const required = run.variant.responseType === 'id_token token';
      must('at_hash', hashFaults(idToken, { claim: 'at_hash', value: accessToken, required }));
    }
    const code = done.parameters.get('code') ?? '';
    must('c_hash', hashFaults(idToken, { claim: 'c_hash', value: code, required: false }));
    for (const said of [claims, ...(inFront === undefined ? [] : [readJwt(inFront).claims])]) {
      expect(said, 'name').not.toHaveProperty('name');
      must('claims', unaskedClaimFaults(said, 'openid'));
    }
  },

  'oidcc-server-client-secret-post': async (run) => {
    const withPost = await run.asClient('client_secret_post');
    await withPost.succeed();
  },

  // for clients that asked for no algorithm; the static ones of the plan are such
  'oidcc-idtoken-signature': async (run) => {
    const { header } = readJwt((await run.succeed()).idToken);
    expect(header).toMatchObject({ alg: 'RS256', kid: expect.stringMatching(/\S/) as string });
  },

  // SKIPPED by the suite as long as this holds
  'oidcc-idtoken-unsigned': async (run) => {
    await Promise.resolve();
    expect(run.document['id_token_signing_alg_values_supported']).not.toContain('none');
  },

  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': async (run) => {
    const { claims } = await run.succeed({ nonce: undefined });
    expect(claims).not.toHaveProperty('nonce');
  },

  'oidcc-display-page': goesWellWith(() => ({ display: 'page' })),
  'oidcc-display-popup': goesWellWith(() => ({ display: 'popup' })),
  'oidcc-ensure-request-with-unknown-parameter-succeeds': goesWellWith(() => ({ extra: 'foobar' })),
  'oidcc-login-hint': goesWellWith((run) => ({ login_hint: `buffy@${new URL(run.issuer).hostname}` })),
  'oidcc-ui-locales': goesWellWith(() => ({ ui_locales: 'se' })),
  'oidcc-claims-locales': goesWellWith(() => ({ claims_locales: 'se' })),

  'oidcc-ensure-request-with-acr-values-succeeds': async (run) => {
    const announced = run.document['acr_values_supported'];
    const values = isTextList(announced) && announced.length > 0 ? announced : ['1', '2'];
    const { claims } = await run.succeed({ acr_values: values.join(' ') });
    expect(values).toContain(claims['acr']);
  },

  'oidcc-ensure-post-request-succeeds': async (run) => {
    await run.succeed({}, { method: 'POST' });
  },

  'oidcc-ensure-request-with-valid-pkce-succeeds': goesWellWith(() => ({
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })),
};
