import { Module, type DynamicModule } from '@nestjs/common';
import type { AppConfig } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { RequestDelayModule } from './domain/request-delay/request-delay.module.js';
import type { Clock } from './domain/shared/clock.js';
import type { Log } from './domain/shared/log.js';
import { FollowKeys } from './domain/signing-keys/follow-keys.js';
import { SigningKeysModule } from './domain/signing-keys/signing-keys.module.js';
import { FlushCounters } from './domain/statistics/flush-counters.js';
import { StatisticsModule } from './domain/statistics/statistics.module.js';
import { AccountModule } from './http/account/account.module.js';
import { AdminApiModule } from './http/admin-api/admin-api.module.js';
import { AuthApiModule } from './http/auth-api/auth-api.module.js';
import { ConsoleModule } from './http/console/console.module.js';
import { LoginModule } from './http/login/login.module.js';
import { ManagementApiModule } from './http/management-api/management-api.module.js';
import { ClientRegistrationEndpointModule } from './http/oidc/client-registration-endpoint.module.js';
import { OidcModule } from './http/oidc/oidc.module.js';
import { SessionManagementModule } from './http/oidc/session-management.module.js';
import { OpenApiModule } from './http/openapi/openapi.module.js';
import { ProviderReportsModule } from './http/provider-reports/provider-reports.module.js';
import { ScimApiModule } from './http/scim/scim.module.js';
import { HealthController, ReadinessProbe } from './http/shared/server/health.controller.js';
import { MailsModule } from './mails/mails.module.js';
import { Health } from './ops/health.js';
import { OpsModule } from './ops/ops.module.js';
import { OutboundModule } from './outbound/outbound.module.js';
import { QueuesModule } from './queues/queues.module.js';
import { RedisModule } from './storage/redis/redis.module.js';
import { StorageModule } from './storage/storage.module.js';

/** Composition root of the API process: names the modules that it runs, holds no logic. */
@Module({})
export class ApiModule {
  static with(config: AppConfig, log: Log, clock?: Clock): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        ConfigModule.with(config, log, clock),
        StorageModule,
        RedisModule,
        MailsModule,
        OutboundModule,
        QueuesModule,
        OpsModule.forProcess('api'),
        SigningKeysModule,
        StatisticsModule,
        RequestDelayModule,
        OidcModule,
        ...(config.clientRegistration.mode === 'off' ? [] : [ClientRegistrationEndpointModule]),
        ...(config.sessionManagementServed ? [SessionManagementModule] : []),
        ProviderReportsModule,
        LoginModule,
        AccountModule,
        ManagementApiModule,
        AdminApiModule,
        AuthApiModule,
        ScimApiModule,
        OpenApiModule,
        ConsoleModule,
      ],
      controllers: [HealthController],
      providers: [
        FollowKeys,
        FlushCounters,
        {
          provide: ReadinessProbe,
          inject: [Health],
          useFactory: (health: Health): ReadinessProbe => ({
            isReady: async () => (await health.ready()).healthy,
          }),
        },
      ],
    };
  }
}
