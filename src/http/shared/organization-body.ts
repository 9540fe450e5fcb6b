import { z } from 'zod';
import { domainName } from '../../domain/organizations/domain-name.js';
import type { OrganizationRecord } from '../../domain/organizations/organizations.store.js';
import { idSchema, readDetailsSchema } from './answer-schemas.js';
import { bodyReader, name } from './api-fields.js';
import { readDetails, type DetailsResponse } from './details-response.js';

const domain = z
  .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a string') })
  .transform((given, context): string => {
    const name = domainName(given);
    if (name !== undefined) return name;
    context.addIssue({ code: 'custom', message: 'is not a domain such as example.com' });
    return z.NEVER;
  });

export const readNewOrganization = bodyReader({ name: name(), domain: domain.optional() });
export const readOrganization = bodyReader({ name: name() });
export const readDomain = bodyReader({ domain });

export const organizationSchema = z.strictObject({
  id: idSchema,
  details: readDetailsSchema,
  state: z.enum(['ORG_STATE_ACTIVE', 'ORG_STATE_INACTIVE']),
  name: z.string(),
  primaryDomain: z.string().optional(),
});

export interface OrganizationResponse {
  readonly id: string;
  readonly details: DetailsResponse;
  readonly state: string;
  readonly name: string;
  readonly primaryDomain?: string;
}

export function organizationResponse({
  id,
  details,
  state,
  name,
  primaryDomain,
}: OrganizationRecord): OrganizationResponse {
  return {
    id,
    details: readDetails(details),
    state: state === 'active' ? 'ORG_STATE_ACTIVE' : 'ORG_STATE_INACTIVE',
    name,
    ...(primaryDomain !== '' && { primaryDomain }),
  };
}
