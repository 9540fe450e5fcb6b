import { Module } from '@nestjs/common';
import { HttpSharedModule } from '../shared/http-shared.module.js';
import { ConsoleController } from './console.controller.js';

/** The administration console, as files: everything else it does by the APIs. */
@Module({ imports: [HttpSharedModule], controllers: [ConsoleController] })
export class ConsoleModule {}
