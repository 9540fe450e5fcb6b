import { Module } from '@nestjs/common';
import { BulkActionsStore } from '../../../domain/bulk-actions/bulk-actions.store.js';
import { FactorsStore } from '../../../domain/factors/factors.store.js';
import { PasskeysStore } from '../../../domain/passkeys/passkeys.store.js';
import { PasswordsStore } from '../../../domain/passwords/passwords.store.js';
import { RegistrationsStore } from '../../../domain/registration/registrations.store.js';
import { SignInNamesStore } from '../../../domain/sign-in/sign-in-names.store.js';
import { UsersStore } from '../../../domain/users/users.store.js';
import { VerificationCodesStore } from '../../../domain/users/verification/verification-codes.store.js';
import { PgBulkActionsStore } from '../bulk-actions/bulk-actions.store.js';
import { PgFactorsStore } from '../factors/factors.store.js';
import { PgPasskeysStore } from '../passkeys/passkeys.store.js';
import { PgPasswordsStore } from '../passwords/passwords.store.js';
import { PgRegistrationsStore } from '../registration/registrations.store.js';
import { PgSignInNamesStore } from '../sign-in/sign-in-names.store.js';
import { storeBindings } from '../store-bindings.js';
import { PgUsersStore } from './users.store.js';
import { PgVerificationCodesStore } from './verification-codes.store.js';

/** Humans, their names, passwords, passkeys and codes. */
@Module(
  storeBindings(
    [UsersStore, PgUsersStore],
    [BulkActionsStore, PgBulkActionsStore],
    [SignInNamesStore, PgSignInNamesStore],
    [RegistrationsStore, PgRegistrationsStore],
    [VerificationCodesStore, PgVerificationCodesStore],
    [PasswordsStore, PgPasswordsStore],
    [PasskeysStore, PgPasskeysStore],
    [FactorsStore, PgFactorsStore],
  ),
)
export class UsersStorageModule {}
