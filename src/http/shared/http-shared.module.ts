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
import { ApiTokens } from './api-tokens.js';
import { CallerLimits } from './caller-limits.js';
import { DashboardAccess } from './dashboard-access.js';
import { DpopHeaders } from './dpop-headers.js';
import { DuplicateUploads } from './duplicate-uploads.js';
import { AuthorizationResponses } from './pages/authorization-responses.js';
import { Csrf } from './pages/csrf.js';
import { ErrorPages } from './pages/error-pages.js';
import { FlowReplies } from './pages/flow-replies.js';
import { PageLanguage } from './pages/page-language.js';
import { Pages } from './pages/pages.js';
import { OrganizationRules } from './pages/password-rules.js';
import { RequestUserAgent } from './pages/request-user-agent.js';
import { SsoCookie } from './pages/sso-cookie.js';
import { StateCookie } from './pages/state-cookie.js';
import { ReceiveUpload } from './receive-upload.js';
import { RecheckPermission } from './recheck-permission.js';
import { SearchEvents } from './search-events.js';
import { AddressLimits } from './server/address-limits.js';
import { ClientCertificates } from './server/client-certificates.js';
import { RequestSlots } from './server/request-slots.js';
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
