import { applyDecorators, Controller, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiErrorFilter } from './api-error.filter.js';
import { BearerGuard } from './bearer.guard.js';
import { PermissionGuard } from './permission.guard.js';
import { UncachedInterceptor } from './uncached.interceptor.js';

/** A controller of a privileged API: first the caller, then the permission, then the body (contract §0.3). */
export function ApiController(path: string): ClassDecorator {
  return applyDecorators(
    Controller(path),
    UseGuards(BearerGuard, PermissionGuard),
    UseInterceptors(UncachedInterceptor),
    UseFilters(ApiErrorFilter),
  );
}
