import { Module } from '@nestjs/common';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { OpenApiController } from './openapi.controller.js';
import { ReadDocument } from './read-document.js';

/** The OpenAPI document and its viewer. */
@Module({
  imports: [HttpSharedModule],
  controllers: [OpenApiController],
  providers: [ReadDocument],
})
export class OpenApiModule {}
