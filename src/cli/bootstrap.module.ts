import { type DynamicModule, Module } from '@nestjs/common';
import type { AppConfig } from '../config/config.js';
import { ConfigModule } from '../config/config.module.js';
import { Bootstrap } from '../domain/bootstrap/bootstrap.js';
import { EnsureAdministrator } from '../domain/bootstrap/ensure-administrator.js';
import { EnsureServiceUser } from '../domain/bootstrap/ensure-service-user.js';
import { EnsureTourApplications } from '../domain/bootstrap/ensure-tour-applications.js';
import { RecoverAdministrator } from '../domain/bootstrap/recover-administrator.js';
import { SetUpInstance } from '../domain/bootstrap/set-up-instance.js';
import { CreateOidcApplication } from '../domain/applications/create-oidc-application.js';
import { ManageConsents } from '../domain/consents/manage-consents.js';
import { GiveAccess } from '../domain/applications/give-access.js';
import { CreateProject } from '../domain/projects/create-project.js';
import { EndLowerMade } from '../domain/members/end-lower-made.js';
import { PasswordHashing } from '../domain/passwords/password-hashing.js';
import { PasswordPolicies } from '../domain/policies/password-policies.js';
import { EffectiveRoles } from '../domain/permissions/effective-roles.js';
import { RequireRank } from '../domain/permissions/require-rank.js';
import type { Log } from '../domain/shared/log.js';
import { FindUser } from '../domain/users/find-user.js';
import { CreateServiceUser } from '../domain/users/machines/create-service-user.js';
import { FindServiceUser } from '../domain/users/machines/find-service-user.js';
import { PersonalAccessTokens } from '../domain/users/machines/personal-access-tokens.js';
import { HandOutLink } from '../domain/users/verification/hand-out-link.js';
import { AlgorithmTakeover } from '../domain/keys/algorithm-takeover.js';
import { domainSettings } from '../domain-settings.js';
import { StorageModule } from '../storage/storage.module.js';

/** Composition root of the commands that begin or recover an instance: bootstrap, recover-administrator. */
@Module({})
export class BootstrapModule {
  static with(config: AppConfig, log: Log): DynamicModule {
    return {
      module: BootstrapModule,
      imports: [ConfigModule.with(config, log), StorageModule],
      providers: [
        ...domainSettings,
        PasswordHashing,
        PasswordPolicies,
        CreateProject,
        CreateOidcApplication,
        GiveAccess,
        SetUpInstance,
        HandOutLink,
        EnsureAdministrator,
        RecoverAdministrator,
        AlgorithmTakeover,
        FindUser,
        EffectiveRoles,
        RequireRank,
        ManageConsents,
        EndLowerMade,
        FindServiceUser,
        CreateServiceUser,
        PersonalAccessTokens,
        EnsureServiceUser,
        EnsureTourApplications,
        Bootstrap,
      ],
    };
  }
}
