import { Module } from '@nestjs/common';
import { AccountsStore } from '../../domain/accounts/accounts.store.js';
import { UserMetadataStore } from '../../domain/accounts/user-metadata.store.js';
import { UserSearchStore } from '../../domain/accounts/user-search.store.js';
import { PasswordAttemptsStore } from '../../domain/passwords/password-attempts.store.js';
import { PasswordsStore } from '../../domain/passwords/passwords.store.js';
import { RegistrationsStore } from '../../domain/registration/registrations.store.js';
import { SignInNamesStore } from '../../domain/sign-in/sign-in-names.store.js';
import { UsersStore } from '../../domain/users/users.store.js';
import { VerificationCodesStore } from '../../domain/users/verification/verification-codes.store.js';
import { PgAccountsStore } from './pg-accounts.store.js';
import { PgPasswordAttemptsStore } from './pg-password-attempts.store.js';
import { PgPasswordsStore } from './pg-passwords.store.js';
import { PgRegistrationsStore } from './pg-registrations.store.js';
import { PgSignInNamesStore } from './pg-sign-in-names.store.js';
import { PgUserMetadataStore } from './pg-user-metadata.store.js';
import { PgUserSearchStore } from './pg-user-search.store.js';
import { PgUsersStore } from './pg-users.store.js';
import { PgVerificationCodesStore } from './pg-verification-codes.store.js';
import { storeBindings } from './store-bindings.js';

/** Humans, their names, passwords and codes. */
@Module(
  storeBindings(
    [UsersStore, PgUsersStore],
    [AccountsStore, PgAccountsStore],
    [UserMetadataStore, PgUserMetadataStore],
    [UserSearchStore, PgUserSearchStore],
    [SignInNamesStore, PgSignInNamesStore],
    [RegistrationsStore, PgRegistrationsStore],
    [VerificationCodesStore, PgVerificationCodesStore],
    [PasswordsStore, PgPasswordsStore],
    [PasswordAttemptsStore, PgPasswordAttemptsStore],
  ),
)
export class UsersStorageModule {}
