import { Module } from '@nestjs/common';
import { HumanImportModule } from '../imports/records/human-import.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { NewPasswordsModule } from '../users/new-passwords/new-passwords.module.js';
import { VerificationModule } from '../users/verification/verification.module.js';
import { ActiveMigrations } from './active-migrations.js';
import { AskOldDirectory } from './ask-old-directory.js';
import { AskOldSystem } from './ask-old-system.js';
import { CountMigrationTries } from './count-migration-tries.js';
import { CreateMigratedUser } from './create-migrated-user.js';
import { ManageUserMigration } from './manage-user-migration.js';
import { MigrateUser } from './migrate-user.js';
import { NoteMigrationOutcome } from './note-migration-outcome.js';
import { SetMigratedPassword } from './set-migrated-password.js';

/** Users of an old system are migrated at their first sign-in. */
@Module({
  imports: [HumanImportModule, NewPasswordsModule, PasswordsModule, VerificationModule],
  providers: [
    ActiveMigrations,
    AskOldDirectory,
    AskOldSystem,
    CreateMigratedUser,
    CountMigrationTries,
    SetMigratedPassword,
    ManageUserMigration,
    MigrateUser,
    NoteMigrationOutcome,
  ],
  exports: [ManageUserMigration, MigrateUser],
})
export class UserMigrationModule {}
