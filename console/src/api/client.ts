import createClient, { type Middleware } from 'openapi-fetch';
import { accessToken, renewedToken, SessionOver, type StepUp } from '../app/session.ts';
import { sentInTime } from './limits.ts';
import type { paths } from './schema.gen.d.ts';

/** What the APIs answer when they refuse something. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** What the operator finds in the log. */
    readonly reference: string | undefined,
    /** How somebody has to sign in for it (RFC 9470). */
    readonly stepUp: StepUp | undefined,
    readonly retryAfterSeconds: number | undefined,
    /** What kind of refusal it is, and which rule refused (docs/api.md, "Errors"). */
    readonly code: number | undefined,
    readonly id: string | undefined,
    /** By the API of the instance: what its owners alone can give. */
    readonly isOfInstance: boolean,
  ) {
    super(message);
    this.name = 'Refused';
  }
}

const authorize: Middleware = {
  async onRequest({ request }) {
    request.headers.set('authorization', `Bearer ${await accessToken()}`);
    return request;
  },
  async onResponse({ request, response, options }) {
    if (response.status !== 401 || stepUpOf(response) !== undefined) return undefined;
    // ended by somebody, or by a change of the account: once more with a token of the session, if that still is
    const again = new Request(request, { headers: new Headers(request.headers) });
    again.headers.set('authorization', `Bearer ${await renewedToken()}`);
    const answer = await options.fetch(again);
    if (answer.status === 401 && stepUpOf(answer) === undefined) throw new SessionOver();
    return answer;
  },
};

/** The APIs, typed by their own document. */
export const api = createClient<paths>({
  baseUrl: location.origin,
  headers: { accept: 'application/json' },
  // a body can be sent once: the copy is for the second try
  fetch: async (request) => await sentInTime(request.clone()),
});
api.use(authorize);

/** `WWW-Authenticate` of RFC 9470 §3. */
export function stepUpOf(response: Response): StepUp | undefined {
  const header = response.headers.get('www-authenticate') ?? '';
  if (!header.includes('insufficient_user_authentication')) return undefined;
  const parameter = (name: string): string | undefined =>
    new RegExp(`\\b${name}="?([^",]+)"?`).exec(header)?.[1];
  return { acrValues: parameter('acr_values'), maxAge: parameter('max_age') };
}

interface Answer<Data> {
  readonly data?: Data | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** The answer of a call. @throws Refused, SessionOver */
export async function answered<Data>(call: Promise<Answer<Data>>): Promise<NonNullable<Data>> {
  const { data, error, response } = await call;
  if (response.ok) return (data ?? {}) as NonNullable<Data>;
  throw refusalOf(response, error);
}

export function refusalOf(response: Response, error: unknown): Refused {
  const { message, code, details } = (error ?? {}) as {
    readonly message?: string;
    readonly code?: number;
    readonly details?: readonly { readonly id?: string }[];
  };
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new Refused(
    response.status,
    message ?? response.statusText,
    response.headers.get('x-request-id') ?? undefined,
    stepUpOf(response),
    Number.isNaN(retryAfter) ? undefined : retryAfter,
    code,
    details?.[0]?.id,
    // an answer that an upload put together has no address
    response.url.includes('/admin/v1/'),
  );
}

/**
 * The organization that a call acts in.
 * @param sequence for a change of what was changed so often when it was read: 412 where somebody else changed it since
 */
export function inOrganization(orgId: string, sequence?: string) {
  return { header: { 'x-zitadel-orgid': orgId, ...(sequence !== undefined && ifMatch(sequence)) } };
}

/** The sequence of what was never set: with it, a change only adds. */
export const NEVER_SET = '0';

/** `If-Match` of RFC 9110 §13.1.1. */
export function ifMatch(sequence: string) {
  return { 'If-Match': `"${sequence}"` };
}

type Method = 'get' | 'post' | 'put' | 'delete';
type Json<Content> = Content extends { readonly content: { readonly 'application/json': infer Body } }
  ? Body
  : never;

/** What a call answers, by its path: `Answered<'/management/v1/orgs/me', 'get'>`. */
export type Answered<Path extends keyof paths, Verb extends Method> = paths[Path] extends {
  readonly [Key in Verb]: { readonly responses: { readonly 200: infer Content } };
}
  ? Json<Content>
  : never;

/** What a call is sent. */
export type Sent<Path extends keyof paths, Verb extends Method> = paths[Path] extends {
  readonly [Key in Verb]: { readonly requestBody?: infer Content };
}
  ? Json<NonNullable<Content>>
  : never;
