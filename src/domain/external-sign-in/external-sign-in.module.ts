import { Module } from '@nestjs/common';
import { AuthorizeModule } from '../authorize/authorize.module.js';
import { FactorsModule } from '../factors/factors.module.js';
import { IdentityProvidersModule } from '../identity-providers/identity-providers.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { BeginExternalSignIn } from './begin-external-sign-in.js';
import { CompleteExternalSignIn } from './complete-external-sign-in.js';
import { ConfirmByIdentity } from './confirm-by-identity.js';
import { ConfirmByMail } from './confirm-by-mail.js';
import { CheckDirectoryPassword } from './directory/check-directory-password.js';
import { FindDirectoryForm } from './directory/find-directory-form.js';
import { EnterByIdentity } from './enter-by-identity.js';
import { FindBegunSignIn } from './find-begun-sign-in.js';
import { FinishExternalSignIn } from './finish-external-sign-in.js';
import { LinkOwnIdentity } from './link-own-identity.js';
import { MakeAccount } from './make-account.js';
import { ProvidersOfFlow } from './providers-of-flow.js';
import { ReadProviderAnswer } from './read-provider-answer.js';
import { ReceiveSamlResponse } from './receive-saml-response.js';
import { SendToProvider } from './send-to-provider.js';
import { SignInByIdentity } from './sign-in-by-identity.js';
import { ReceiveProviderLogout } from './sign-out/receive-provider-logout.js';
import { ReceiveSamlLogout } from './sign-out/receive-saml-logout.js';
import { SignOutAtProvider } from './sign-out/sign-out-at-provider.js';
import { SignOutHints } from './sign-out/sign-out-hints.js';
import { SignOutUrls } from './sign-out/sign-out-urls.js';
import { TakeOwnIdentity } from './take-own-identity.js';
import { WaysToConfirm } from './ways-to-confirm.js';
import { WelcomeNewcomer } from './welcome-newcomer.js';

const useCases = [
  BeginExternalSignIn,
  CheckDirectoryPassword,
  CompleteExternalSignIn,
  ConfirmByMail,
  FindDirectoryForm,
  FinishExternalSignIn,
  ProvidersOfFlow,
  ReceiveProviderLogout,
  ReceiveSamlLogout,
  ReceiveSamlResponse,
  SignOutAtProvider,
  WaysToConfirm,
];

/** People who come in by a provider. */
@Module({
  imports: [
    AuthorizeModule,
    FactorsModule,
    IdentityProvidersModule,
    RegistrationModule,
    SessionsModule,
    SignInModule,
    StatisticsModule,
  ],
  providers: [
    ...useCases,
    ConfirmByIdentity,
    EnterByIdentity,
    FindBegunSignIn,
    LinkOwnIdentity,
    MakeAccount,
    ReadProviderAnswer,
    SendToProvider,
    SignInByIdentity,
    SignOutHints,
    SignOutUrls,
    TakeOwnIdentity,
    WelcomeNewcomer,
  ],
  exports: useCases,
})
export class ExternalSignInModule {}
