import { z } from 'zod';
import type { StoredProjectRole } from '../../../domain/projects/projects.store.js';
import { name, optionalText } from '../../../domain/shared/text-schemas.js';
import { answerFrom, detailsOfCreation, detailsOfRecord } from '../answers.js';
import { listSearchBody } from '../lists.js';

const MOST_ROLES = 200;

/** A key stands in scopes and claims, so it is what a scope may be made of (RFC 6749 §3.3). */
export const roleKey = z
  .string()
  .regex(/^[!#-[\]-~]{1,200}$/, 'must have 1 to 200 printable ASCII characters without space, " and \\');

/** Roles of one project that are given to somebody. */
export const roleKeysField = z
  .array(roleKey)
  .max(MOST_ROLES)
  .default([])
  .transform((keys): readonly string[] => [...new Set(keys)]);

const forPeople = { displayName: name(), group: optionalText(200) };

/** Body of `POST …/roles`. */
export const newProjectRoleBody = z
  .strictObject({ roleKey, ...forPeople })
  .meta({ examples: [{ roleKey: 'shop.admin', displayName: 'Shop administrator', group: 'Shop' }] })
  .transform(({ roleKey: key, ...role }) => ({ key, ...role }));

/** Body of `PUT …/roles/{roleKey}`. */
export const projectRoleBody = z
  .strictObject(forPeople)
  .meta({ examples: [{ displayName: 'Shop administrator', group: 'Shop' }] });

/** Body of `roles/_search`; a role is named by its key. */
export const projectRoleSearchBody = listSearchBody({
  sortedBy: {
    PROJECT_ROLE_FIELD_NAME_UNSPECIFIED: 'createdAt',
    PROJECT_ROLE_FIELD_NAME_KEY: 'name',
    PROJECT_ROLE_FIELD_NAME_CREATION_DATE: 'createdAt',
  },
});

/** A role as it is read. */
export const projectRoleAnswer = answerFrom(
  z.object({
    key: z.string(),
    details: detailsOfRecord,
    displayName: z.string(),
    group: z.string().optional(),
  }),
  (role: StoredProjectRole) => ({ ...role, group: role.group || undefined }),
);

/** Answer of what makes a role. */
export const createdProjectRoleAnswer = z.object({ details: detailsOfCreation });
