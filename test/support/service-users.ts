import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { SignJWT } from 'jose';
import type { Role } from '../../src/domain/permissions/permissions.js';
import { PermissionsStore } from '../../src/domain/permissions/permissions.store.js';
import { CreateServiceUser } from '../../src/domain/service-users/create-service-user.js';
import { PersonalAccessTokens } from '../../src/domain/service-users/personal-access-tokens.js';
import { ServiceUserKeys } from '../../src/domain/service-users/service-user-keys.js';
import { ServiceUserSecrets } from '../../src/domain/service-users/service-user-secrets.js';
import type { OrgId, UserId } from '../../src/domain/shared/ids.js';
import { randomToken } from '../../src/domain/shared/random.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import type { TestApi } from './api.js';
import { requestToken } from './browser-flow.js';
import { call, type Method } from './calls.js';
import type { World } from './world.js';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const API_SCOPE = 'urn:zitadel:iam:org:project:id:zitadel:aud';

/** A service user with a personal access token. */
export interface ServiceUser {
  readonly userId: UserId;
  readonly orgId: OrgId;
  readonly pat: string;
  /** A JSON call by that token, at the API of its world unless another replica is named. */
  call(
    method: Method,
    path: string,
    body?: unknown,
    options?: { readonly headers?: Readonly<Record<string, string>>; readonly on?: TestApi | undefined },
  ): Promise<LightMyRequestResponse>;
}

/** @param inOrganization where the role is held, unless it is the instance's */
export async function aServiceUser(
  { api, orgId }: World,
  role?: Role,
  inOrganization: Pick<World, 'orgId'> = { orgId },
): Promise<ServiceUser> {
  const { app } = api;
  const { userId, pat } = await app.get(UnitOfWork).run(async (tx) => {
    const userName = `svc-${randomToken(6).toLowerCase()}`;
    const plan = { orgId, userId: undefined, userName, name: 'Service', accessTokenType: 'opaque' } as const;
    const { id } = await app.get(CreateServiceUser).execute(tx, plan, null);
    if (role !== undefined) {
      await app.get(PermissionsStore).add(tx, {
        userId: id,
        userOrgId: orgId,
        role,
        orgId: role.startsWith('IAM_') ? null : inOrganization.orgId,
      });
    }
    const change = { orgId, userId: id, actorId: null };
    const { token } = await app.get(PersonalAccessTokens).add(tx, change, undefined);
    return { userId: id, pat: token };
  });
  return {
    userId,
    orgId,
    pat,
    call: (method, path, body, { headers = {}, on = api } = {}) =>
      call(on, method, path, { pat, body, headers }),
  };
}

/** A service user with everything it can authenticate with. */
export interface Robot {
  readonly userId: UserId;
  readonly userName: string;
  readonly secret: string;
  readonly keyId: string;
  readonly alg: string;
  readonly key: KeyObject;
}

function makePair(alg: string): { publicKey: KeyObject; privateKey: KeyObject } {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

export async function aRobot(
  { api, orgId }: World,
  changes: {
    readonly userName?: string;
    readonly accessTokenType?: 'opaque' | 'jwt';
    readonly alg?: string;
  } = {},
): Promise<Robot> {
  const { app } = api;
  const {
    userName = `robot-${randomToken(6).toLowerCase()}`,
    accessTokenType = 'opaque',
    alg = 'ES256',
  } = changes;
  const units = app.get(UnitOfWork);
  const plan = { orgId, userId: undefined, userName, name: 'Robot', accessTokenType };
  const { id: userId } = await units.run((tx) => app.get(CreateServiceUser).execute(tx, plan, null));
  const change = { orgId, userId, actorId: null };
  const { clientSecret } = await units.run((tx) => app.get(ServiceUserSecrets).make(tx, change));
  const { publicKey, privateKey } = makePair(alg);
  const publicJwk = publicKey.export({ format: 'jwk' });
  const expiresAt = new Date('9999-12-31T23:59:59Z');
  const prepared = { publicJwk, privatePem: undefined, expiresAt };
  // one transaction each, as by the API: with a user and a key in one, two at once wait for each other's lock of ids
  const { id: keyId } = await units.run((tx) => app.get(ServiceUserKeys).store(tx, change, prepared));
  return { userId, userName, secret: clientSecret, keyId, alg, key: privateKey };
}

export function robotBasic({ secret }: Robot, name: string): Record<string, string> {
  const pair = `${encodeURIComponent(name)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** client_credentials by Basic header. */
export async function bySecret(
  api: TestApi,
  robot: Robot,
  form: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  const asked = { grant_type: 'client_credentials', scope: 'openid', ...form };
  return await requestToken(api, asked, robotBasic(robot, robot.userName));
}

/** Claims and header members to set, or to leave out where they are undefined. */
export interface AssertionParts {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: KeyObject;
  readonly issuer?: string;
  readonly now?: number;
}

/** An assertion as a good library makes it, but for what is said. */
export async function assertionOf(robot: Robot, parts: AssertionParts = {}): Promise<string> {
  const { claims = {}, header = {}, key = robot.key, issuer = 'https://id.test' } = parts;
  const now = parts.now ?? Math.floor(Date.now() / 1000);
  const payload = { iss: robot.userId, sub: robot.userId, aud: issuer, iat: now, exp: now + 3600, ...claims };
  return await new SignJWT(payload)
    .setProtectedHeader({ alg: robot.alg, kid: robot.keyId, ...header })
    .sign(key);
}

/** The JWT profile grant. */
export async function byAssertion(
  api: TestApi,
  assertion: string,
  form: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  return await requestToken(api, { grant_type: JWT_BEARER, assertion, scope: 'openid', ...form }, headers);
}
