import {
  applyDecorators,
  Controller,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { AnswerInterceptor } from '../shared/answer.interceptor.js';
import { ApiErrorFilter } from '../shared/api-error.filter.js';
import { BodyPipe } from '../shared/body.pipe.js';
import { SelfGuard } from '../shared/self.guard.js';

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
