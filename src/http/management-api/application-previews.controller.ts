import { Body, Post } from '@nestjs/common';
import { z } from 'zod';
import { PreviewClaims } from '../../domain/claims-preview/preview-claims.js';
import type { ApplicationId, ProjectId, UserId } from '../../domain/shared/ids.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { Operation } from '../shared/operation.js';
import { App } from './applications.controller.js';
import { claimsPreviewAnswer, claimsPreviewBody } from './claims-preview.schemas.js';
import { Project } from './projects.controller.js';

/** What the tokens of an application would say about a user. */
@ApiController('management/v1/projects/:projectId/apps')
export class ApplicationPreviewsController {
  constructor(private readonly claims: PreviewClaims) {}

  @Post(':appId/_preview')
  @Operation({
    summary: 'Preview the claims of a user',
    description:
      'What ID token, JWT access token, userinfo and introspection would say after an authorization code flow, each claim ' +
      'with why. Nothing is issued. Needs user.read as well. Docs: applications.md.',
    permission: 'project.app.read',
    answer: claimsPreviewAnswer,
  })
  async preview(
    @Call() call: ApiCall,
    @Project() projectId: ProjectId,
    @App() id: ApplicationId,
    @Body({ schema: claimsPreviewBody }) { userId, scope }: z.output<typeof claimsPreviewBody>,
  ) {
    const place = { orgId: call.orgId, projectId, id };
    return await this.claims.preview(place, { userId: userId as UserId, scope }, call.acting);
  }
}
