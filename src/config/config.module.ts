import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Clock, SharedClock } from '../domain/shared/clock.js';
import { Log } from '../domain/shared/log.js';
import { Config, type AppConfig } from './config.js';
import { settingsOf } from './settings.js';

/** Configuration, log and clock, which every module of all processes may ask for, and the settings of the domain's. */
@Global()
@Module({})
export class ConfigModule {
  static with(app: AppConfig, log: Log, clock: Clock = new SharedClock()): DynamicModule {
    const settings = settingsOf(app);
    return {
      module: ConfigModule,
      providers: [
        { provide: Config, useValue: { app } },
        { provide: Log, useValue: log },
        { provide: Clock, useValue: clock },
        ...settings,
      ],
      exports: [Config, Log, Clock, ...settings.map(({ provide }) => provide)],
    };
  }
}
