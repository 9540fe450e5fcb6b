import { Module } from '@nestjs/common';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { ChangeUserState } from './change-user-state.js';
import { EndAccess } from './end-access.js';
import { FindUser } from './find-user.js';

const useCases = [FindUser, EndAccess, ChangeUserState];

/** Users as they are found, put to rest and shut out. */
@Module({ imports: [PermissionsModule], providers: useCases, exports: useCases })
export class UsersModule {}
