import { Module } from '@nestjs/common';
import { LowerMadeStore } from '../../domain/members/lower-made.store.js';
import { MembersStore } from '../../domain/members/members.store.js';
import { OwnersStore } from '../../domain/permissions/owners.store.js';
import { PermissionsStore } from '../../domain/permissions/permissions.store.js';
import { UserGrantsStore } from '../../domain/user-grants/user-grants.store.js';
import { PgLowerMadeStore } from './pg-lower-made.store.js';
import { PgMembersStore } from './pg-members.store.js';
import { PgOwnersStore } from './pg-owners.store.js';
import { PgPermissionsStore } from './pg-permissions.store.js';
import { PgUserGrantsStore } from './pg-user-grants.store.js';
import { storeBindings } from './store-bindings.js';

/** Who may do what: members of instance and organizations, and roles of projects. */
@Module(
  storeBindings(
    [PermissionsStore, PgPermissionsStore],
    [OwnersStore, PgOwnersStore],
    [MembersStore, PgMembersStore],
    [LowerMadeStore, PgLowerMadeStore],
    [UserGrantsStore, PgUserGrantsStore],
  ),
)
export class PermissionsStorageModule {}
