import { Module } from '@nestjs/common';
import { GrantsModule } from '../grants/grants.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { ExplainTokens } from './explain-tokens.js';
import { PreviewClaims } from './preview-claims.js';

/** What tokens would say, without any. */
@Module({
  imports: [GrantsModule, PermissionsModule, TokensModule],
  providers: [ExplainTokens, PreviewClaims],
  exports: [PreviewClaims],
})
export class ClaimsPreviewModule {}
