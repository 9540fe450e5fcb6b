import { Delete, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import {
  domainNotFound,
  ManageDomains,
  proofOf,
  type DomainProof,
} from '../../domain/organizations/manage-domains.js';
import {
  OrganizationDomainsStore,
  type OrganizationDomain,
} from '../../domain/organizations/organization-domains.store.js';
import {
  changedSchema,
  createdDetailsSchema,
  listSchema,
  readDetailsSchema,
} from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import {
  changedDetails,
  createdDetails,
  readDetails,
  type DetailsResponse,
} from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageQuery, readNamedSearch, type ListResponse } from '../shared/lists.js';
import { readDomain } from '../shared/organization-body.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';

const DOMAIN = new PathId(domainNotFound);

export interface DomainResponse {
  readonly details: DetailsResponse;
  readonly domainName: string;
  readonly isVerified?: true;
  readonly isPrimary?: true;
  /** The TXT record to publish, as long as the domain is not verified. */
  readonly dnsRecord?: DomainProof;
}

const proofSchema = z.strictObject({ name: z.string(), value: z.string() });
const domainSchema = z.strictObject({
  details: readDetailsSchema,
  domainName: z.string(),
  isVerified: z.boolean().optional(),
  isPrimary: z.boolean().optional(),
  dnsRecord: proofSchema.optional(),
});

/** Domains of the organization that the call acts in; login names end with the primary one. */
@ApiController('management/v1/orgs/me/domains')
export class OrganizationDomainsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly domains: OrganizationDomainsStore,
    private readonly manage: ManageDomains,
  ) {}

  @Post()
  @HttpCode(200)
  @RequiresPermission('org.write')
  @Documented({
    summary: 'Add a domain',
    description: 'The TXT record in the answer proves it; an owner of the instance needs none.',
    body: readDomain,
    answer: z.strictObject({ details: createdDetailsSchema, dnsRecord: proofSchema.optional() }),
  })
  async add(@Call() call: ApiCall): Promise<{ details: DetailsResponse; dnsRecord?: DomainProof }> {
    const { domain } = readDomain(call.body);
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const { details, proof } = await this.manage.add(tx, call.orgId, domain, call.acting);
      return { details: createdDetails(details), ...(proof !== undefined && { dnsRecord: proof }) };
    });
  }

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('org.read')
  @Documented({
    summary: 'Search the domains of the organization',
    body: readNamedSearch,
    answer: listSchema(domainSchema),
  })
  async list(@Call() { orgId, body }: ApiCall): Promise<ListResponse<DomainResponse>> {
    const query = pageQuery(readNamedSearch(body ?? {}));
    return listResponse(await this.domains.list(orgId, query), domainResponse);
  }

  @Delete(':domain')
  @RequiresPermission('org.write')
  @Documented({ summary: 'Remove a domain', answer: changedSchema })
  async remove(
    @Call() call: ApiCall,
    @Param('domain', DOMAIN) domain: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage.remove(tx, call.orgId, domain, call.caller)),
    }));
  }

  @Post(':domain/_validate')
  @HttpCode(200)
  @RequiresPermission('org.write')
  @Documented({ summary: 'Verify a domain by its TXT record', answer: changedSchema })
  async validate(
    @Call() call: ApiCall,
    @Param('domain', DOMAIN) domain: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => {
      const token = await this.manage.requireProof(call.orgId, domain);
      return async (tx) => ({
        details: changedDetails(await this.manage.verify(tx, call.orgId, domain, token, call.caller)),
      });
    });
  }

  @Post(':domain/_set_primary')
  @HttpCode(200)
  @RequiresPermission('org.write')
  @Documented({
    summary: 'Make a domain the primary one',
    description: 'Login names end with it from then on.',
    answer: changedSchema,
  })
  async makePrimary(
    @Call() call: ApiCall,
    @Param('domain', DOMAIN) domain: string,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.manage.makePrimary(tx, call.orgId, domain, call.caller)),
    }));
  }
}

function domainResponse({ domain, verified, primary, token, details }: OrganizationDomain): DomainResponse {
  return {
    details: readDetails(details),
    domainName: domain,
    ...(verified && { isVerified: true }),
    ...(primary && { isPrimary: true }),
    ...(token !== undefined && { dnsRecord: proofOf(domain, token) }),
  };
}
