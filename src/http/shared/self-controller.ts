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
import { BodyPipe } from './body.pipe.js';
import { SelfGuard } from './self.guard.js';

/** A controller of what callers do on their own account: no permission is asked, and nobody else is reached. */
export function SelfController(path: string): ClassDecorator {
  return applyDecorators(
    Controller(path),
    UseGuards(SelfGuard),
    UseInterceptors(AnswerInterceptor),
    UsePipes(BodyPipe),
    UseFilters(ApiErrorFilter),
  );
}
