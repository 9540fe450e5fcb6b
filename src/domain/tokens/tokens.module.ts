import { Module } from '@nestjs/common';
import { ClaimsWebhookModule } from '../claims-webhook/claims-webhook.module.js';
import { SigningKeysModule } from '../signing-keys/signing-keys.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { CheckAccessToken } from './check-access-token.js';
import { CheckIdToken } from './check-id-token.js';
import { IssueTokens } from './issue-tokens.js';
import { MintAccessToken } from './mint-access-token.js';
import { PairwiseNames } from './pairwise-names.js';
import { ProjectAudience } from './project-audience.js';
import { ProjectChecks } from './project-checks.js';
import { RequestedAudience } from './requested-audience.js';
import { ResourceIndicators } from './resource-indicators.js';
import { RoleAndMetadataClaims } from './role-and-metadata-claims.js';
import { SignAnswer } from './sign-answer.js';
import { SignJwt } from './sign-jwt.js';
import { TokenClaims } from './token-claims.js';
import { UserinfoClaims } from './userinfo-claims.js';

const useCases = [
  PairwiseNames,
  SignJwt,
  SignAnswer,
  RoleAndMetadataClaims,
  TokenClaims,
  UserinfoClaims,
  MintAccessToken,
  IssueTokens,
  CheckAccessToken,
  CheckIdToken,
  ProjectAudience,
  ProjectChecks,
  RequestedAudience,
  ResourceIndicators,
];

/** Tokens issued and checked. */
@Module({
  imports: [ClaimsWebhookModule, SigningKeysModule, StatisticsModule],
  providers: useCases,
  exports: useCases,
})
export class TokensModule {}
