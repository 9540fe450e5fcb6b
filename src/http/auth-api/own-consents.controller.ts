import { Delete, Get, Param } from '@nestjs/common';
import { z } from 'zod';
import type { ConsentRecord } from '../../domain/consents/consents.store.js';
import { consentNotFound, ManageConsents } from '../../domain/consents/manage-consents.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import type { ApplicationId } from '../../domain/shared/ids.js';
import { changedSchema, idSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { checkBody } from '../shared/body.pipe.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { changedDetails, readDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { nothingBody } from '../shared/lists.js';
import { PathId } from '../shared/path-id.js';
import { SelfController } from '../shared/self-controller.js';
import { AsksFor } from '../shared/self.guard.js';

const APPLICATION_ID = new PathId(consentNotFound);

const consentSchema = z.strictObject({
  applicationId: idSchema,
  clientId: idSchema,
  applicationName: z.string(),
  organizationId: idSchema.meta({ description: 'Of the application.' }),
  organizationName: z.string(),
  managementAccess: z.enum(['organization', 'instance']),
  details: readDetailsSchema,
});
const consentsSchema = z.strictObject({ result: z.array(consentSchema) });

export interface ConsentResponse {
  readonly applicationId: string;
  readonly clientId: string;
  readonly applicationName: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly managementAccess: 'organization' | 'instance';
  readonly details: DetailsResponse;
}

/** The applications that the caller lets act on the service's own APIs, and taking that back. */
@SelfController('auth/v1/users/me/consents')
export class OwnConsentsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly consents: ManageConsents,
  ) {}

  @Get()
  @AsksFor('read')
  @Documented({
    summary: 'List the own consents',
    description: 'Applications that may act for the caller on the APIs of the service, and how far.',
    answer: consentsSchema,
  })
  async list(@CallerParam() { orgId, userId }: Caller): Promise<{ result: readonly ConsentResponse[] }> {
    return { result: (await this.consents.listOfUser(orgId, userId)).map(consentResponse) };
  }

  @Delete()
  @AsksFor('write')
  @Documented({
    summary: 'Withdraw all own consents',
    description:
      'Codes, access and refresh tokens that came of them end at once, those of the call among them. What ' +
      'applications hold for other APIs stays, and so do the sessions. Done again it answers the same.',
    answer: changedSchema.partial(),
  })
  async withdrawAll(@Call() call: ApiCall): Promise<{ details?: DetailsResponse }> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const [details] = await this.consents.withdraw(tx, { orgId: call.orgId, userId: call.caller });
      return details === undefined ? {} : { details: changedDetails(details) };
    });
  }

  @Delete(':application')
  @AsksFor('write')
  @Documented({
    summary: 'Withdraw an own consent',
    description:
      'By the id of the application. Codes, access and refresh tokens that came of it end at once.',
    answer: changedSchema,
  })
  async withdraw(
    @Call() call: ApiCall,
    @Param('application', APPLICATION_ID) application: string,
  ): Promise<{ details: DetailsResponse }> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const user = { orgId: call.orgId, userId: call.caller };
      const [details] = await this.consents.withdraw(tx, user, application as ApplicationId);
      if (details === undefined) throw consentNotFound();
      return { details: changedDetails(details) };
    });
  }
}

function consentResponse({ application, access, details }: ConsentRecord): ConsentResponse {
  return {
    applicationId: application.id,
    clientId: application.clientId,
    applicationName: application.name,
    organizationId: application.orgId,
    organizationName: application.orgName,
    managementAccess: access,
    details: readDetails(details),
  };
}
