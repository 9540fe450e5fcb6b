import { Module } from '@nestjs/common';
import { MaintenanceModule } from '../maintenance/maintenance.module.js';
import { FindHealth } from './find-health.js';

/** How the instance is doing as a whole. */
@Module({ imports: [MaintenanceModule], providers: [FindHealth], exports: [FindHealth] })
export class HealthModule {}
