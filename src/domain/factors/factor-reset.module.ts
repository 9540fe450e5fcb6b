import { Module } from '@nestjs/common';
import { NotificationsModule } from '../notifications/notifications.module.js';
import { UsersModule } from '../users/users.module.js';
import { RecordFactorChange } from './record-factor-change.js';
import { RemoveAllFactors } from './remove-all-factors.js';

const useCases = [RecordFactorChange, RemoveAllFactors];

/** All factors of somebody taken away: apart from `FactorsModule`, since the command line has nothing that sends. */
@Module({ imports: [NotificationsModule, UsersModule], providers: useCases, exports: useCases })
export class FactorResetModule {}
