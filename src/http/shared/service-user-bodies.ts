import { z } from 'zod';
import type { ServiceUserSettings } from '../../domain/service-users/service-users.store.js';
import { givenIdProblem } from '../../domain/shared/given-id.js';
import type { ServiceUser } from '../../domain/users/user.js';
import { bodyReader, choice, name, text } from './api-fields.js';
import { moment } from './moment.js';

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

export const readNewPersonalAccessToken = bodyReader({ expirationDate: moment().optional() });

export const readNothing = bodyReader({});
