import { z } from 'zod';
import { domainName } from '../../../domain/organizations/domain-name.js';
import { proofOf, type ManageDomains } from '../../../domain/organizations/manage-domains.js';
import type { OrganizationDomain } from '../../../domain/organizations/organizations.store.js';
import type { ReadOrganization } from '../../../domain/organizations/read-organizations.js';
import { name } from '../../../domain/shared/text-schemas.js';
import { answerFrom, detailsOfCreation, detailsOfRecord, shown, shownFlag } from '../answers.js';
import { listSearchBody } from '../lists.js';
import { idSchema } from './answer-schemas.js';
import { stateAnswer, stateFilter } from './state-fields.js';

export const domain = z.string().transform((given, context): string => {
  const known = domainName(given);
  if (known !== undefined) return known;
  context.addIssue({ code: 'custom', message: 'is not a domain such as example.com' });
  return z.NEVER;
});

/** Body of `POST …/orgs`. */
export const newOrganizationBody = z
  .strictObject({ name: name(), domain: domain.optional() })
  .meta({ examples: [{ name: 'Acme', domain: 'acme.example.com' }] })
  .transform(({ name: called, domain: primaryDomain }) => ({ name: called, primaryDomain }));

/** Body of `PUT …/orgs/me`. */
export const organizationBody = z.strictObject({ name: name() }).meta({ examples: [{ name: 'Acme' }] });

/** Body of `POST …/orgs/me/domains`. */
export const domainBody = z.strictObject({ domain }).meta({ examples: [{ domain: 'acme.example.com' }] });

/** Answer of what makes an organization. */
export const createdOrganizationAnswer = z.object({ id: idSchema, details: detailsOfCreation });

/** An organization as it is read. */
export const organizationAnswer = answerFrom(
  z.object({
    id: idSchema,
    details: detailsOfRecord,
    state: stateAnswer('ORG'),
    name: z.string(),
    primaryDomain: z.string().optional(),
    isOwn: shownFlag('It runs the instance: it cannot be deactivated or removed.'),
  }),
  (organization: ReadOrganization) => ({
    ...organization,
    primaryDomain: organization.primaryDomain || undefined,
  }),
);

/** The TXT record to publish, as long as the domain is not verified. */
const dnsRecord = z.object({ name: z.string(), value: z.string() }).optional();

/** A domain as it is read. */
export const domainAnswer = answerFrom(
  z.object({
    details: detailsOfRecord,
    domainName: z.string(),
    ...shown({ isVerified: z.boolean(), isPrimary: z.boolean() }),
    dnsRecord,
  }),
  ({ domain: called, verified, primary, token, details }: OrganizationDomain) => ({
    details,
    domainName: called,
    isVerified: verified,
    isPrimary: primary,
    dnsRecord: token === undefined ? undefined : proofOf(called, token),
  }),
);

/** Answer of what adds a domain. */
export const addedDomainAnswer = answerFrom(
  z.object({ details: detailsOfCreation, dnsRecord }),
  ({ details, proof }: Awaited<ReturnType<ManageDomains['add']>>) => ({ details, dnsRecord: proof }),
);

/** Body of `domains/_search`. */
export const domainSearchBody = listSearchBody({
  sortedBy: {
    ORG_DOMAIN_FIELD_NAME_UNSPECIFIED: 'createdAt',
    ORG_DOMAIN_FIELD_NAME_NAME: 'name',
    ORG_DOMAIN_FIELD_NAME_CREATION_DATE: 'createdAt',
  },
});

/** Body of `orgs/_search`. */
export const organizationSearchBody = listSearchBody({
  sortedBy: {
    ORG_FIELD_NAME_UNSPECIFIED: 'createdAt',
    ORG_FIELD_NAME_NAME: 'name',
    ORG_FIELD_NAME_CREATION_DATE: 'createdAt',
  },
  filters: stateFilter('ORG'),
});
