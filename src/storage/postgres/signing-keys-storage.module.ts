import { Module } from '@nestjs/common';
import { KeyAudienceStore } from '../../domain/keys/key-audience.store.js';
import { KeyChainsStore } from '../../domain/keys/key-chains.store.js';
import { KeySetReadersStore } from '../../domain/keys/key-set-readers.store.js';
import { KeySignal } from '../../domain/keys/key-signal.js';
import { KeysStore } from '../../domain/keys/keys.store.js';
import { PgKeyAudienceStore } from './pg-key-audience.store.js';
import { PgKeyChainsStore } from './pg-key-chains.store.js';
import { PgKeySetReadersStore } from './pg-key-set-readers.store.js';
import { PgKeySignal } from './pg-key-signal.js';
import { PgKeysStore } from './pg-keys.store.js';
import { storeBindings } from './store-bindings.js';

/** Keys that sign and seal tokens. */
@Module(
  storeBindings(
    [KeysStore, PgKeysStore],
    [KeyChainsStore, PgKeyChainsStore],
    [KeyAudienceStore, PgKeyAudienceStore],
    [KeySetReadersStore, PgKeySetReadersStore],
    [KeySignal, PgKeySignal],
  ),
)
export class SigningKeysStorageModule {}
