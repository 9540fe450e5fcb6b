import { z } from 'zod';
import type { MadeCredential } from '../../domain/members/lower-made.store.js';
import type { Member } from '../../domain/members/members.store.js';
import { ROLES, type Role } from '../../domain/permissions/permissions.js';
import { idSchema, readDetailsSchema } from './answer-schemas.js';
import { bodyReader } from './api-fields.js';
import { readDetails, type DetailsResponse } from './details-response.js';

/** Roles that are held in an organization, and those held in the instance. */
type Kind = 'ORG_' | 'IAM_';

function rolesField(kind: Kind) {
  const known = ROLES.filter((role) => role.startsWith(kind));
  const message = `must be one of ${known.join(', ')}`;
  return z
    .array(
      z.custom<Role>((value) => known.some((role) => role === value), message),
      {
        error: ({ input }) => (input === undefined ? 'is required' : 'must be a list'),
      },
    )
    .min(1, 'must have at least one entry')
    .max(20, 'must have at most 20 entries')
    .transform((roles): readonly Role[] => [...new Set(roles)]);
}

const userId = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .regex(/^[!-~]{1,200}$/, 'is not an id');

export function newMemberReader(kind: Kind) {
  return bodyReader({ userId, roles: rolesField(kind) });
}

export function memberReader(kind: Kind) {
  return bodyReader({ roles: rolesField(kind) });
}

export const memberSchema = z.strictObject({
  userId: idSchema,
  details: readDetailsSchema,
  roles: z.array(z.enum(ROLES)),
  preferredLoginName: z.string(),
  userResourceOwner: idSchema,
});

export interface MemberResponse {
  readonly userId: string;
  readonly details: DetailsResponse;
  readonly roles: readonly string[];
  readonly preferredLoginName: string;
  /** The organization that owns the user. */
  readonly userResourceOwner: string;
}

export function memberResponse({ userId: id, userOrgId, loginName, roles, details }: Member): MemberResponse {
  return {
    userId: id,
    details: readDetails(details),
    roles,
    preferredLoginName: loginName,
    userResourceOwner: userOrgId,
  };
}

export const ENDED_BY_PROMOTION =
  'What somebody below the new roles made for the user ends: `endedCredentials` lists it.';

export const endedSchema = z
  .array(
    z.strictObject({
      kind: z.enum(['personal_access_token', 'machine_key', 'machine_secret', 'password', 'application']),
      id: idSchema,
    }),
  )
  .optional();

export interface ChangedMemberResponse {
  readonly details: DetailsResponse;
  readonly endedCredentials?: readonly MadeCredential[];
}

/** Left out where nothing ended (protocol §0.1). */
export function endedResponse(
  ended: readonly MadeCredential[],
): Pick<ChangedMemberResponse, 'endedCredentials'> {
  return ended.length === 0 ? {} : { endedCredentials: ended };
}
