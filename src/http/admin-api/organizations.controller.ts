import { Body, Post } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ManageOrganizations } from '../../domain/organizations/manage-organizations.js';
import { ReadOrganizations } from '../../domain/organizations/read-organizations.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { listAnswer, pageQuery } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import {
  createdOrganizationAnswer,
  newOrganizationBody,
  organizationAnswer,
  organizationSearchBody,
} from '../shared/schemas/organization.schemas.js';

/** All organizations of the instance, whichever the call acts in. */
@ApiController('admin/v1/orgs')
export class AdminOrganizationsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly records: ReadOrganizations,
    private readonly organizations: ManageOrganizations,
  ) {}

  @Post()
  @Operation({
    summary: 'Add an organization',
    permission: 'org.create',
    answer: createdOrganizationAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @Body({ schema: newOrganizationBody }) body: z.output<typeof newOrganizationBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.write(call, (tx) => this.organizations.add(tx, body, call.caller));
  }

  @Post('_search')
  @Operation({
    summary: 'Search all organizations',
    permission: 'iam.read',
    answer: listAnswer(organizationAnswer),
  })
  async list(@Body({ schema: organizationSearchBody }) search: z.output<typeof organizationSearchBody>) {
    return await this.records.list(pageQuery(search));
  }
}
