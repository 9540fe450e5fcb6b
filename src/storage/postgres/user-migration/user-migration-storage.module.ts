import { Module } from '@nestjs/common';
import { UserMigrationsStore } from '../../../domain/user-migration/user-migrations.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgUserMigrationsStore } from './user-migrations.store.js';

/** Old systems that users are migrated from. */
@Module(storeBindings([UserMigrationsStore, PgUserMigrationsStore]))
export class UserMigrationStorageModule {}
