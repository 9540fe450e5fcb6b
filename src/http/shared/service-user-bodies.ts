import { z } from 'zod';
import type { ServiceUserSettings } from '../../domain/service-users/service-users.store.js';
import { givenIdProblem } from '../../domain/shared/given-id.js';
import type { ServiceUser } from '../../domain/users/user.js';
import { bodyReader, choice, name, text } from './api-fields.js';

/** Bodies of the calls around service users (protocol §8.6). */
const settings = {
  name: name(),
  description: text(0, 500).default(''),
  accessTokenType: choice<ServiceUser['accessTokenType']>({
    ACCESS_TOKEN_TYPE_BEARER: 'opaque',
    ACCESS_TOKEN_TYPE_JWT: 'jwt',
  }).default('opaque'),
};

export const readNewServiceUser = bodyReader({
  userName: name(),
  ...settings,
  userId: z
    .string({ error: 'must be a string' })
    .superRefine((id, context) => {
      const problem = givenIdProblem(id);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .meta({ minLength: 1, maxLength: 200, pattern: '^[!-~]{1,200}$' })
    .optional(),
});

export const readServiceUser = bodyReader(settings);

/** A description that says nothing is none. */
export function settingsOf({
  name,
  description,
  accessTokenType,
}: {
  readonly name: string;
  readonly description: string;
  readonly accessTokenType: ServiceUser['accessTokenType'];
}): ServiceUserSettings {
  return { name, ...(description === '' ? {} : { description }), accessTokenType };
}

const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;

function moment() {
  const rule = 'must be a date and time of RFC 3339, such as 2030-01-31T12:00:00Z';
  return z
    .string({ error: rule })
    .regex(RFC_3339, rule)
    .meta({ format: 'date-time' })
    .transform((given) => new Date(given.toUpperCase()))
    .refine((date) => !Number.isNaN(date.getTime()) && date.getUTCFullYear() <= 9999, rule);
}

export const readNewKey = bodyReader({
  type: choice({ KEY_TYPE_UNSPECIFIED: undefined, KEY_TYPE_JSON: 'KEY_TYPE_JSON' }).default('KEY_TYPE_JSON'),
  expirationDate: moment().optional(),
  publicKey: z.unknown().optional(),
});

export const readNewPersonalAccessToken = bodyReader({ expirationDate: moment().optional() });

export const readNothing = bodyReader({});
