import { z } from 'zod';
import type { ConsentRecord } from '../../domain/consents/consents.store.js';
import { MANAGEMENT_ACCESS } from '../../domain/permissions/management-access.js';
import { answerFrom, detailsOfChange, detailsOfRecord } from '../shared/answers.js';
import { idSchema } from '../shared/schemas/answer-schemas.js';

const consentAnswer = answerFrom(
  z.object({
    applicationId: idSchema,
    clientId: idSchema,
    applicationName: z.string(),
    organizationId: idSchema.meta({ description: 'Of the application.' }),
    organizationName: z.string(),
    managementAccess: z.enum(MANAGEMENT_ACCESS).meta({
      description: '`none`: it signs its user in, and does nothing here.',
    }),
    details: detailsOfRecord,
  }),
  ({ application, access, details }: ConsentRecord) => ({
    applicationId: application.id,
    clientId: application.clientId,
    applicationName: application.name,
    organizationId: application.orgId,
    organizationName: application.orgName,
    managementAccess: access,
    details,
  }),
);

export const consentsAnswer = z.object({ result: z.array(consentAnswer).readonly() });

/** The answer of withdrawing all there are, which may be none. */
export const withdrawnConsentsAnswer = z.object({ details: detailsOfChange.optional() });
