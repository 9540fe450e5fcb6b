import { Module } from '@nestjs/common';
import { FactorsModule } from '../factors/factors.module.js';
import { SmsLimitsModule } from '../notifications/abuse/sms-limits.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { NotificationProvidersModule } from '../notifications/providers/notification-providers.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { NewPasswordsModule } from '../users/new-passwords/new-passwords.module.js';
import { UsersModule } from '../users/users.module.js';
import { VerificationModule } from '../users/verification/verification.module.js';
import { AccountChanges } from './account-changes.js';
import { ChangeEmail } from './change-email.js';
import { ChangeOwnPassword } from './change-own-password.js';
import { ChangePassword } from './change-password.js';
import { ChangePhone } from './change-phone.js';
import { ChangeProfile } from './change-profile.js';
import { ChangeUserMetadata } from './change-user-metadata.js';
import { ChangeUserName } from './change-user-name.js';
import { ChangeUserState } from './change-user-state.js';
import { DeleteUser } from './delete-user.js';
import { EndSessionsOfUser } from './end-sessions-of-user.js';
import { NoteDataDownload } from './note-data-download.js';
import { RemovePhone } from './remove-phone.js';
import { ResendPhoneCode } from './resend-phone-code.js';
import { ResetFactors } from './reset-factors.js';
import { SendPasswordReset } from './send-password-reset.js';
import { SetPassword } from './set-password.js';
import { SyncPassword } from './sync-password.js';
import { VerifyOwnEmail } from './verify-own-email.js';
import { VerifyOwnPhone } from './verify-own-phone.js';

const useCases = [
  AccountChanges,
  ChangeProfile,
  ChangeEmail,
  ChangePhone,
  RemovePhone,
  ChangeUserName,
  ChangeUserMetadata,
  ChangeUserState,
  SetPassword,
  SyncPassword,
  SendPasswordReset,
  ChangePassword,
  ChangeOwnPassword,
  VerifyOwnEmail,
  VerifyOwnPhone,
  ResendPhoneCode,
  ResetFactors,
  EndSessionsOfUser,
  NoteDataDownload,
  DeleteUser,
];

/** What a signed-in caller changes of a user that exists: a manager, or the user. */
@Module({
  imports: [
    NewPasswordsModule,
    FactorsModule,
    NotificationProvidersModule,
    NotificationsModule,
    PasswordsModule,
    PermissionsModule,
    PoliciesModule,
    SmsLimitsModule,
    UsersModule,
    VerificationModule,
  ],
  providers: useCases,
  exports: useCases,
})
export class AccountsModule {}
