import { z } from 'zod';
import type { ProjectGrant } from '../../../domain/project-grants/project-grants.store.js';
import type { ResourceDetails } from '../../../domain/shared/details.js';
import type { OrgId, ProjectGrantId } from '../../../domain/shared/ids.js';
import { answerFrom, detailsOfCreation, detailsOfRecord, shown } from '../answers.js';
import { listSearchBody } from '../lists.js';
import { orderedListQuery } from '../pages/page-parameters.js';
import { idSchema } from './answer-schemas.js';
import { idField, optionalIdField } from './id-field.js';
import { domain } from './organization.schemas.js';
import { roleKeysField } from './project-role.schemas.js';
import { stateAnswer, stateFilter } from './state-fields.js';

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

const UNSPECIFIED = { PROJECT_GRANT_FIELD_NAME_UNSPECIFIED: 'createdAt' };
const BY_AGE = { PROJECT_GRANT_FIELD_NAME_CREATION_DATE: 'createdAt' };
const filters = stateFilter('PROJECT_GRANT');

/** Query of `…/grants`: there one is named by the organization that it is for. */
export const projectGrantListQuery = orderedListQuery({
  sortedBy: { ...UNSPECIFIED, PROJECT_GRANT_FIELD_NAME_GRANTED_ORG_NAME: 'name', ...BY_AGE },
  filters,
  isNamed: true,
});

/** Body of `granted_projects/_search`: there one is named by its project. */
export const grantedProjectSearchBody = listSearchBody({
  sortedBy: { ...UNSPECIFIED, PROJECT_GRANT_FIELD_NAME_PROJECT_NAME: 'name', ...BY_AGE },
  filters,
});

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
