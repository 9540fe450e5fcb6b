import { Module } from '@nestjs/common';
import { PermissionsModule } from '../permissions/permissions.module.js';
import { UsersModule } from '../users/users.module.js';
import { ChangeServiceUser } from './change-service-user.js';
import { CreateServiceUser } from './create-service-user.js';
import { FindServiceUser } from './find-service-user.js';
import { PersonalAccessTokens } from './personal-access-tokens.js';
import { ServiceUserKeys } from './service-user-keys.js';
import { ServiceUserSecrets } from './service-user-secrets.js';

const useCases = [
  FindServiceUser,
  CreateServiceUser,
  ChangeServiceUser,
  ServiceUserSecrets,
  ServiceUserKeys,
  PersonalAccessTokens,
];

/** Service users and what they authenticate with. */
@Module({ imports: [PermissionsModule, UsersModule], providers: useCases, exports: useCases })
export class ServiceUsersModule {}
