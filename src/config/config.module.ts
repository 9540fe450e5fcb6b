import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock, SharedClock } from '../domain/shared/clock.js';
import { Log } from '../domain/shared/log.js';
import { type AppConfig, Config } from './config.js';

/** Configuration, log and clock: the three things every room of both processes may ask for. */
@Global()
@Module({})
export class ConfigModule {
  static with(app: AppConfig, log: Log, clock: Clock = new SharedClock()): DynamicModule {
    return {
      module: ConfigModule,
      providers: [
        { provide: Config, useValue: { app } },
        { provide: Log, useValue: log },
        { provide: Clock, useValue: clock },
      ],
      exports: [Config, Log, Clock],
    };
  }
}
