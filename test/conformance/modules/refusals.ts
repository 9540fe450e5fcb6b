import { expect } from 'vitest';
import { parametersOf, placeFaults } from '../checks/authorization-answer.js';
import { randomText, type ModuleRun, type Request } from '../support/module-run.js';
import { must } from '../support/must.js';
import type { Modules } from './module.js';

/** The whole request as an unsigned request object (OpenID Connect Core §6.1). */
function requestObject(run: ModuleRun, request: Request): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: run.client.clientId, aud: run.issuer, ...request };
  return `${part({ alg: 'none' })}.${part(claims)}.`;
}

/** What must stand outside a request object as well; everything else stands inside only, response_mode too. */
function outside(request: Request): Request {
  const { response_type, client_id, scope, redirect_uri } = request;
  return { response_type, client_id, scope, redirect_uri };
}

/** Refused in so many words: a request object that is ignored would lose state and nonce. */
async function expectRefused(run: ModuleRun, request: Request, error: string): Promise<void> {
  const { arrival, page, signIns } = await run.travel(request);
  expect(signIns).toBe(0);
  if (arrival === undefined)
    throw new Error(`nothing reached the application; ${page.status} ${page.url.pathname}`);
  must('callback', placeFaults(arrival, run.place));
  expect(parametersOf(arrival, run.place).get('error')).toBe(error);
}

/** Requests that must not go well. */
export const REFUSALS: Modules = {
  'oidcc-response-type-missing': async (run) => {
    // without a response type nobody can know that a fragment is wanted
    const place = run.variant.formPost ? 'form_post' : 'query';
    const errors = ['unsupported_response_type', 'invalid_request'];
    await run.fail(errors, run.request({ response_type: undefined }), { place });
  },

  'oidcc-ensure-request-without-nonce-fails': async (run) => {
    await run.fail(['invalid_request'], run.request({ nonce: undefined }));
  },

  // REVIEW: a page of the service's own
  'oidcc-ensure-registered-redirect-uri': async (run) => {
    await run.expectErrorPage(
      run.request({ redirect_uri: `${run.redirectUri}/${randomText(10)}` }),
      'redirect_uri',
    );
    expect(run.stage.suite.received).toEqual([]);
  },

  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': async (run) => {
    const request = run.request();
    const sent = { ...outside(request), request: requestObject(run, request) };
    await expectRefused(run, sent, 'request_not_supported');
  },

  // Only for registered clients in the suite. What stands behind the URI is never read, so the mode is sent outside.
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': async (run) => {
    const { response_mode } = run.request();
    const request_uri = `${run.stage.suite.origin}/request-object`;
    const sent = { ...outside(run.request()), response_mode, request_uri };
    await expectRefused(run, sent, 'request_uri_not_supported');
    expect(run.stage.suite.received.filter(({ path }) => path === '/request-object')).toEqual([]);
  },

  // REVIEW: a page of the service's own
  'oidcc-ensure-request-object-with-redirect-uri': async (run) => {
    const request = run.request();
    await run.expectErrorPage(
      {
        ...outside(request),
        redirect_uri: `${run.redirectUri}_invalid`,
        request: requestObject(run, request),
      },
      'redirect_uri',
    );
    expect(run.stage.suite.received).toEqual([]);
  },
};
