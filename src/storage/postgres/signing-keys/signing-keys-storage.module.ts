import { Module } from '@nestjs/common';
import { KeySignal } from '../../../domain/signing-keys/key-signal.js';
import { SigningKeysStore } from '../../../domain/signing-keys/signing-keys.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgKeySignal } from './key-signal.js';
import { PgSigningKeysStore } from './signing-keys.store.js';

/** Keys that sign and seal tokens. */
@Module(storeBindings([SigningKeysStore, PgSigningKeysStore], [KeySignal, PgKeySignal]))
export class SigningKeysStorageModule {}
