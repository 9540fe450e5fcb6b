import { Module } from '@nestjs/common';
import { DpopModule } from '../../domain/dpop/dpop.module.js';
import { EventsModule } from '../../domain/events/events.module.js';
import { IdempotencyModule } from '../../domain/idempotency/idempotency.module.js';
import { ImportsModule } from '../../domain/imports/imports.module.js';
import { PermissionsModule } from '../../domain/permissions/permissions.module.js';
import { PoliciesModule } from '../../domain/policies/policies.module.js';
import { SessionsModule } from '../../domain/sessions/sessions.module.js';
import { SignInModule } from '../../domain/sign-in/sign-in.module.js';
import { TokensModule } from '../../domain/tokens/tokens.module.js';
import { AddressLimits } from './address-limits.js';
import { ApiTokens } from './api-tokens.js';
import { AuthorizationResponses } from './authorization-responses.js';
import { CallerLimits } from './caller-limits.js';
import { ClientCertificates } from './client-certificates.js';
import { Csrf } from './csrf.js';
import { DashboardAccess } from './dashboard-access.js';
import { DpopHeaders } from './dpop-headers.js';
import { DuplicateUploads } from './duplicate-uploads.js';
import { ErrorPages } from './error-pages.js';
import { FlowReplies } from './flow-replies.js';
import { PageLanguage } from './page-language.js';
import { Pages } from './pages.js';
import { OrganizationRules } from './password-rules.js';
import { ReceiveUpload } from './receive-upload.js';
import { RecheckPermission } from './recheck-permission.js';
import { RequestSlots } from './request-slots.js';
import { RequestUserAgent } from './request-user-agent.js';
import { SearchEvents } from './search-events.js';
import { SsoCookie } from './sso-cookie.js';
import { StateCookie } from './state-cookie.js';
import { StepUpRules } from './step-up-rules.js';
import { TokenRules } from './token-rules.js';

const shared = [
  AddressLimits,
  ApiTokens,
  ClientCertificates,
  DpopHeaders,
  SsoCookie,
  RequestUserAgent,
  StateCookie,
  AuthorizationResponses,
  CallerLimits,
  Csrf,
  DashboardAccess,
  ErrorPages,
  FlowReplies,
  RecheckPermission,
  OrganizationRules,
  PageLanguage,
  Pages,
  ReceiveUpload,
  RequestSlots,
  SearchEvents,
  DuplicateUploads,
  StepUpRules,
  TokenRules,
];

/** What several surfaces need; it knows none of them. Of the domain it hands on what every guard asks for. */
@Module({
  imports: [
    DpopModule,
    EventsModule,
    IdempotencyModule,
    ImportsModule,
    PermissionsModule,
    PoliciesModule,
    SessionsModule,
    SignInModule,
    TokensModule,
  ],
  providers: shared,
  exports: [...shared, DpopModule, IdempotencyModule, PermissionsModule, TokensModule],
})
export class HttpSharedModule {}
