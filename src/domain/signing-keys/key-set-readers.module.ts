import { Module } from '@nestjs/common';
import { KeySetReaders } from './key-set-readers.js';

/** Who reads the key set: counted, and written by a timer, where the key set is served. */
@Module({ providers: [KeySetReaders], exports: [KeySetReaders] })
export class KeySetReadersModule {}
