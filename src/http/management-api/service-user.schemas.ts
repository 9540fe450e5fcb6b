import { z } from 'zod';
import type { ServiceUserSettings } from '../../domain/service-users/service-users.store.js';
import { givenIdProblem } from '../../domain/shared/given-id.js';
import { ID_FORM, type UserId } from '../../domain/shared/ids.js';
import { name, optionalText } from '../../domain/shared/text-schemas.js';
import { detailsOfChange } from '../shared/answers.js';
import { wireEnum } from '../shared/schemas/wire-enum.js';

const settings = {
  name: name(),
  description: optionalText(500),
  accessTokenType: wireEnum({ ACCESS_TOKEN_TYPE_BEARER: 'opaque', ACCESS_TOKEN_TYPE_JWT: 'jwt' }).default(
    'opaque',
  ),
};

const EXAMPLE = {
  name: 'Deployer',
  description: 'Brings new users in at night.',
  accessTokenType: 'ACCESS_TOKEN_TYPE_JWT',
};

/** Body of `machine` PUT. */
export const serviceUserBody = z
  .strictObject(settings)
  .meta({ examples: [EXAMPLE] })
  .transform(settingsOf);

/** Body of `users/machine`. */
export const newServiceUserBody = z
  .strictObject({
    userName: name(),
    ...settings,
    userId: z
      .string()
      .superRefine((id, context) => {
        const problem = givenIdProblem(id);
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
      })
      .meta({ minLength: 1, maxLength: 200, pattern: ID_FORM.source })
      .optional(),
  })
  .meta({ examples: [{ userName: 'deployer', ...EXAMPLE }] })
  .transform(({ userName, userId, ...given }) => ({
    userName,
    userId: userId as UserId | undefined,
    ...settingsOf(given),
  }));

/** A description that says nothing is none. */
function settingsOf({ description, ...same }: z.output<z.ZodObject<typeof settings>>): ServiceUserSettings {
  return { ...same, ...(description === '' ? {} : { description }) };
}

/** Answer of what makes a secret, which is shown this once. */
export const madeSecretAnswer = z.object({
  clientId: z.string(),
  clientSecret: z.string(),
  details: detailsOfChange,
});
