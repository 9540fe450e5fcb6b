import { Body, Delete, Get, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ManageOrganizations } from '../../domain/organizations/manage-organizations.js';
import { ReadOrganizations } from '../../domain/organizations/read-organizations.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import {
  createdOrganizationAnswer,
  newOrganizationBody,
  organizationAnswer,
  organizationBody,
} from '../shared/schemas/organization.schemas.js';

const write = 'org.write';

/** The organization that the call acts in, and new ones beside it. */
@ApiController('management/v1/orgs')
export class OrganizationsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly records: ReadOrganizations,
    private readonly organizations: ManageOrganizations,
  ) {}

  @Post()
  @Operation({
    summary: 'Add an organization',
    description: 'Without a domain it gets its name, made fit, below the host of this service.',
    permission: 'org.create',
    answer: createdOrganizationAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @Body({ schema: newOrganizationBody }) body: z.output<typeof newOrganizationBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.write(call, (tx) => this.organizations.add(tx, body, call.caller));
  }

  @Get('me')
  @Operation({
    summary: 'Get the organization',
    permission: 'org.read',
    answer: z.object({ org: organizationAnswer }),
  })
  async find(@ActingOrg() orgId: OrgId) {
    return { org: await this.records.find(orgId) };
  }

  @Put('me')
  @Operation({ summary: 'Rename the organization', permission: write, ifMatch: true, answer: changeAnswer })
  async rename(
    @Call() call: ApiCall,
    @Body({ schema: organizationBody }) { name }: z.output<typeof organizationBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.change(call, (tx) =>
      this.organizations.rename(tx, call.orgId, name, call.caller),
    );
  }

  @Post('me/_deactivate')
  @Operation({
    summary: 'Put the organization to rest',
    description:
      'Nobody and nothing of it can sign in or use a token meanwhile: only an owner of the instance can wake it. Where one is its ' +
      'user, nobody else puts it to rest (400).',
    permission: write,
    stepUp: 'always',
    answer: changeAnswer,
  })
  async deactivate(@Call() call: ApiCall): Promise<WireAnswer> {
    return await this.change('deactivate', call);
  }

  @Post('me/_reactivate')
  @Operation({ summary: 'Wake the organization', permission: write, answer: changeAnswer })
  async reactivate(@Call() call: ApiCall): Promise<WireAnswer> {
    return await this.change('reactivate', call);
  }

  @Delete('me')
  @Operation({
    summary: 'Remove the organization',
    description: 'For good, with all that it owns.',
    permission: 'org.delete',
    answer: changeAnswer,
  })
  async remove(@Call() call: ApiCall): Promise<WireAnswer> {
    return await this.change('remove', call);
  }

  private async change(change: 'deactivate' | 'reactivate' | 'remove', call: ApiCall): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) =>
      this.organizations[change](tx, call.orgId, call.caller),
    );
  }
}
