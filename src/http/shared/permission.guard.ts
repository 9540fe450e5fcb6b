import {
  applyDecorators,
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { Permission } from '../../domain/permissions/permissions.js';
import { RequirePermission } from '../../domain/permissions/require-permission.js';
import { actingOrganization } from './acting-organization.js';
import { callerOf, rememberOrganization } from './caller.js';
import { Described } from './schemas/described.js';

/** Names the permission a route asks for. */
export function RequiresPermission(permission: Permission): MethodDecorator {
  return applyDecorators(
    SetMetadata(PERMISSION, permission),
    Described(({ ApiExtension }) => [ApiExtension('x-permission', permission)]),
  );
}

const PERMISSION = 'permission';

/** Runs after the bearer guard. A route that names no permission cannot be called at all. */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly requirePermission: RequirePermission,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const permission = this.reflector.get<Permission | undefined>(PERMISSION, context.getHandler());
    if (permission === undefined) throw new Error(`${context.getHandler().name} names no permission`);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = callerOf(request);
    const orgId = actingOrganization(request.headers, caller.orgId);
    await this.requirePermission.check(caller.acting, orgId, permission);
    rememberOrganization(request, orgId);
    return true;
  }
}
