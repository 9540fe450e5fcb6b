import { Module } from '@nestjs/common';
import { AccountsModule } from '../../domain/accounts/accounts.module.js';
import { ConsentsModule } from '../../domain/consents/consents.module.js';
import { FactorsModule } from '../../domain/factors/factors.module.js';
import { OrganizationsModule } from '../../domain/organizations/organizations.module.js';
import { PasskeysModule } from '../../domain/passkeys/passkeys.module.js';
import { UsersModule } from '../../domain/users/users.module.js';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { OwnAccountController } from './own-account.controller.js';
import { OwnCodeFactorsController } from './own-code-factors.controller.js';
import { OwnConsentsController } from './own-consents.controller.js';
import { OwnEmailController } from './own-email.controller.js';
import { OwnFactorsController } from './own-factors.controller.js';
import { OwnPasskeysController } from './own-passkeys.controller.js';
import { OwnPasswordController } from './own-password.controller.js';
import { OwnPermissionsController } from './own-permissions.controller.js';
import { OwnPhoneNumberController } from './own-phone-number.controller.js';
import { OwnPhoneController } from './own-phone.controller.js';
import { OwnSessionsController } from './own-sessions.controller.js';

/** /auth/v1: users on their own account. */
@Module({
  imports: [
    AccountsModule,
    ConsentsModule,
    FactorsModule,
    HttpSharedModule,
    OrganizationsModule,
    PasskeysModule,
    UsersModule,
  ],
  controllers: [
    OwnAccountController,
    OwnEmailController,
    OwnPhoneNumberController,
    OwnPasswordController,
    OwnPhoneController,
    OwnPasskeysController,
    OwnFactorsController,
    OwnCodeFactorsController,
    OwnSessionsController,
    OwnConsentsController,
    OwnPermissionsController,
  ],
})
export class AuthApiModule {}
