import { Module } from '@nestjs/common';
import { OidcSettingsStore } from '../../domain/policies/oidc-settings.store.js';
import { PoliciesStore } from '../../domain/policies/policies.store.js';
import { SecurityPoliciesStore } from '../../domain/policies/security-policies.store.js';
import { SecuritySettingsStore } from '../../domain/policies/security-settings.store.js';
import { PgOidcSettingsStore } from './policies/oidc-settings.store.js';
import { PgPoliciesStore } from './policies/policies.store.js';
import { PgSecurityPoliciesStore } from './policies/security-policies.store.js';
import { PgSecuritySettingsStore } from './policies/security-settings.store.js';
import { storeBindings } from './store-bindings.js';

/** What organizations and the instance have decided for themselves. */
@Module(
  storeBindings(
    [PoliciesStore, PgPoliciesStore],
    [SecurityPoliciesStore, PgSecurityPoliciesStore],
    [OidcSettingsStore, PgOidcSettingsStore],
    [SecuritySettingsStore, PgSecuritySettingsStore],
  ),
)
export class PoliciesStorageModule {}
