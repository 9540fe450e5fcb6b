import { Module } from '@nestjs/common';
import { FetchedKeys } from './fetched-keys.js';

/** Keys that applications publish: one memory of them for whoever checks what applications sign. */
@Module({ providers: [FetchedKeys], exports: [FetchedKeys] })
export class FetchedKeysModule {}
