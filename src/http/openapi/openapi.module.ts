import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { ApiRoutes } from './api-routes.js';
import { OpenApiController } from './openapi.controller.js';
import { ReadDocument } from './read-document.js';

/** The OpenAPI document and its viewer. */
@Module({
  imports: [DiscoveryModule, HttpSharedModule],
  controllers: [OpenApiController],
  providers: [ApiRoutes, ReadDocument],
})
export class OpenApiModule {}
