import { Module } from '@nestjs/common';
import { IdentityProvidersModule } from '../identity-providers/identity-providers.module.js';
import { WarnOfOldSystems } from './warn-of-old-systems.js';

/** What a worker does for migrations; it brings nobody over, and has nothing to ask an old system with. */
@Module({
  imports: [IdentityProvidersModule],
  providers: [WarnOfOldSystems],
  exports: [WarnOfOldSystems],
})
export class OldSystemsUpkeepModule {}
