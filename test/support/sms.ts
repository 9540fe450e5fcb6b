import type { LightMyRequestResponse } from 'fastify';
import { ServiceUsersStore } from '../../src/domain/service-users/service-users.store.js';
import type { UserId } from '../../src/domain/shared/ids.js';
import { randomToken, sha256 } from '../../src/domain/shared/random.js';
import { UnitOfWork } from '../../src/domain/shared/unit-of-work.js';
import type { TestApi } from './api.js';
import { aUser, type TestUser } from './users.js';
import type { World } from './world.js';

/** An SMS provider, as far as the API needs to know. */
export const TWILIO = {
  TWILIO_ACCOUNT_SID: 'ACmarker',
  TWILIO_AUTH_TOKEN: 'marker-twilio-token',
  TWILIO_FROM: '+15005550006',
};
/** No limit on SMS at all, for a test to put on what it is about. */
export const NO_SMS_LIMITS = {
  SMS_COOLDOWN: '0s',
  SMS_CAP_USER: 'off',
  SMS_CAP_NUMBER: 'off',
  SMS_CAP_PREFIX: 'off',
  SMS_CAP_ADDRESS: 'off',
  SMS_CAP_ORGANIZATION: 'off',
  SMS_SPEND_CAP: '0',
  SMS_CONVERSION_SENDS: '0',
};

export const RESEND = '/auth/v1/users/me/phone/_resend_verification';

export interface PhoneUser extends TestUser {
  readonly pat: string;
}

/** Somebody with a number that is not verified, and a token with scope openid. */
export async function aPhoneUser(world: World, number = '+41791234567'): Promise<PhoneUser> {
  const user = await aUser(world, { phone: { number, verified: false } });
  return { ...user, pat: await addPat(world.api, user) };
}

export async function addPat(api: TestApi, { orgId, userId }: TestUser): Promise<string> {
  const pat = `pat_${randomToken(32)}`;
  const token = { orgId, userId, tokenHash: sha256(pat), expiresAt: null };
  const { app } = api;
  await app.get(UnitOfWork).run((tx) => app.get(ServiceUsersStore).addToken(tx, token));
  return pat;
}

export async function resend(
  api: TestApi,
  pat: string | undefined,
  options: {
    readonly body?: unknown;
    readonly from?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<LightMyRequestResponse> {
  const { body = {}, from, headers } = options;
  return await api.app.inject({
    method: 'POST',
    url: RESEND,
    headers: {
      'content-type': 'application/json',
      ...(pat === undefined ? {} : { authorization: `Bearer ${pat}` }),
      ...headers,
    },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
    ...(from === undefined ? {} : { remoteAddress: from }),
  });
}

/** SMS that are due, each with its job. */
export async function smsQueued(
  api: TestApi,
  users?: readonly { readonly userId: UserId }[],
): Promise<number> {
  const { rows } = await api.sql.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM notifications n JOIN outbox o ON o.id = n.outbox_id
     WHERE n.channel = 'sms' AND ($1::text[] IS NULL OR n.user_id = ANY ($1))`,
    [users?.map(({ userId }) => userId) ?? null],
  );
  return rows[0]?.count ?? 0;
}

/** How often each status was answered. */
export function statuses(answers: readonly LightMyRequestResponse[]): Record<number, number> {
  const count: Record<number, number> = {};
  for (const { statusCode } of answers) count[statusCode] = (count[statusCode] ?? 0) + 1;
  return count;
}
