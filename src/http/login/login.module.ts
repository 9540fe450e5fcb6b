import { Module } from '@nestjs/common';
import { AccountsModule } from '../../domain/accounts/accounts.module.js';
import { AuthorizeModule } from '../../domain/authorize/authorize.module.js';
import { ClientRegistrationModule } from '../../domain/client-registration/client-registration.module.js';
import { ExternalSignInModule } from '../../domain/external-sign-in/external-sign-in.module.js';
import { FactorsModule } from '../../domain/factors/factors.module.js';
import { NotificationsModule } from '../../domain/notifications/notifications.module.js';
import { PasskeysModule } from '../../domain/passkeys/passkeys.module.js';
import { PoliciesModule } from '../../domain/policies/policies.module.js';
import { RegistrationModule } from '../../domain/registration/registration.module.js';
import { SessionsModule } from '../../domain/sessions/sessions.module.js';
import { SignInModule } from '../../domain/sign-in/sign-in.module.js';
import { VerificationModule } from '../../domain/users/verification/verification.module.js';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { AccountList } from './account-list.js';
import { AccountsController } from './accounts.controller.js';
import { AdministrationOffer } from './administration-offer.js';
import { AssetsController } from './assets.controller.js';
import { CancelController } from './cancel.controller.js';
import { ChangePasswordForm } from './change-password-form.js';
import { ChangePasswordController } from './change-password.controller.js';
import { CompleteExternalController } from './complete-external.controller.js';
import { ConsentAskers } from './consent-askers.js';
import { ConsentForm } from './consent-form.js';
import { ConsentController } from './consent.controller.js';
import { DeclineStepUpController } from './decline-step-up.controller.js';
import { DeviceDecidedController } from './device-decided.controller.js';
import { DeviceForm } from './device-form.js';
import { DeviceController } from './device.controller.js';
import { DirectoryForms } from './directory-forms.js';
import { DirectorySignInController } from './directory-sign-in.controller.js';
import { ExternalCallbackController } from './external-callback.controller.js';
import { ExternalReturn } from './external-return.js';
import { ExternalSignInController } from './external-sign-in.controller.js';
import { FlowForms } from './flow-forms.js';
import { ForgottenPasswordForm } from './forgotten-password-form.js';
import { ForgottenPasswordController } from './forgotten-password.controller.js';
import { HomeController } from './home.controller.js';
import { InitialPasswordController } from './initial-password.controller.js';
import { LogosController } from './logos.controller.js';
import { MailLinks } from './mail-links.js';
import { OwnFlows } from './own-flows.js';
import { PasskeyLinkController } from './passkey-link.controller.js';
import { PasskeySignInController } from './passkey-sign-in.controller.js';
import { ProviderLogoutController } from './provider-logout.controller.js';
import { RegisterForms } from './register-forms.js';
import { RegisterResendController } from './register-resend.controller.js';
import { RegisterVerifyController } from './register-verify.controller.js';
import { RegisterController } from './register.controller.js';
import { RegistrationOffer } from './registration-offer.js';
import { RegistrationPages } from './registration-pages.js';
import { RemoveAccount } from './remove-account.js';
import { ResetForms } from './reset-forms.js';
import { ResetPasswordController } from './reset-password.controller.js';
import { RestartController } from './restart.controller.js';
import { SamlLogoutController } from './saml-logout.controller.js';
import { SamlMetadataController } from './saml-metadata.controller.js';
import { SecondFactorForm } from './second-factor-form.js';
import { SecondFactorPasskeyController } from './second-factor-passkey.controller.js';
import { SecondFactorResendController } from './second-factor-resend.controller.js';
import { SecondFactorStep } from './second-factor-step.js';
import { SecondFactorView } from './second-factor-view.js';
import { SecondFactorController } from './second-factor.controller.js';
import { SetUpFactorCodeController } from './set-up-factor-code.controller.js';
import { SetUpFactorForm } from './set-up-factor-form.js';
import { SetUpFactorPasskeyController } from './set-up-factor-passkey.controller.js';
import { SetUpFactorController } from './set-up-factor.controller.js';
import { SetUpParts } from './set-up-parts.js';
import { SignInForm } from './sign-in-form.js';
import { SignInOffer } from './sign-in-offer.js';
import { SignInController } from './sign-in.controller.js';
import { VerifyByLink } from './verify-by-link.js';
import { VerifyEmailForm } from './verify-email-form.js';
import { VerifyEmailStepController } from './verify-email-step.controller.js';
import { VerifyEmailController } from './verify-email.controller.js';
import { VerifyPhoneController } from './verify-phone.controller.js';

/** The pages that people see in their browser. */
@Module({
  imports: [
    AccountsModule,
    AuthorizeModule,
    ClientRegistrationModule,
    ExternalSignInModule,
    FactorsModule,
    HttpSharedModule,
    NotificationsModule,
    PasskeysModule,
    PoliciesModule,
    RegistrationModule,
    SessionsModule,
    SignInModule,
    VerificationModule,
  ],
  controllers: [
    SignInController,
    RestartController,
    CancelController,
    PasskeySignInController,
    ExternalSignInController,
    ExternalCallbackController,
    ProviderLogoutController,
    SamlMetadataController,
    SamlLogoutController,
    DirectorySignInController,
    AccountsController,
    ConsentController,
    DeviceController,
    DeviceDecidedController,
    SecondFactorController,
    SecondFactorResendController,
    SetUpFactorController,
    SetUpFactorPasskeyController,
    SetUpFactorCodeController,
    DeclineStepUpController,
    SecondFactorPasskeyController,
    ChangePasswordController,
    VerifyEmailStepController,
    InitialPasswordController,
    PasskeyLinkController,
    VerifyEmailController,
    VerifyPhoneController,
    ForgottenPasswordController,
    ResetPasswordController,
    RegisterController,
    CompleteExternalController,
    RegisterVerifyController,
    RegisterResendController,
    AssetsController,
    HomeController,
    LogosController,
  ],
  providers: [
    AccountList,
    AdministrationOffer,
    ChangePasswordForm,
    ConsentAskers,
    ConsentForm,
    DeviceForm,
    DirectoryForms,
    ExternalReturn,
    FlowForms,
    ForgottenPasswordForm,
    MailLinks,
    VerifyByLink,
    OwnFlows,
    RemoveAccount,
    ResetForms,
    RegisterForms,
    RegistrationOffer,
    RegistrationPages,
    SecondFactorForm,
    SecondFactorView,
    SecondFactorStep,
    SetUpFactorForm,
    SetUpParts,
    SignInForm,
    SignInOffer,
    VerifyEmailForm,
  ],
})
export class LoginModule {}
