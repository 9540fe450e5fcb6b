import { Module } from '@nestjs/common';
import { EffectiveRoles } from './effective-roles.js';
import { KeepOwner } from './keep-owner.js';
import { RequirePermission } from './require-permission.js';
import { RequireRank } from './require-rank.js';

const useCases = [EffectiveRoles, RequirePermission, RequireRank, KeepOwner];

/** Who may do what. */
@Module({ providers: useCases, exports: useCases })
export class PermissionsModule {}
