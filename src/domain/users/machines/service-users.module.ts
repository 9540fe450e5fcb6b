import { Module } from '@nestjs/common';
import { PermissionsModule } from '../../permissions/permissions.module.js';
import { UsersModule } from '../users.module.js';
import { ChangeServiceUser } from './change-service-user.js';
import { CreateServiceUser } from './create-service-user.js';
import { FindServiceUser } from './find-service-user.js';
import { MachineKeys } from './machine-keys.js';
import { MachineSecrets } from './machine-secrets.js';
import { PersonalAccessTokens } from './personal-access-tokens.js';

const useCases = [
  FindServiceUser,
  CreateServiceUser,
  ChangeServiceUser,
  MachineSecrets,
  MachineKeys,
  PersonalAccessTokens,
];

/** Service users and what they authenticate with. */
@Module({ imports: [PermissionsModule, UsersModule], providers: useCases, exports: useCases })
export class ServiceUsersModule {}
