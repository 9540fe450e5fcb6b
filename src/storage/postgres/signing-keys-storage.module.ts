import { Module } from '@nestjs/common';
import { KeyAudienceStore } from '../../domain/signing-keys/key-audience.store.js';
import { KeySignal } from '../../domain/signing-keys/key-signal.js';
import { SigningKeysStore } from '../../domain/signing-keys/signing-keys.store.js';
import { PgKeyAudienceStore } from './signing-keys/key-audience.store.js';
import { PgKeySignal } from './signing-keys/key-signal.js';
import { PgSigningKeysStore } from './signing-keys/signing-keys.store.js';
import { storeBindings } from './store-bindings.js';

/** Keys that sign and seal tokens. */
@Module(
  storeBindings(
    [SigningKeysStore, PgSigningKeysStore],
    [KeyAudienceStore, PgKeyAudienceStore],
    [KeySignal, PgKeySignal],
  ),
)
export class SigningKeysStorageModule {}
