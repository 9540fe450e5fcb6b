import type { LightMyRequestResponse } from 'fastify';
import { InitialAccessTokens } from '../../src/domain/client-registration/initial-access/initial-access-tokens.js';
import type { InitialAccessTokenSettings } from '../../src/domain/client-registration/initial-access/initial-access-tokens.store.js';
import type { UserId } from '../../src/domain/shared/ids.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import { useApi, useReplica, type TestApi } from './api.js';
import { REDIRECT_URI } from './applications.js';
import { given } from './given.js';
import { anOrganization, World } from './world.js';

export const REGISTER = '/oauth/v2/register';

export interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
  readonly [metadata: string]: unknown;
}

/**
 * An instance where anyone registers applications, and a replica of it where nobody does. The project has to be there before the
 * configuration can name it.
 */
export function useOpenRegistration(settings: Readonly<Record<string, string>> = {}) {
  const closed = useApi();
  const there = given(() => anOrganization(closed));
  const api = useReplica(closed, () => ({
    CLIENT_REGISTRATION: 'open',
    CLIENT_REGISTRATION_PROJECT: there.projectId,
    RATE_LIMIT_REGISTRATION: '0',
    RATE_LIMIT_REGISTRATION_ALL: '0',
    RATE_LIMIT_REGISTRATION_DAY: '0',
    ...settings,
  }));
  const world = given(() => new World(api, there.orgId, there.domain, there.projectId));
  return { closed, api, world };
}

/** What a web application says of itself. */
export function metadata(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return { client_name: 'Editor', redirect_uris: [REDIRECT_URI], ...changes };
}

/** A call of the registration endpoint, or of the address of a client; a body that is text is sent as it is. */
export async function registering(
  { app }: TestApi,
  method: 'POST' | 'GET' | 'PUT' | 'DELETE',
  url: string,
  token?: string,
  body?: unknown,
  remoteAddress?: string,
): Promise<LightMyRequestResponse> {
  return await app.inject({
    method,
    url: url.replace(/^https:\/\/id\.test/, ''),
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(remoteAddress !== undefined && { remoteAddress }),
  });
}

/** A client that was taken. */
export async function aRegistered(
  api: TestApi,
  token?: string,
  changes: Readonly<Record<string, unknown>> = {},
): Promise<Registered> {
  const response = await registering(api, 'POST', REGISTER, token, metadata(changes));
  if (response.statusCode !== 201) throw new Error(`${response.statusCode} ${response.body}`);
  return response.json<Registered>();
}

/** A token by which applications register with the project of the world. */
export async function anInitialToken(
  { api, orgId, projectId }: World,
  settings: Partial<InitialAccessTokenSettings> = {},
): Promise<{ readonly token: string }> {
  const { app } = api;
  const wanted = { name: 'Tests', projectId, mostUses: 1_000, expiresAt: null, ...settings };
  return await app
    .get(UnitOfWork)
    .run((tx) => app.get(InitialAccessTokens).add(tx, orgId, wanted, 'somebody' as UserId));
}
