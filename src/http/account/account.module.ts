import { Module } from '@nestjs/common';
import { AccountsModule } from '../../domain/accounts/accounts.module.js';
import { AuthorizeModule } from '../../domain/authorize/authorize.module.js';
import { ConsentsModule } from '../../domain/consents/consents.module.js';
import { EventsModule } from '../../domain/events/events.module.js';
import { ExternalSignInModule } from '../../domain/external-sign-in/external-sign-in.module.js';
import { FactorsModule } from '../../domain/factors/factors.module.js';
import { IdentityProvidersModule } from '../../domain/identity-providers/identity-providers.module.js';
import { NotificationsModule } from '../../domain/notifications/notifications.module.js';
import { NotificationProvidersModule } from '../../domain/notifications/providers/notification-providers.module.js';
import { PasskeysModule } from '../../domain/passkeys/passkeys.module.js';
import { PoliciesModule } from '../../domain/policies/policies.module.js';
import { SessionsModule } from '../../domain/sessions/sessions.module.js';
import { SignInModule } from '../../domain/sign-in/sign-in.module.js';
import { VerificationModule } from '../../domain/users/verification/verification.module.js';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { AccountBrowser } from './account-browser.js';
import { AccountReaders } from './account-readers.js';
import { AccountVisits } from './account-visits.js';
import { AppController } from './app.controller.js';
import { ApplicationsController } from './applications.controller.js';
import { ChooseController } from './choose.controller.js';
import { ChosenAccount } from './chosen-account.js';
import { CodeForms } from './code-forms.js';
import { CodesPage } from './codes-page.js';
import { CodesSection } from './codes-section.js';
import { CodesController } from './codes.controller.js';
import { ConfirmByMailController } from './confirm-by-mail.controller.js';
import { ConfirmByPasswordController } from './confirm-by-password.controller.js';
import { ConfirmByProviderController } from './confirm-by-provider.controller.js';
import { ConfirmPages } from './confirm-pages.js';
import { ConfirmController } from './confirm.controller.js';
import { ConnectIdentityController } from './connect-identity.controller.js';
import { DataController } from './data.controller.js';
import { DeleteController } from './delete.controller.js';
import { EmailChangeController } from './email-change.controller.js';
import { EmailController } from './email.controller.js';
import { AppSection, PasskeysSection, RecoveryCodesSection } from './factor-sections.js';
import { IdentitiesController, IdentitiesSection } from './identities.controller.js';
import { LanguageController } from './language.controller.js';
import { ManagedProfile } from './managed-profile.js';
import { NewAppController } from './new-app.controller.js';
import { OverviewSections } from './overview-sections.js';
import { OverviewController } from './overview.controller.js';
import { OwnAccess } from './own-access.js';
import { OwnData } from './own-data.js';
import { OwnEvents } from './own-events.js';
import { OwnProofs } from './own-proofs.js';
import { PasskeyController } from './passkey.controller.js';
import { PasskeysController } from './passkeys.controller.js';
import { PasswordPage } from './password-page.js';
import { PasswordSection } from './password-section.js';
import { PasswordController } from './password.controller.js';
import { PhoneChangeController } from './phone-change.controller.js';
import { PhoneCodes } from './phone-codes.js';
import { PhoneController } from './phone.controller.js';
import { ProfileController } from './profile.controller.js';
import { RecoveryCodesController } from './recovery-codes.controller.js';
import { SecuritySections } from './security-sections.js';
import { SecurityController } from './security.controller.js';
import { SessionsController } from './sessions.controller.js';
import { SignInAgain } from './sign-in-again.js';
import { WantedPage } from './wanted-page.js';

/** `/account`: the pages on which people see and change their own account. */
@Module({
  imports: [
    AccountsModule,
    AuthorizeModule,
    ConsentsModule,
    EventsModule,
    ExternalSignInModule,
    FactorsModule,
    HttpSharedModule,
    IdentityProvidersModule,
    NotificationProvidersModule,
    NotificationsModule,
    PoliciesModule,
    PasskeysModule,
    SessionsModule,
    SignInModule,
    VerificationModule,
  ],
  controllers: [
    OverviewController,
    ChooseController,
    ConfirmController,
    ConfirmByMailController,
    ConfirmByPasswordController,
    ConfirmByProviderController,
    ProfileController,
    SecurityController,
    PasswordController,
    AppController,
    NewAppController,
    CodesController,
    RecoveryCodesController,
    PasskeysController,
    PasskeyController,
    SessionsController,
    ApplicationsController,
    IdentitiesController,
    ConnectIdentityController,
    EmailController,
    EmailChangeController,
    PhoneController,
    PhoneChangeController,
    LanguageController,
    DataController,
    DeleteController,
  ],
  providers: [
    AccountBrowser,
    AccountReaders,
    ManagedProfile,
    AccountVisits,
    CodeForms,
    CodesPage,
    ChosenAccount,
    ConfirmPages,
    WantedPage,
    OverviewSections,
    OwnAccess,
    OwnProofs,
    OwnEvents,
    OwnData,
    PhoneCodes,
    PasswordPage,
    PasswordSection,
    AppSection,
    CodesSection,
    RecoveryCodesSection,
    PasskeysSection,
    IdentitiesSection,
    SecuritySections,
    SignInAgain,
  ],
})
export class AccountModule {}
