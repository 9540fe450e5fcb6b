import { z } from 'zod';
import { bodyReader, name, optionalText } from './api-fields.js';

// bodies about the roles of projects: the roles themselves, who may use a project with them, and who holds them

const MOST_ROLES = 200;

/** A key stands in scopes and claims, so it is what a scope may be made of (RFC 6749 §3.3). */
const roleKey = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .regex(/^[!#-[\]-~]{1,200}$/, 'must have 1 to 200 printable ASCII characters without space, " and \\');

export const readNewRole = bodyReader({ roleKey, displayName: name(), group: optionalText(200) });
export const readRole = bodyReader({ displayName: name(), group: optionalText(200) });

/** Empty is absent (protocol §0.1). */
export const optionalId = z
  .string({ error: 'must be a string' })
  .regex(/^[!-~]{0,200}$/, 'is not an id')
  .transform((id) => (id === '' ? undefined : id))
  .optional();

const roleKeys = z
  .array(roleKey, { error: 'must be a list' })
  .max(MOST_ROLES, `must have at most ${MOST_ROLES} entries`)
  .default([])
  .transform((keys): readonly string[] => [...new Set(keys)]);

export const readNewRoleAssignment = bodyReader({
  projectId: z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
    .regex(/^[!-~]{1,200}$/, 'is not an id'),
  projectGrantId: optionalId,
  roleKeys,
});
export const readRoleAssignment = bodyReader({ roleKeys });

export const readNewProjectGrant = bodyReader({
  grantedOrgId: z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
    .regex(/^[!-~]{1,200}$/, 'is not an id'),
  roleKeys,
});
export const readProjectGrant = bodyReader({ roleKeys });
