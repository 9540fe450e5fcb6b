import { Delete, Post } from '@nestjs/common';
import { z } from 'zod';
import {
  RegistrationTokens,
  type ReplacedRegistrationToken,
} from '../../domain/client-registration/configuration/registration-tokens.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import type { ApplicationId, ProjectId } from '../../domain/shared/ids.js';
import { answerFrom, changeAnswer, detailsOfChange } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { App } from './applications.controller.js';
import { Project } from './projects.controller.js';

const replacedAnswer = answerFrom(
  z.object({
    details: detailsOfChange,
    registrationAccessToken: z.string().meta({ description: 'Shown this once.' }),
  }),
  (replaced: ReplacedRegistrationToken) => replaced,
);

/** By what an application that registered itself changes that, for those who look after it (docs/client-registration.md). */
@ApiController('management/v1/projects/:projectId/apps/:appId')
export class RegistrationTokenController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly tokens: RegistrationTokens,
  ) {}

  @Post('_generate_registration_token')
  @Operation({
    summary: 'Make a new registration access token for an application',
    description:
      'The old one stops at once; the new one is shown this once. Only for an application that registered itself.',
    permission: 'project.app.write',
    stepUp: 'always',
    answer: replacedAnswer,
  })
  async replace(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const place = { orgId: call.orgId, projectId, id };
    return await this.idempotentRequests.write(call, (tx) => this.tokens.replace(tx, place, call.acting));
  }

  @Delete('registration_token')
  @Operation({
    summary: 'End the registration access token of an application',
    description: 'It stops at once. The application stays, and changes itself no longer.',
    permission: 'project.app.write',
    answer: changeAnswer,
  })
  async end(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
  ): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    const place = { orgId: call.orgId, projectId, id };
    return await this.idempotentRequests.change(call, (tx) => this.tokens.end(tx, place, call.acting));
  }
}
