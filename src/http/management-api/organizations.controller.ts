import { Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import {
  ManageOrganizations,
  organizationNotFound,
} from '../../domain/organizations/manage-organizations.js';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { changedSchema, createdDetailsSchema, idSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, createdDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import {
  organizationResponse,
  organizationSchema,
  readNewOrganization,
  readOrganization,
  type OrganizationResponse,
} from '../shared/organization-body.js';
import { RequiresPermission } from '../shared/permission.guard.js';

/** The organization that the call acts in, and new ones beside it. */
@ApiController('management/v1/orgs')
export class OrganizationsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly records: OrganizationsStore,
    private readonly organizations: ManageOrganizations,
  ) {}

  @Post()
  @HttpCode(200)
  @RequiresPermission('org.create')
  @Documented({
    summary: 'Add an organization',
    description: 'Without a domain it gets its name, made fit, below the host of this service.',
    body: readNewOrganization,
    answer: z.strictObject({ id: idSchema, details: createdDetailsSchema }),
  })
  async add(@Call() call: ApiCall): Promise<{ id: OrgId; details: DetailsResponse }> {
    const { name, domain: primaryDomain } = readNewOrganization(call.body);
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const { id, details } = await this.organizations.add(tx, { name, primaryDomain }, call.caller);
      return { id, details: createdDetails(details) };
    });
  }

  @Get('me')
  @RequiresPermission('org.read')
  @Documented({ summary: 'Get the organization', answer: z.strictObject({ org: organizationSchema }) })
  async find(@ActingOrg() orgId: OrgId): Promise<{ org: OrganizationResponse }> {
    const found = await this.records.find(orgId);
    if (found === undefined) throw organizationNotFound();
    return { org: organizationResponse(found) };
  }

  @Put('me')
  @RequiresPermission('org.write')
  @Documented({ summary: 'Rename the organization', body: readOrganization, answer: changedSchema })
  async rename(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    const { name } = readOrganization(call.body);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.organizations.rename(tx, call.orgId, name, call.caller)),
    }));
  }

  @Post('me/_deactivate')
  @HttpCode(200)
  @RequiresPermission('org.write')
  @Documented({
    summary: 'Put the organization to rest',
    description: 'Nobody and nothing of it can sign in or use a token meanwhile.',
    answer: changedSchema,
  })
  async deactivate(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    return await this.change('deactivate', call);
  }

  @Post('me/_reactivate')
  @HttpCode(200)
  @RequiresPermission('org.write')
  @Documented({ summary: 'Wake the organization', answer: changedSchema })
  async reactivate(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    return await this.change('reactivate', call);
  }

  @Delete('me')
  @RequiresPermission('org.delete')
  @Documented({
    summary: 'Remove the organization',
    description: 'For good, with all that it owns.',
    answer: changedSchema,
  })
  async remove(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    return await this.change('remove', call);
  }

  private async change(
    change: 'deactivate' | 'reactivate' | 'remove',
    call: ApiCall,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.organizations[change](tx, call.orgId, call.caller)),
    }));
  }
}
