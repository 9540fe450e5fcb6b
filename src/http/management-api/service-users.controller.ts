import { Delete, HttpCode, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { ChangeServiceUser } from '../../domain/service-users/change-service-user.js';
import { CreateServiceUser } from '../../domain/service-users/create-service-user.js';
import type { ServiceUserChange } from '../../domain/service-users/find-service-user.js';
import { ServiceUserSecrets } from '../../domain/service-users/service-user-secrets.js';
import type { UserId } from '../../domain/shared/ids.js';
import { userNotFound } from '../../domain/users/find-user.js';
import {
  changedDetailsSchema,
  changedSchema,
  createdDetailsSchema,
  idSchema,
} from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { changedDetails, createdDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import {
  readNewServiceUser,
  readNothing,
  readServiceUser,
  settingsOf,
} from '../shared/service-user-bodies.js';

export const USER_ID = new PathId(userNotFound);

export interface CreatedServiceUserResponse {
  readonly userId: string;
  readonly details: DetailsResponse;
}

export interface ChangedServiceUserResponse {
  readonly details: DetailsResponse;
}

export interface MadeSecretResponse {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly details: DetailsResponse;
}

/** Whom a call changes, and who makes it. */
export function changeOf({ orgId, acting }: ApiCall, userId: string): ServiceUserChange {
  return { orgId, userId: userId as UserId, ...acting };
}

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
  @HttpCode(200)
  @RequiresPermission('user.write')
  @Documented({
    summary: 'Create a service user',
    body: readNewServiceUser,
    answer: z.strictObject({ userId: idSchema, details: createdDetailsSchema }),
  })
  async add(@Call() call: ApiCall): Promise<CreatedServiceUserResponse> {
    const { userName, userId, ...settings } = readNewServiceUser(call.body);
    const names = { orgId: call.orgId, userName, userId: userId as UserId | undefined };
    const plan = { ...names, ...settingsOf(settings) };
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const { id, details } = await this.createServiceUser.execute(tx, plan, call.caller);
      return { userId: id, details: createdDetails(details) };
    });
  }

  @Put('users/:id/machine')
  @RequiresPermission('user.write')
  @Documented({ summary: 'Change a service user', body: readServiceUser, answer: changedSchema })
  async change(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<ChangedServiceUserResponse> {
    const settings = settingsOf(readServiceUser(call.body));
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const details = await this.changeServiceUser.execute(tx, changeOf(call, id), settings);
      return { details: changedDetails(details) };
    });
  }

  @Put('users/:id/secret')
  @RequiresPermission('user.write')
  @Documented({
    summary: 'Make the secret of a service user',
    description: 'For the client credentials grant; the one before stops at once. It is shown this once.',
    answer: z.strictObject({ clientId: z.string(), clientSecret: z.string(), details: changedDetailsSchema }),
  })
  async makeSecret(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<MadeSecretResponse> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      const { details, ...made } = await this.secrets.make(tx, changeOf(call, id));
      return { ...made, details: changedDetails(details) };
    });
  }

  @Delete('users/:id/secret')
  @RequiresPermission('user.write')
  @Documented({
    summary: 'Remove the secret of a service user',
    description: 'The tokens of the user end at once.',
    answer: changedSchema,
  })
  async removeSecret(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
  ): Promise<ChangedServiceUserResponse> {
    readNothing(call.body ?? {});
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      return { details: changedDetails(await this.secrets.remove(tx, changeOf(call, id))) };
    });
  }
}
