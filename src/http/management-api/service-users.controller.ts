import { Body, Delete, Post, Put } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { ChangeServiceUser } from '../../domain/service-users/change-service-user.js';
import { CreateServiceUser } from '../../domain/service-users/create-service-user.js';
import { ServiceUserSecrets } from '../../domain/service-users/service-user-secrets.js';
import type { UserId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, userChange, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { createdUserAnswer } from '../shared/schemas/user.schemas.js';
import { madeSecretAnswer, newServiceUserBody, serviceUserBody } from './service-user.schemas.js';
import { User } from './users.controller.js';

const write = 'user.write';

/** Service users, and the secret that one may have. */
@ApiController('management/v1')
export class ServiceUsersController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly createServiceUser: CreateServiceUser,
    private readonly changeServiceUser: ChangeServiceUser,
    private readonly secrets: ServiceUserSecrets,
  ) {}

  @Post('users/machine')
  @Operation({ summary: 'Create a service user', permission: write, answer: createdUserAnswer })
  async add(
    @Call() call: ApiCall,
    @Body({ schema: newServiceUserBody }) body: z.output<typeof newServiceUserBody>,
  ): Promise<WireAnswer> {
    const plan = { orgId: call.orgId, ...body };
    return await this.idempotentRequests.write(call, (tx) =>
      this.createServiceUser.execute(tx, plan, call.caller),
    );
  }

  @Put('users/:id/machine')
  @Operation({ summary: 'Change a service user', permission: write, ifMatch: true, answer: changeAnswer })
  async change(
    @Call() call: ApiCall,
    @User() id: UserId,
    @Body({ schema: serviceUserBody }) settings: z.output<typeof serviceUserBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.change(call, (tx) =>
      this.changeServiceUser.execute(tx, userChange(call, id), settings),
    );
  }

  @Put('users/:id/secret')
  @Operation({
    summary: 'Make the secret of a service user',
    description: 'For the client credentials grant; the one before stops at once. It is shown this once.',
    permission: write,
    stepUp: 'always',
    answer: madeSecretAnswer,
  })
  async makeSecret(@Call() call: ApiCall, @User() id: UserId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.write(call, (tx) => this.secrets.make(tx, userChange(call, id)));
  }

  @Delete('users/:id/secret')
  @Operation({
    summary: 'Remove the secret of a service user',
    description: 'The tokens of the user end at once.',
    permission: write,
    answer: changeAnswer,
  })
  async removeSecret(@Call() call: ApiCall, @User() id: UserId): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) => this.secrets.remove(tx, userChange(call, id)));
  }
}
