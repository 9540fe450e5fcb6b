import { Module } from '@nestjs/common';
import { AnswerOnce } from './answer-once.js';

/** Requests that may be sent again. */
@Module({ providers: [AnswerOnce], exports: [AnswerOnce] })
export class IdempotencyModule {}
