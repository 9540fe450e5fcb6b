import { Module } from '@nestjs/common';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { EndAccess } from './end-access.js';
import { FindUser } from './find-user.js';
import { LockCoveredUserForUpdate } from './lock-covered-user-for-update.js';
import { LockUserForUpdate } from './lock-user-for-update.js';
import { FirstSignInMethod } from './sign-in-methods/first-sign-in-method.js';
import { RequireSignInMethod } from './sign-in-methods/require-sign-in-method.js';

const useCases = [
  FindUser,
  LockUserForUpdate,
  LockCoveredUserForUpdate,
  EndAccess,
  FirstSignInMethod,
  RequireSignInMethod,
];

/** What a user of either kind is, where users are kept, and what codes prove of them (verification/). */
@Module({ imports: [PermissionsModule], providers: useCases, exports: useCases })
export class UsersModule {}
