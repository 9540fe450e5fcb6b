import type { LightMyRequestResponse } from 'fastify';
import type { Role } from '../../../../src/domain/permissions/permissions.js';
import { PermissionsStore } from '../../../../src/domain/permissions/permissions.store.js';
import { ChangeInstanceSettings } from '../../../../src/domain/policies/change-instance-settings.js';
import { UnitOfWork } from '../../../../src/domain/shared/unit-of-work.js';
import type { TestApi } from '../../../support/api.js';
import type { TestClient } from '../../../support/applications.js';
import { basic, type TokenAnswer } from '../../../support/browser-flow.js';
import { postForm } from '../../../support/calls.js';
import type { TestUser } from '../../../support/users.js';
import type { World } from '../../../support/world.js';

export const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const IETF = 'urn:ietf:params:oauth:token-type';
export const TYPES = {
  access: `${IETF}:access_token`,
  id: `${IETF}:id_token`,
  jwt: `${IETF}:jwt`,
  refresh: `${IETF}:refresh_token`,
  userId: 'urn:zitadel:params:oauth:token-type:user_id',
  userIdByUs: 'urn:service:params:oauth:token-type:user_id',
} as const;

export interface ExchangeAnswer extends TokenAnswer {
  readonly issued_token_type: string;
}

export const EXCHANGING = ['authorization_code', 'refresh_token', EXCHANGE];

export function subject(token: string, type: string = TYPES.access): Record<string, string> {
  return { subject_token: token, subject_token_type: type };
}

export function actor(token: string, type: string = TYPES.access): Record<string, string> {
  return { actor_token: token, actor_token_type: type };
}

/** A value that is a list is sent once for each. */
export async function exchange(
  api: TestApi,
  client: TestClient,
  form: Readonly<Record<string, string | readonly string[]>>,
  headers: Record<string, string> = basic(client),
): Promise<LightMyRequestResponse> {
  const parameters = new URLSearchParams({ grant_type: EXCHANGE });
  for (const [name, value] of Object.entries(form)) {
    for (const one of typeof value === 'string' ? [value] : value) parameters.append(name, one);
  }
  return await postForm(api, '/oauth/v2/token', parameters.toString(), headers);
}

/** @throws when it is refused */
export async function exchanged(
  api: TestApi,
  client: TestClient,
  form: Readonly<Record<string, string | readonly string[]>>,
): Promise<ExchangeAnswer> {
  const response = await exchange(api, client, form);
  if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${response.body}`);
  return response.json();
}

export async function introspected(
  api: TestApi,
  client: TestClient,
  token: string,
): Promise<Record<string, unknown>> {
  const response = await postForm(api, '/oauth/v2/introspect', { token }, basic(client));
  return response.json();
}

export async function allowImpersonation(
  api: TestApi,
  by: TestUser,
  enableImpersonation = true,
): Promise<void> {
  const change = api.app.get(ChangeInstanceSettings);
  await api.app.get(UnitOfWork).run((tx) => change.replaceSecurity(tx, { enableImpersonation }, by.userId));
}

/** Gives a role, of the instance or in an organization. */
export async function give(
  api: TestApi,
  { userId, orgId: userOrgId }: Pick<TestUser, 'userId' | 'orgId'>,
  role: Role,
  { orgId }: Pick<World, 'orgId'>,
): Promise<void> {
  const membership = { userId, userOrgId, role, orgId: role.startsWith('IAM_') ? null : orgId };
  await api.app.get(UnitOfWork).run((tx) => api.app.get(PermissionsStore).add(tx, membership));
}
