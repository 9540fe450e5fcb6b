import { Module } from '@nestjs/common';
import { KeyAudienceStore } from '../../domain/signing-keys/key-audience.store.js';
import { KeyChainsStore } from '../../domain/signing-keys/key-chains.store.js';
import { KeySetReadersStore } from '../../domain/signing-keys/key-set-readers.store.js';
import { KeySignal } from '../../domain/signing-keys/key-signal.js';
import { SigningKeysStore } from '../../domain/signing-keys/signing-keys.store.js';
import { PgKeyAudienceStore } from './signing-keys/key-audience.store.js';
import { PgKeyChainsStore } from './signing-keys/key-chains.store.js';
import { PgKeySetReadersStore } from './signing-keys/key-set-readers.store.js';
import { PgKeySignal } from './signing-keys/key-signal.js';
import { PgSigningKeysStore } from './signing-keys/signing-keys.store.js';
import { storeBindings } from './store-bindings.js';

/** Keys that sign and seal tokens. */
@Module(
  storeBindings(
    [SigningKeysStore, PgSigningKeysStore],
    [KeyChainsStore, PgKeyChainsStore],
    [KeyAudienceStore, PgKeyAudienceStore],
    [KeySetReadersStore, PgKeySetReadersStore],
    [KeySignal, PgKeySignal],
  ),
)
export class SigningKeysStorageModule {}
