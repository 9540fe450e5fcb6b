import { HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { ManageOrganizations } from '../../domain/organizations/manage-organizations.js';
import { OrganizationsStore } from '../../domain/organizations/organizations.store.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { createdDetailsSchema, idSchema, listSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { createdDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageQuery, readNamedSearch, type ListResponse } from '../shared/lists.js';
import {
  organizationResponse,
  organizationSchema,
  readNewOrganization,
  type OrganizationResponse,
} from '../shared/organization-body.js';
import { RequiresPermission } from '../shared/permission.guard.js';

/** All organizations of the instance, whichever the call acts in. */
@ApiController('admin/v1/orgs')
export class AdminOrganizationsController {
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

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('iam.read')
  @Documented({
    summary: 'Search all organizations',
    body: readNamedSearch,
    answer: listSchema(organizationSchema),
  })
  async list(@Call() { body }: ApiCall): Promise<ListResponse<OrganizationResponse>> {
    const query = pageQuery(readNamedSearch(body ?? {}));
    return listResponse(await this.records.list(query), organizationResponse);
  }
}
