import { z } from 'zod';
import type { ChangedMember } from '../../../domain/members/manage-members.js';
import type { Member } from '../../../domain/members/members.store.js';
import { ROLES, type Role } from '../../../domain/permissions/permissions.js';
import type { UserId } from '../../../domain/shared/ids.js';
import { answerFrom, detailsOfChange, detailsOfCreation, detailsOfRecord, shown } from '../answers.js';
import { listSearchBody } from '../lists.js';
import { idSchema } from './answer-schemas.js';
import { idField } from './id-field.js';
import { wireEnum } from './wire-enum.js';

/** Roles that are held in an organization, and those held in the instance. */
type RoleKind = 'ORG_' | 'IAM_';

function rolesOf(kind: RoleKind): readonly Role[] {
  return ROLES.filter((role) => role.startsWith(kind));
}

function rolesField(kind: RoleKind) {
  const known = rolesOf(kind);
  return z
    .array(
      z
        .custom<Role>((value) => known.some((role) => role === value), `must be one of ${known.join(', ')}`)
        .meta({ type: 'string', enum: known }),
    )
    .min(1, 'must have at least one entry')
    .max(20)
    .transform((roles): readonly Role[] => [...new Set(roles)]);
}

const EXAMPLES = {
  ORG_: { roles: ['ORG_OWNER_VIEWER'] },
  IAM_: { roles: ['IAM_OWNER_VIEWER'] },
} satisfies Readonly<Record<RoleKind, { readonly roles: readonly Role[] }>>;

/** Body that makes a user a member. */
export function newMemberBody(kind: RoleKind) {
  return z
    .strictObject({ userId: idField<UserId>(), roles: rolesField(kind) })
    .meta({ examples: [{ userId: '327465982374658001', ...EXAMPLES[kind] }] });
}

/** Body that replaces what a member may do. */
export function memberBody(kind: RoleKind) {
  return z.strictObject({ roles: rolesField(kind) }).meta({ examples: [EXAMPLES[kind]] });
}

/** Body of `members/_search`. */
export function memberSearchBody(kind: RoleKind) {
  const known = Object.fromEntries(rolesOf(kind).map((role) => [role, role]));
  return listSearchBody({
    sortedBy: {
      MEMBER_FIELD_NAME_UNSPECIFIED: 'createdAt',
      MEMBER_FIELD_NAME_NAME: 'name',
      MEMBER_FIELD_NAME_CREATION_DATE: 'createdAt',
    },
    filters: { roleQuery: { role: wireEnum<Readonly<Record<string, Role>>>(known) } },
  });
}

/** A member as it is read. */
export const memberAnswer = answerFrom(
  z.object({
    userId: idSchema,
    details: detailsOfRecord,
    roles: z.array(z.enum(ROLES)).readonly(),
    preferredLoginName: z.string(),
    displayName: z.string(),
    userType: z.enum(['TYPE_HUMAN', 'TYPE_MACHINE']),
    userResourceOwner: idSchema,
  }),
  ({ loginName, userOrgId, userType, ...member }: Member) => ({
    ...member,
    preferredLoginName: loginName,
    userType: userType === 'machine' ? ('TYPE_MACHINE' as const) : ('TYPE_HUMAN' as const),
    userResourceOwner: userOrgId,
  }),
);

const ended = shown({
  endedCredentials: z
    .array(
      z.object({
        kind: z.enum([
          'personal_access_token',
          'machine_key',
          'machine_secret',
          'password',
          'passkey',
          'passkey_link',
          'identity',
          'application',
        ]),
        id: idSchema,
      }),
    )
    .readonly(),
});

function withEnded({ details, ended: endedCredentials }: ChangedMember) {
  return { details, endedCredentials };
}

/** Answer of what makes a member. */
export const addedMemberAnswer = answerFrom(z.object({ details: detailsOfCreation, ...ended }), withEnded);

/** Answer of a change to what a member may do. */
export const changedMemberAnswer = answerFrom(z.object({ details: detailsOfChange, ...ended }), withEnded);
