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
import { AdmitUser } from './admit-user.js';
import { AnswerRequest } from './answer-request.js';
import { AskConsent } from './ask-consent.js';
import { BeginAuthorization } from './begin-authorization.js';
import { BeginDeviceFlow } from './begin-device-flow.js';
import { BeginFlow } from './begin-flow.js';
import { ChooseAccount } from './choose-account.js';
import { ContinueFlow } from './continue-flow.js';
import { DecideFlow } from './decide-flow.js';
import { DecideRequest } from './decide-request.js';
import { EnterByPassword } from './enter-by-password.js';
import { EvaluateFactor } from './evaluate-factor.js';
import { FindFlow } from './find-flow.js';
import { FinishAnswer } from './finish-answer.js';
import { ReadIdTokenHint } from './id-token-hint.js';
import { OpenGrant } from './open-grant.js';
import { PublishedRequests } from './published-requests.js';
import { PushedFlows } from './pushed-flows.js';
import { PutOffFactor } from './put-off-factor.js';
import { ReadPushedRequest } from './read-pushed-request.js';
import { ReadRequest } from './read-request.js';
import { ReadSignOutRequest } from './read-sign-out-request.js';
import { RecordMissedSettings } from './record-missed-settings.js';
import { RefuseFlow } from './refuse-flow.js';
import { OpenRequestObject } from './request-object.js';
import { RestartFlow } from './restart-flow.js';
import { SetUpFactor } from './set-up-factor.js';
import { ShowConsent } from './show-consent.js';
import { ShowFactor } from './show-factor.js';
import { SignOut } from './sign-out.js';
import { VerifyClient } from './verify-client.js';
import { VerifyEmailInFlow } from './verify-email-in-flow.js';

const useCases = [
  ReadIdTokenHint,
  AdmitUser,
  OpenGrant,
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
  SetUpFactor,
  PutOffFactor,
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
