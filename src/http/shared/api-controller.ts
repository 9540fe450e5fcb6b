import {
  applyDecorators,
  Controller,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { AnswerInterceptor } from './answer.interceptor.js';
import { ApiErrorFilter } from './api-error.filter.js';
import { BearerGuard } from './bearer.guard.js';
import { BodyPipe } from './body.pipe.js';
import { PermissionGuard } from './permission.guard.js';
import { StepUpGuard } from './step-up.guard.js';

/** A controller of a privileged API: first the caller, then the permission and how they signed in, then the body (protocol §0.3). */
export function ApiController(path: string): ClassDecorator {
  return applyDecorators(
    Controller(path),
    UseGuards(BearerGuard, PermissionGuard, StepUpGuard),
    UseInterceptors(AnswerInterceptor),
    UsePipes(BodyPipe),
    UseFilters(ApiErrorFilter),
  );
}
