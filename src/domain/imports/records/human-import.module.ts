import { Module } from '@nestjs/common';
import { IdentityProvidersModule } from '../../identity-providers/identity-providers.module.js';
import { NotificationProvidersModule } from '../../notifications/providers/notification-providers.module.js';
import { PasskeysModule } from '../../passkeys/passkeys.module.js';
import { PasswordHashingModule } from '../../passwords/hashing/password-hashing.module.js';
import { PermissionsModule } from '../../permissions/permissions.module.js';
import { StatisticsModule } from '../../statistics/statistics.module.js';
import { NewPasswordsModule } from '../../users/new-passwords/new-passwords.module.js';
import { VerificationModule } from '../../users/verification/verification.module.js';
import { AddPreparedHuman } from './add-prepared-human.js';
import { ImportHumanUser } from './import-human-user.js';
import { PrepareHuman } from './prepare-human.js';

/** One human, as a call or a record of a file brings them along. */
@Module({
  imports: [
    IdentityProvidersModule,
    NewPasswordsModule,
    NotificationProvidersModule,
    PasskeysModule,
    PasswordHashingModule,
    PermissionsModule,
    StatisticsModule,
    VerificationModule,
  ],
  providers: [ImportHumanUser, PrepareHuman, AddPreparedHuman],
  exports: [ImportHumanUser],
})
export class HumanImportModule {}
