import { z } from 'zod';
import type { OwnPermissions } from '../../domain/organizations/find-own-permissions.js';
import { answerFrom, shown } from '../shared/answers.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';
import { stateAnswer } from '../shared/schemas/state-fields.js';

const allowed = { roles: z.array(z.string()).readonly(), permissions: z.array(z.string()).readonly() };

/** Answer of `GET …/users/me/permissions`. */
export const ownPermissionsAnswer = answerFrom(
  z.object({
    ...shown({
      mfaRequired: z.boolean().meta({
        description:
          'A second factor is required of the caller, who has none: until then nothing is allowed but to set one up.',
      }),
    }),
    instance: z.object(allowed),
    organizations: z.array(
      z.object({
        id: idSchema,
        name: z.string(),
        primaryDomain: z.string().optional(),
        state: stateAnswer('ORG'),
        ...allowed,
      }),
    ),
  }),
  ({ organizations, ...rest }: OwnPermissions) => ({
    ...rest,
    organizations: organizations.map(({ organization: { id, name, primaryDomain, state }, ...of }) => ({
      id,
      name,
      primaryDomain: primaryDomain || undefined,
      state,
      ...of,
    })),
  }),
);
