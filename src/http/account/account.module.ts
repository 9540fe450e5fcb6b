import { Module } from '@nestjs/common';
import { AccountsModule } from '../../domain/accounts/accounts.module.js';
import { ConsentsModule } from '../../domain/consents/consents.module.js';
import { SessionsModule } from '../../domain/sessions/sessions.module.js';
import { SignInModule } from '../../domain/sign-in/sign-in.module.js';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { AccountVisits } from './account-visits.js';
import { ApplicationsController } from './applications.controller.js';
import { ChooseController } from './choose.controller.js';
import { ChosenAccount } from './chosen-account.js';
import { ConfirmController } from './confirm.controller.js';
import { OverviewController } from './overview.controller.js';
import { PasswordSection } from './password-section.js';
import { PasswordController } from './password.controller.js';
import { ProfileController } from './profile.controller.js';
import { SecuritySections } from './security-sections.js';
import { SecurityController } from './security.controller.js';
import { SessionsController } from './sessions.controller.js';

/** `/account`: the pages on which people see and change their own account. */
@Module({
  imports: [AccountsModule, ConsentsModule, HttpSharedModule, SessionsModule, SignInModule],
  controllers: [
    OverviewController,
    ChooseController,
    ConfirmController,
    ProfileController,
    SecurityController,
    PasswordController,
    SessionsController,
    ApplicationsController,
  ],
  providers: [AccountVisits, ChosenAccount, PasswordSection, SecuritySections],
})
export class AccountModule {}
