import { z } from 'zod';
import type { ProjectGrant } from '../../domain/project-grants/project-grants.store.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { OrgId, ProjectGrantId } from '../../domain/shared/ids.js';
import { idSchema } from './answer-schemas.js';
import { answerFrom, detailsOfCreation, detailsOfRecord, shown } from './answers.js';
import { idField } from './id-field.js';
import { roleKeysField } from './project-role.schemas.js';

/** Body of `POST …/grants`. */
export const newProjectGrantBody = z
  .strictObject({ grantedOrgId: idField<OrgId>(), roleKeys: roleKeysField })
  .meta({ examples: [{ grantedOrgId: '327465982374658002', roleKeys: ['shop.admin'] }] });

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
