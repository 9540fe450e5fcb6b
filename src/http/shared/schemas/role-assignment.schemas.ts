import { z } from 'zod';
import type { HeldRoleAssignment } from '../../../domain/role-assignments/role-assignments.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { ProjectGrantId, ProjectId, RoleAssignmentId, UserId } from '../../../domain/shared/ids.js';
import { answerFrom, detailsOfCreation, detailsOfRecord, shown } from '../answers.js';
import { listSearchBody } from '../lists.js';
import { idSchema } from './answer-schemas.js';
import { idField, optionalIdField } from './id-field.js';
import { roleKey, roleKeysField } from './project-role.schemas.js';
import { stateAnswer, stateFilter } from './state-fields.js';

/** Body of `POST …/users/{userId}/grants`. */
export const newRoleAssignmentBody = z
  .strictObject({
    projectId: idField<ProjectId>(),
    projectGrantId: optionalIdField<ProjectGrantId>(),
    roleKeys: roleKeysField,
  })
  .meta({ examples: [{ projectId: '327465982374658003', roleKeys: ['shop.admin'] }] });

/** Body of `PUT …/users/{userId}/grants/{grantId}`. */
export const roleAssignmentBody = z
  .strictObject({ roleKeys: roleKeysField })
  .meta({ examples: [{ roleKeys: ['shop.admin'] }] });

/** Body of `grants/_search`; one is named by its project. */
export const roleAssignmentSearchBody = listSearchBody({
  sortedBy: {
    USER_GRANT_FIELD_NAME_UNSPECIFIED: 'createdAt',
    USER_GRANT_FIELD_NAME_PROJECT_NAME: 'name',
    USER_GRANT_FIELD_NAME_CREATION_DATE: 'createdAt',
  },
  filters: stateFilter('USER_GRANT'),
});

/** Body of `user_grants/_search` of a project; one is named by its user. */
export const projectRoleAssignmentSearchBody = listSearchBody({
  sortedBy: {
    USER_GRANT_FIELD_NAME_UNSPECIFIED: 'createdAt',
    USER_GRANT_FIELD_NAME_DISPLAY_NAME: 'name',
    USER_GRANT_FIELD_NAME_CREATION_DATE: 'createdAt',
  },
  filters: {
    roleKeyQuery: { roleKey },
    userIdQuery: { userId: idField<UserId>() },
    ...stateFilter('USER_GRANT'),
  },
});

/** Roles that a user holds, as they are read. */
export const roleAssignmentAnswer = z.object({
  id: idSchema,
  details: detailsOfRecord,
  userId: idSchema,
  projectId: idSchema,
  projectName: z.string(),
  projectGrantId: idSchema.optional(),
  ...shown({ roleKeys: z.array(z.string()).readonly() }),
  state: stateAnswer('USER_GRANT'),
});

/** The same in the list of a project, with who holds them. */
export const heldRoleAssignmentAnswer = answerFrom(
  roleAssignmentAnswer.extend({
    preferredLoginName: z.string(),
    displayName: z.string(),
    userType: z.enum(['TYPE_HUMAN', 'TYPE_MACHINE']),
  }),
  ({ loginName, userType, ...assignment }: HeldRoleAssignment) => ({
    ...assignment,
    preferredLoginName: loginName,
    userType: userType === 'machine' ? ('TYPE_MACHINE' as const) : ('TYPE_HUMAN' as const),
  }),
);

/** Answer of what gives a user roles. */
export const createdRoleAssignmentAnswer = answerFrom(
  z.object({ userGrantId: idSchema, details: detailsOfCreation }),
  ({ id, details }: { readonly id: RoleAssignmentId; readonly details: ResourceDetails }) => ({
    userGrantId: id,
    details,
  }),
);
