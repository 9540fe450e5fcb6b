import type { LightMyRequestResponse } from 'fastify';
import { ScimTokens } from '../../src/domain/scim/scim-tokens.js';
import type { ScimTokenSettings } from '../../src/domain/scim/scim-tokens.store.js';
import type { ScimTokenId, UserId } from '../../src/domain/shared/ids.js';
import { randomToken } from '../../src/domain/shared/random.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import type { TestApi } from './api.js';
import type { World } from './world.js';

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

type ScimMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Resource = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly meta: { readonly version: string };
};

/** A directory that provisions the users of an organization. */
export interface Directory {
  readonly tokenId: ScimTokenId;
  readonly token: string;
  call(
    method: ScimMethod,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<LightMyRequestResponse>;
  /** Made by POST; the answer is checked to be 201. */
  create(path: 'Users' | 'Groups', body: object): Promise<Resource>;
  patch(path: string, ...operations: readonly object[]): Promise<LightMyRequestResponse>;
}

export async function aDirectory(
  world: World,
  settings: Partial<ScimTokenSettings> = {},
): Promise<Directory> {
  const { api, orgId, projectId } = world;
  const { app } = api;
  const wanted = { name: 'Directory', projectId, trustsEmails: true, expiresAt: null, ...settings };
  const { id: tokenId, token } = await app
    .get(UnitOfWork)
    .run((tx) => app.get(ScimTokens).add(tx, orgId, wanted, 'somebody' as UserId));
  const call: Directory['call'] = (method, path, body, headers = {}) =>
    scim(api, method, `${orgId}/${path}`, token, body, headers);
  return {
    tokenId,
    token,
    call,
    create: async (path, body) => {
      const response = await call('POST', path, body);
      if (response.statusCode !== 201) throw new Error(`${response.statusCode} ${response.body}`);
      return response.json<Resource>();
    },
    patch: async (path, ...operations) =>
      await call('PATCH', path, { schemas: [PATCH_OP], Operations: operations }),
  };
}

/** A call below `/scim/v2`; a body that is a string is sent as it is. */
export async function scim(
  { app }: TestApi,
  method: ScimMethod,
  path: string,
  token: string | undefined,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  return await app.inject({
    method,
    url: `/scim/v2/${path}`,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/scim+json' }),
      ...headers,
    },
    ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** What a directory sends of a new person. */
export function aPerson(changes: object = {}): Record<string, unknown> & { readonly userName: string } {
  const userName = `p-${randomToken(6)}@corp.test`.toLowerCase();
  return {
    schemas: [USER],
    userName,
    externalId: randomToken(9),
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [{ value: userName, type: 'work', primary: true }],
    active: true,
    ...changes,
  };
}
