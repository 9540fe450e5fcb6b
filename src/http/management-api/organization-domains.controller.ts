import { Body, Delete, Param, Post } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { domainNotFound, ManageDomains } from '../../domain/organizations/manage-domains.js';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { listAnswer, nothingBody, pageQuery } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import {
  addedDomainAnswer,
  domainAnswer,
  domainBody,
  domainSearchBody,
} from '../shared/schemas/organization.schemas.js';

const Domain = () => Param('domain', new PathId(domainNotFound));
const write = 'org.write';

/** Domains of the organization that the call acts in; login names end with the primary one. */
@ApiController('management/v1/orgs/me/domains')
export class OrganizationDomainsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly organizations: OrganizationsStore,
    private readonly domains: ManageDomains,
  ) {}

  @Post()
  @Operation({
    summary: 'Add a domain',
    description: 'The TXT record in the answer proves it; an owner of the instance needs none.',
    permission: write,
    answer: addedDomainAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @Body({ schema: domainBody }) { domain }: z.output<typeof domainBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.write(call, (tx) =>
      this.domains.add(tx, call.orgId, domain, call.acting),
    );
  }

  @Post('_search')
  @Operation({
    summary: 'Search the domains of the organization',
    permission: 'org.read',
    answer: listAnswer(domainAnswer),
  })
  async list(
    @ActingOrg() orgId: OrgId,
    @Body({ schema: domainSearchBody }) search: z.output<typeof domainSearchBody>,
  ) {
    return await this.organizations.listDomains(orgId, pageQuery(search));
  }

  @Delete(':domain')
  @Operation({ summary: 'Remove a domain', permission: write, answer: changeAnswer })
  async remove(@Call() call: ApiCall, @Domain() domain: string): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) =>
      this.domains.remove(tx, call.orgId, domain, call.caller),
    );
  }

  @Post(':domain/_validate')
  @Operation({ summary: 'Verify a domain by its TXT record', permission: write, answer: changeAnswer })
  async validate(@Call() call: ApiCall, @Domain() domain: string): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.changePrepared(call, async () => {
      const token = await this.domains.requireProof(call.orgId, domain);
      return (tx) => this.domains.verify(tx, call.orgId, domain, token, call.caller);
    });
  }

  @Post(':domain/_set_primary')
  @Operation({
    summary: 'Make a domain the primary one',
    description: 'Login names end with it from then on.',
    permission: write,
    answer: changeAnswer,
  })
  async makePrimary(@Call() call: ApiCall, @Domain() domain: string): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) =>
      this.domains.makePrimary(tx, call.orgId, domain, call.caller),
    );
  }
}
