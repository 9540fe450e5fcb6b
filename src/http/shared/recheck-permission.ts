import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Permission } from '../../domain/permissions/permissions.js';
import { RequirePermission } from '../../domain/permissions/require-permission.js';
import { tokenInvalid } from '../../domain/shared/errors.js';
import { CheckAccessToken } from '../../domain/tokens/access-token/check-access-token.js';
import { callerOf, organizationOf } from './caller.js';
import { tokenOf } from './presented-token.js';

const RECHECK_MS = 1_000;

/** For answers that are sent for minutes or hours: checks the caller's token and permission again, as for a new request. */
@Injectable()
export class RecheckPermission {
  constructor(
    private readonly checkAccessToken: CheckAccessToken,
    private readonly requirePermission: RequirePermission,
  ) {}

  /** @returns what fails once the token, or the permission, is gone */
  by(request: FastifyRequest, permission: Permission): () => Promise<void> {
    const [token, orgId, { acting }] = [tokenOf(request), organizationOf(request), callerOf(request)];
    return async () => {
      if ((await this.checkAccessToken.check(token)) === undefined) {
        throw tokenInvalid();
      }
      await this.requirePermission.check(acting, orgId, permission);
    };
  }
}

/** The same pieces, until `recheck` fails. It is called before a piece, once a second at most. */
export async function* whileAllowed(
  pieces: AsyncIterable<string>,
  recheck: () => Promise<void>,
): AsyncGenerator<string> {
  let last = performance.now();
  for await (const piece of pieces) {
    if (performance.now() - last >= RECHECK_MS) {
      await recheck();
      last = performance.now();
    }
    yield piece;
  }
}
