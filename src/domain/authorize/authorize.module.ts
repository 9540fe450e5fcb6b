import { Module } from '@nestjs/common';
import { FetchedKeysModule } from '../applications/keys/fetched-keys.module.js';
import { ConsentsModule } from '../consents/consents.module.js';
import { FactorsModule } from '../factors/factors.module.js';
import { IdentityProvidersModule } from '../identity-providers/identity-providers.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { SigningKeysModule } from '../signing-keys/signing-keys.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { VerificationModule } from '../users/verification/verification.module.js';
import { AdmitUser } from './answer/admit-user.js';
import { AnswerRequest } from './answer/answer-request.js';
import { AskConsent } from './answer/ask-consent.js';
import { CreateAuthorization } from './answer/create-authorization.js';
import { FinishAnswer } from './answer/finish-answer.js';
import { BeginAuthorization } from './begin-authorization.js';
import { BeginDeviceFlow } from './flow/begin-device-flow.js';
import { BeginFlow } from './flow/begin-flow.js';
import { ChooseAccount } from './flow/choose-account.js';
import { ContinueFlow } from './flow/continue-flow.js';
import { DecideFlow } from './flow/decide-flow.js';
import { DecideRequest } from './flow/decide-request.js';
import { EnterByPassword } from './flow/enter-by-password.js';
import { FindFlow } from './flow/find-flow.js';
import { PushedFlows } from './flow/pushed-flows.js';
import { RefuseFlow } from './flow/refuse-flow.js';
import { RestartFlow } from './flow/restart-flow.js';
import { ShowConsent } from './flow/show-consent.js';
import { VerifyEmailInFlow } from './flow/verify-email-in-flow.js';
import { ReadIdTokenHint } from './request/id-token-hint.js';
import { PublishedRequests } from './request/published-requests.js';
import { ReadPushedRequest } from './request/read-pushed-request.js';
import { ReadRequest } from './request/read-request.js';
import { RecordMissedSettings } from './request/record-missed-settings.js';
import { OpenRequestObject } from './request/request-object.js';
import { VerifyClient } from './request/verify-client.js';
import { AdmitSetUp } from './second-factor/admit-set-up.js';
import { EvaluateFactor } from './second-factor/evaluate-factor.js';
import { PostponeFactor } from './second-factor/postpone-factor.js';
import { SetUpFactor } from './second-factor/set-up-factor.js';
import { ShowFactor } from './second-factor/show-factor.js';
import { ReadSignOutRequest } from './sign-out/read-sign-out-request.js';
import { SignOut } from './sign-out/sign-out.js';

const useCases = [
  ReadIdTokenHint,
  AdmitUser,
  CreateAuthorization,
  FinishAnswer,
  AskConsent,
  AnswerRequest,
  RecordMissedSettings,
  OpenRequestObject,
  PublishedRequests,
  PushedFlows,
  VerifyClient,
  ReadRequest,
  ReadPushedRequest,
  BeginFlow,
  DecideRequest,
  BeginDeviceFlow,
  BeginAuthorization,
  FindFlow,
  RestartFlow,
  DecideFlow,
  ContinueFlow,
  EnterByPassword,
  ChooseAccount,
  ShowConsent,
  RefuseFlow,
  EvaluateFactor,
  AdmitSetUp,
  SetUpFactor,
  PostponeFactor,
  VerifyEmailInFlow,
  ShowFactor,
  ReadSignOutRequest,
  SignOut,
];

/** The authorization request, from its first check to its answer; and signing out. */
@Module({
  imports: [
    ConsentsModule,
    FactorsModule,
    FetchedKeysModule,
    IdentityProvidersModule,
    PasskeysModule,
    SessionsModule,
    SignInModule,
    SigningKeysModule,
    StatisticsModule,
    TokensModule,
    VerificationModule,
  ],
  providers: useCases,
  exports: useCases,
})
export class AuthorizeModule {}
