import { Body, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { applicationNotFound } from '../../domain/applications/application.js';
import { PreviewClaims } from '../../domain/claims-preview/preview-claims.js';
import { projectNotFound } from '../../domain/projects/project-not-found.js';
import type { ApplicationId, ProjectId, UserId } from '../../domain/shared/ids.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { Operation } from '../shared/operation.js';
import { PathId } from '../shared/path-id.js';
import { claimsPreviewAnswer, claimsPreviewBody } from './claims-preview.schemas.js';

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
    @Param('projectId', new PathId(projectNotFound)) projectId: ProjectId,
    @Param('appId', new PathId(applicationNotFound)) id: ApplicationId,
    @Body({ schema: claimsPreviewBody }) { userId, scope }: z.output<typeof claimsPreviewBody>,
  ) {
    const place = { orgId: call.orgId, projectId, id };
    return await this.claims.preview(place, { userId: userId as UserId, scope }, call.acting);
  }
}
