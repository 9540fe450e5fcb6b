import { Module } from '@nestjs/common';
import { ApplicationsModule } from '../applications/applications.module.js';
import { FactorResetModule } from '../factors/factor-reset.module.js';
import { MembersModule } from '../members/members.module.js';
import { PasswordHashingModule } from '../passwords/hashing/password-hashing.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { ProjectsModule } from '../projects/projects.module.js';
import { ServiceUsersModule } from '../service-users/service-users.module.js';
import { NewPasswordsModule } from '../users/new-passwords/new-passwords.module.js';
import { HandOutLink } from '../users/verification/hand-out-link.js';
import { AddAdministrator } from './add-administrator.js';
import { Bootstrap } from './bootstrap.js';
import { ChooseAdministratorPassword } from './choose-administrator-password.js';
import { EnsureAdministrator } from './ensure-administrator.js';
import { EnsureConsole } from './ensure-console.js';
import { EnsureServiceUser } from './ensure-service-user.js';
import { EnsureTourApplications } from './ensure-tour-applications.js';
import { GiveAdministratorPassword } from './give-administrator-password.js';
import { HandOutRecoveryLink } from './hand-out-recovery-link.js';
import { RecognizePassword } from './recognize-password.js';
import { RecoverAdministrator } from './recover-administrator.js';
import { RestoreAdministratorAccess } from './restore-administrator-access.js';
import { SetUpInstance } from './set-up-instance.js';

const useCases = [
  SetUpInstance,
  HandOutLink,
  ChooseAdministratorPassword,
  RecognizePassword,
  GiveAdministratorPassword,
  AddAdministrator,
  EnsureAdministrator,
  EnsureConsole,
  EnsureServiceUser,
  EnsureTourApplications,
  Bootstrap,
  RestoreAdministratorAccess,
  HandOutRecoveryLink,
  RecoverAdministrator,
];

/** An instance begun, or given back to an administrator. */
@Module({
  imports: [
    NewPasswordsModule,
    ApplicationsModule,
    FactorResetModule,
    MembersModule,
    PasswordHashingModule,
    PoliciesModule,
    ProjectsModule,
    ServiceUsersModule,
  ],
  providers: useCases,
  exports: useCases,
})
export class BootstrapModule {}
