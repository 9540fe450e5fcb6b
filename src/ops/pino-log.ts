import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { Log, type LogFields } from '../domain/shared/log.js';
import { traceFields } from '../tracing/trace.js';
import { errorForLog } from './error-for-log.js';

/**
 * JSON lines on standard output. Errors are written with their stack, which leaves the process nowhere else, and without
 * what libraries hang onto them.
 */
export class PinoLog extends Log {
  private readonly logger: Logger;

  constructor(settings: { readonly level: string; readonly process: 'api' | 'worker' | 'cli' }) {
    super();
    this.logger = pino({
      level: settings.level,
      base: { process: settings.process, pid: process.pid },
      serializers: { err: errorForLog },
      mixin: traceFields,
    });
  }

  override debug(message: string, fields: LogFields = {}): void {
    this.logger.debug(fields, message);
  }

  override info(message: string, fields: LogFields = {}): void {
    this.logger.info(fields, message);
  }

  override warn(message: string, fields: LogFields = {}): void {
    this.logger.warn(fields, message);
  }

  override error(message: string, error: unknown, fields: LogFields = {}): void {
    this.logger.error({ ...fields, err: error instanceof Error ? error : new Error(String(error)) }, message);
  }
}

/** Nest's own start-up and fault messages, through the same log. */
export class NestLog implements LoggerService {
  constructor(private readonly sink: Log) {}

  log(message: unknown, context?: string): void {
    this.sink.debug(String(message), { context });
  }

  warn(message: unknown, context?: string): void {
    this.sink.warn(String(message), { context });
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.sink.error(String(message), rest[0] instanceof Error ? rest[0] : new Error(String(message)));
  }
}
