import { Module } from '@nestjs/common';
import { ClaimsWebhookModule } from '../claims-webhook/claims-webhook.module.js';
import { SigningKeysModule } from '../signing-keys/signing-keys.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { CheckAccessToken } from './access-token/check-access-token.js';
import { MintAccessToken } from './access-token/mint-access-token.js';
import { ProjectAudience } from './audience/project-audience.js';
import { RequestedAudience } from './audience/requested-audience.js';
import { ResourceIndicators } from './audience/resource-indicators.js';
import { CheckIdToken } from './check-id-token.js';
import { PairwiseSubjects } from './claims/pairwise-subjects.js';
import { RoleAndMetadataClaims } from './claims/role-and-metadata-claims.js';
import { TokenClaims } from './claims/token-claims.js';
import { IssueTokens } from './issue-tokens.js';
import { SignAnswer } from './jwt/sign-answer.js';
import { SignJwt } from './jwt/sign-jwt.js';
import { ProjectChecks } from './project-checks.js';
import { UserinfoClaims } from './userinfo-claims.js';

const useCases = [
  PairwiseSubjects,
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
