// SQL by hand: nothing finds users by the name that a provider has for them
import type { LightMyRequestResponse } from 'fastify';
import type { TestApi } from './api.js';
import { POST_LOGOUT_URI } from './applications.js';
import {
  endSessionUrl,
  redirected,
  unescapeHtml,
  type TestBrowser,
  type TokenAnswer,
} from './browser-flow.js';
import type { ForeignProvider } from './foreign-provider.js';
import type { ServiceUser } from './service-users.js';

export interface AddedProvider {
  readonly id: string;
  readonly callbackUrl: string;
}

/** A provider that people sign in with, of the organization of whoever adds it, or of the instance. */
export async function anIdentityProvider(
  by: ServiceUser,
  settings: object,
  path: 'idps' | '/admin/v1/idps' = 'idps',
): Promise<AddedProvider> {
  const added = await by.call('POST', path, settings);
  if (added.statusCode !== 200) throw new Error(`${added.statusCode} ${added.body}`);
  const { id, callbackUrl } = added.json<AddedProvider>();
  const activated = await by.call('POST', `${path}/${id}/_activate`);
  if (activated.statusCode !== 200) throw new Error(`${activated.statusCode} ${activated.body}`);
  return { id, callbackUrl };
}

/** One of this double, which knows its address from then on. */
export async function aServedProvider(
  by: ServiceUser,
  at: ForeignProvider,
  changes: object = {},
): Promise<AddedProvider> {
  const added = await anIdentityProvider(by, { ...at.settings, ...changes });
  at.serve(added.callbackUrl);
  return added;
}

/**
 * Somebody presses the button of a provider, in the flow that a request has begun.
 * @returns where that sends the browser: `https://elsewhere.test/authorize?…`, or back with a problem
 */
export async function chooseProvider(
  browser: TestBrowser,
  begun: LightMyRequestResponse,
  id: string,
): Promise<string> {
  const sent = await browser.get(`/login/idps/${id}?flow=${redirected(begun).get('flow')}`);
  const { location } = sent.headers;
  if (sent.statusCode !== 302 || location === undefined) throw new Error(`${sent.statusCode} ${sent.body}`);
  return location;
}

/** Ids of the users whom a provider knows by that name of its own: `['1234']`, or none. */
export async function usersBySubject({ sql }: TestApi, subject: string): Promise<readonly string[]> {
  const { rows } = await sql.query<{ user_id: string }>(
    'SELECT user_id FROM user_identities WHERE subject = $1',
    [subject],
  );
  return rows.map((row) => row.user_id);
}

/** An application signs somebody out, and names where to go then: to `POST_LOGOUT_URI` with a state. */
export async function signOut(
  browser: TestBrowser,
  { id_token: hint }: TokenAnswer,
): Promise<LightMyRequestResponse> {
  const back = { post_logout_redirect_uri: POST_LOGOUT_URI, state: 'of the application' };
  return await browser.get(endSessionUrl({ id_token_hint: hint, ...back }));
}

/** Where the page of a sign-out leads on to: the provider's own. */
export function onward({ body, statusCode }: LightMyRequestResponse): URL {
  const [, link] = /id="go-on" href="([^"]*)"/.exec(body) ?? [];
  if (statusCode !== 200 || link === undefined) throw new Error(`${statusCode} ${body}`);
  return new URL(unescapeHtml(link));
}
