import { Module } from '@nestjs/common';
import { ClientRegistrationModule } from '../../domain/client-registration/client-registration.module.js';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { ClientRegistrationController } from './client-registration.controller.js';

/** Only where applications may register themselves: elsewhere there is no such address. */
@Module({
  imports: [ClientRegistrationModule, HttpSharedModule],
  controllers: [ClientRegistrationController],
})
export class ClientRegistrationEndpointModule {}
