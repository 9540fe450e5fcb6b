import { Module } from '@nestjs/common';
import { AuthorizeModule } from '../authorize/authorize.module.js';
import { IdentityProvidersModule } from '../identity-providers/identity-providers.module.js';
import { RegistrationModule } from '../registration/registration.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { BeginExternalSignIn } from './begin-external-sign-in.js';
import { CompleteExternalSignIn } from './complete-external-sign-in.js';
import { FinishExternalSignIn } from './finish-external-sign-in.js';
import { MakeAccount } from './make-account.js';
import { ReadProviderAnswer } from './read-provider-answer.js';
import { ReceiveProviderLogout } from './receive-provider-logout.js';
import { ReceiveSamlLogout } from './receive-saml-logout.js';
import { ReceiveSamlResponse } from './receive-saml-response.js';
import { SignInByDirectory } from './sign-in-by-directory.js';
import { SignOutAtProvider } from './sign-out-at-provider.js';
import { TakeOwnIdentity } from './take-own-identity.js';

const useCases = [
  BeginExternalSignIn,
  CompleteExternalSignIn,
  FinishExternalSignIn,
  MakeAccount,
  ReadProviderAnswer,
  ReceiveProviderLogout,
  ReceiveSamlLogout,
  ReceiveSamlResponse,
  SignInByDirectory,
  SignOutAtProvider,
  TakeOwnIdentity,
];

/** People who come in by a provider. */
@Module({
  imports: [
    AuthorizeModule,
    IdentityProvidersModule,
    RegistrationModule,
    SessionsModule,
    SignInModule,
    StatisticsModule,
  ],
  providers: useCases,
  exports: useCases,
})
export class ExternalSignInModule {}
