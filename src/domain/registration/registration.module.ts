import { Module } from '@nestjs/common';
import { AuthorizeModule } from '../authorize/authorize.module.js';
import { IdentityProvidersModule } from '../identity-providers/identity-providers.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { NewPasswordsModule } from '../users/new-passwords/new-passwords.module.js';
import { AskForUserName } from './ask-for-user-name.js';
import { BeginExternalRegistration } from './begin-external-registration.js';
import { BeginRegistration } from './begin-registration.js';
import { FindRegistration } from './find-registration.js';
import { AddRegisteredUser } from './finish/add-registered-user.js';
import { AddUserOfProvider } from './finish/add-user-of-provider.js';
import { ExplainTakenName } from './finish/explain-taken-name.js';
import { FinishRegistration } from './finish/finish-registration.js';
import { SignInRegistered } from './finish/sign-in-registered.js';
import { Register } from './register.js';
import { RegistrationCodes } from './registration-codes.js';
import { RegistrationNames } from './registration-names.js';
import { RegistrationPolicy } from './registration-policy.js';
import { ResendRegistration } from './resend-registration.js';

const useCases = [
  RegistrationPolicy,
  RegistrationCodes,
  RegistrationNames,
  AskForUserName,
  FindRegistration,
  BeginRegistration,
  BeginExternalRegistration,
  Register,
  ResendRegistration,
  FinishRegistration,
];

/** People who make their own account. */
@Module({
  imports: [
    NewPasswordsModule,
    AuthorizeModule,
    IdentityProvidersModule,
    NotificationsModule,
    PoliciesModule,
    StatisticsModule,
  ],
  providers: [...useCases, AddRegisteredUser, AddUserOfProvider, ExplainTakenName, SignInRegistered],
  exports: useCases,
})
export class RegistrationModule {}
