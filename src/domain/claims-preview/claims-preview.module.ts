import { Module } from '@nestjs/common';
import { GrantsModule } from '../grants/grants.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { ExplainTokens } from './explain-tokens.js';
import { PreviewClaims } from './preview-claims.js';
import { PreviewedApplications } from './previewed-applications.js';
import { PreviewedSubjects } from './previewed-subjects.js';

/** What tokens would say, without any. */
@Module({
  imports: [GrantsModule, PermissionsModule, TokensModule],
  providers: [ExplainTokens, PreviewClaims, PreviewedApplications, PreviewedSubjects],
  exports: [PreviewClaims],
})
export class ClaimsPreviewModule {}
