import { z } from 'zod';
import type { ProjectGrant } from '../../../domain/project-grants/project-grants.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, ProjectGrantId } from '../../../domain/shared/ids.js';
import { answerFrom, detailsOfCreation, detailsOfRecord, shown } from '../answers.js';
import { idSchema } from './answer-schemas.js';
import { idField, optionalIdField } from './id-field.js';
import { domain } from './organization.schemas.js';
import { roleKeysField } from './project-role.schemas.js';
import { stateAnswer } from './state-fields.js';

/** A grant as data of an organization say it. */
export const importedProjectGrantBody = z.strictObject({
  grantedOrgId: idField<OrgId>(),
  roleKeys: roleKeysField,
});

/** Body of `POST …/grants`: the organization by its id, or by its primary domain. */
export const newProjectGrantBody = z
  .strictObject({
    grantedOrgId: optionalIdField<OrgId>(),
    grantedOrgDomain: domain.optional().meta({ description: 'Its primary domain, the whole of it.' }),
    roleKeys: roleKeysField,
  })
  .refine(
    ({ grantedOrgId, grantedOrgDomain }) => grantedOrgId !== undefined || grantedOrgDomain !== undefined,
    'grantedOrgId is required, or grantedOrgDomain in its place',
  )
  .refine(
    ({ grantedOrgId, grantedOrgDomain }) => grantedOrgId === undefined || grantedOrgDomain === undefined,
    'grantedOrgId and grantedOrgDomain must not both be given',
  )
  .meta({
    oneOf: [{ required: ['grantedOrgId'] }, { required: ['grantedOrgDomain'] }],
    examples: [{ grantedOrgId: '327465982374658002', roleKeys: ['shop.admin'] }],
  });

/** Body of `PUT …/grants/{grantId}`. */
export const projectGrantBody = z
  .strictObject({ roleKeys: roleKeysField })
  .meta({ examples: [{ roleKeys: ['shop.admin'] }] });

/** The grant of a project as it is read. */
export const projectGrantAnswer = answerFrom(
  z.object({
    grantId: idSchema,
    details: detailsOfRecord,
    projectId: idSchema,
    projectName: z.string(),
    projectOwnerId: idSchema,
    projectOwnerName: z.string(),
    grantedOrgId: idSchema,
    grantedOrgName: z.string(),
    state: stateAnswer('PROJECT_GRANT'),
    ...shown({ grantedRoleKeys: z.array(z.string()).readonly() }),
  }),
  ({ id, orgId, orgName, roleKeys, ...grant }: ProjectGrant) => ({
    ...grant,
    grantId: id,
    projectOwnerId: orgId,
    projectOwnerName: orgName,
    grantedRoleKeys: roleKeys,
  }),
);

/** Answer of what grants a project. */
export const createdProjectGrantAnswer = answerFrom(
  z.object({ grantId: idSchema, details: detailsOfCreation }),
  ({ id, details }: { readonly id: ProjectGrantId; readonly details: ResourceDetails }) => ({
    grantId: id,
    details,
  }),
);
