import type { LightMyRequestResponse } from 'fastify';
import type { Role } from '../../../src/domain/permissions/permissions.js';
import { PermissionsStore } from '../../../src/domain/permissions/permissions.store.js';
import type { OrgId, UserId } from '../../../src/domain/shared/ids.js';
import { randomToken, sha256 } from '../../../src/domain/shared/random.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { PersonalAccessTokensStore } from '../../../src/domain/users/personal-access-tokens.store.js';
import { UsersStore } from '../../../src/domain/users/users.store.js';
import type { TestApi } from '../../support/api.js';
import type { World } from '../../support/world.js';

export interface ServiceUser {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly pat: string;
}

/** A service user with a personal access token; the role is held in `world`'s organization unless it is another's. */
export async function addServiceUser(
  api: TestApi,
  world: World,
  role?: Role,
  inOrganization: World = world,
): Promise<ServiceUser> {
  const pat = `pat_${randomToken(32)}`;
  const { app } = api;
  const userId = await app.get(UnitOfWork).run(async (tx) => {
    const userName = `svc-${randomToken(6).toLowerCase()}`;
    const { id } = await app.get(UsersStore).addMachine(tx, {
      orgId: world.orgId,
      userName,
      canonicalUserName: userName,
      name: 'Service',
      description: null,
      accessTokenType: 'opaque',
    });
    if (role !== undefined) {
      await app.get(PermissionsStore).add(tx, {
        userId: id,
        userOrgId: world.orgId,
        role,
        orgId: role.startsWith('IAM_') ? null : inOrganization.orgId,
      });
    }
    const token = { orgId: world.orgId, userId: id, tokenHash: sha256(pat), expiresAt: null, madeBy: null };
    await app.get(PersonalAccessTokensStore).add(tx, token);
    return id;
  });
  return { userId, orgId: world.orgId, pat };
}

export interface CallOptions {
  readonly pat?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A JSON call to the API; a body that is a string is sent as it is. */
export async function call(
  api: TestApi,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  { pat, body, headers = {} }: CallOptions = {},
): Promise<LightMyRequestResponse> {
  return await api.app.inject({
    method,
    url: path.startsWith('/') ? path : `/management/v1/${path}`,
    headers: {
      ...(pat === undefined ? {} : { authorization: `Bearer ${pat}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

/** Body of an API error with an id (contract §0.2). */
export function errorBody(code: number, text: string, id?: string): object {
  if (id === undefined) return { code, message: text };
  return {
    code,
    message: `${text} (${id})`,
    details: [{ '@type': 'type.googleapis.com/zitadel.v1.ErrorDetail', id, message: text }],
  };
}

/** `$pbkdf2-sha256$…` of the password `password` with enough iterations not to be weak. */
export const HASH =
  '$pbkdf2-sha256$600000$TWFya2VyLXNhbHQtMTIzNA$OoEamRMlSs8OtL0ICBiiI8vxIV8xWBgJq8/V3HZTDzk';

let counter = 0;

/** A record that imports without any message: verified e-mail and a hash. */
export function record(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  counter += 1;
  const name = `human-${counter}-${randomToken(4).toLowerCase()}`;
  return {
    userName: name,
    profile: { firstName: 'Ada', lastName: 'Lovelace' },
    email: { email: `${name}@mail.test`, isEmailVerified: true },
    hashedPassword: { value: HASH },
    ...changes,
  };
}

export function importHuman(
  api: TestApi,
  pat: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  return call(api, 'POST', 'users/human/_import', { pat, body, headers });
}
