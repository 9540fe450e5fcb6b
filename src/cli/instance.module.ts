import { Module, type DynamicModule } from '@nestjs/common';
import type { AppConfig } from '../config/config.js';
import { ConfigModule } from '../config/config.module.js';
import { BootstrapModule } from '../domain/bootstrap/bootstrap.module.js';
import { RestoreModule } from '../domain/maintenance/restore.module.js';
import type { Log } from '../domain/shared/log.js';
import { SigningKeysModule } from '../domain/signing-keys/signing-keys.module.js';
import { BreachedPasswordsModule } from '../outbound/breached-passwords.module.js';
import { ClientDocumentsModule } from '../outbound/client-documents.module.js';
import { StorageModule } from '../storage/storage.module.js';

/** Composition root of the commands that begin or recover an instance: bootstrap, recover-administrator, finish-restore. */
@Module({})
export class InstanceModule {
  static with(config: AppConfig, log: Log): DynamicModule {
    return {
      module: InstanceModule,
      imports: [
        ConfigModule.with(config, log),
        StorageModule,
        BreachedPasswordsModule,
        ClientDocumentsModule,
        BootstrapModule,
        SigningKeysModule,
        RestoreModule,
      ],
    };
  }
}
