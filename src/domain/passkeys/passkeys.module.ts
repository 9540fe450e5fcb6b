import { Module } from '@nestjs/common';
import { FactorsModule } from '../factors/factors.module.js';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { UsersModule } from '../users/users.module.js';
import { ManagePasskeys } from './manage-passkeys.js';
import { PasskeyChallenges } from './passkey-challenges.js';
import { RegisterPasskey } from './register-passkey.js';
import { SecondPasskey } from './second-passkey.js';
import { ShowPasskey } from './show-passkey.js';

const useCases = [PasskeyChallenges, RegisterPasskey, ShowPasskey, SecondPasskey, ManagePasskeys];

/** Passkeys (WebAuthn Level 3): how users get them, and what is kept of them. */
@Module({
  imports: [FactorsModule, NotificationsModule, PermissionsModule, PoliciesModule, UsersModule],
  providers: useCases,
  exports: useCases,
})
export class PasskeysModule {}
