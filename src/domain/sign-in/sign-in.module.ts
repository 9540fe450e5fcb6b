import { Module } from '@nestjs/common';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { StatisticsModule } from '../statistics/statistics.module.js';
import { UserMigrationModule } from '../user-migration/user-migration.module.js';
import { VerificationModule } from '../users/verification/verification.module.js';
import { NotifyAccounts } from './notify-accounts.js';
import { RefuseSignIn } from './refuse-sign-in.js';
import { RenewSession } from './renew-session.js';
import { RequestPasswordReset } from './request-password-reset.js';
import { ResetHandles } from './reset-handles.js';
import { ResetPassword } from './reset-password.js';
import { ResolveLoginName } from './resolve-login-name.js';
import { SendResetCode } from './send-reset-code.js';
import { SignInWithPasskey } from './sign-in-with-passkey.js';
import { SignIn } from './sign-in.js';
import { StartSession } from './start-session.js';
import { WatchSignIns } from './watch-sign-ins.js';

const useCases = [
  ResolveLoginName,
  WatchSignIns,
  RefuseSignIn,
  SignIn,
  SignInWithPasskey,
  StartSession,
  RenewSession,
  ResetHandles,
  SendResetCode,
  RequestPasswordReset,
  NotifyAccounts,
  ResetPassword,
];

/** Signing in with a password or a passkey, and the way back for who has forgotten it. */
@Module({
  imports: [
    NotificationsModule,
    PasskeysModule,
    PasswordsModule,
    StatisticsModule,
    UserMigrationModule,
    VerificationModule,
  ],
  providers: useCases,
  exports: useCases,
})
export class SignInModule {}
