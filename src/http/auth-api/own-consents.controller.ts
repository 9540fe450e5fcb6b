import { Delete, Get, Param } from '@nestjs/common';
import { consentNotFound, ManageConsents } from '../../domain/consents/manage-consents.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import type { ApplicationId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { checkBody } from '../shared/body.pipe.js';
import { CallerParam, type Caller } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import { AsksFor } from '../shared/self.guard.js';
import { consentsAnswer, withdrawnConsentsAnswer } from './consent.schemas.js';
import { SelfController } from './self-controller.js';

const Application = () => Param('application', new PathId(consentNotFound));

/** The applications that the caller lets act on the service's own APIs, and taking that back. */
@SelfController('auth/v1/users/me/consents')
export class OwnConsentsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly consents: ManageConsents,
  ) {}

  @Get()
  @AsksFor('read')
  @Operation({
    summary: 'List the own consents',
    description: 'Applications that may act for the caller on the APIs of the service, and how far.',
    answer: consentsAnswer,
  })
  async list(@CallerParam() { orgId, userId }: Caller) {
    return { result: await this.consents.listOfUser(orgId, userId) };
  }

  @Delete()
  @AsksFor('write')
  @Operation({
    summary: 'Withdraw all own consents',
    description:
      'Codes, access and refresh tokens that came of them end at once, those of the call among them. What ' +
      'applications hold for other APIs stays, and so do the sessions. Done again it answers the same.',
    answer: withdrawnConsentsAnswer,
  })
  async withdrawAll(@Call() call: ApiCall): Promise<WireAnswer> {
    return await this.end(call);
  }

  @Delete(':application')
  @AsksFor('write')
  @Operation({
    summary: 'Withdraw an own consent',
    description:
      'By the id of the application. Codes, access and refresh tokens that came of it end at once.',
    answer: changeAnswer,
  })
  async withdraw(@Call() call: ApiCall, @Application() application: ApplicationId): Promise<WireAnswer> {
    return await this.end(call, application);
  }

  private async end(call: ApiCall, only?: ApplicationId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const user = { orgId: call.orgId, userId: call.caller };
    return await this.idempotentRequests.write(call, async (tx) => {
      const [details] = await this.consents.withdraw(tx, user, only);
      return { details };
    });
  }
}
