import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Permission } from '../../domain/permissions/permissions.js';
import { RequirePermission } from '../../domain/permissions/require-permission.js';
import { ApiError } from '../../domain/shared/errors.js';
import { CheckAccessToken } from '../../domain/tokens/access-token/check-access-token.js';
import { callerOf, organizationOf } from './caller.js';
import { tokenOf } from './presented-token.js';

const LOOK_EVERY_MS = 1_000;
/** A reader that takes nothing for so long has gone, whatever its connection says. */
const LONGEST_PAUSE_MS = 60_000;

/** What goes on for as long as its reader likes asks again who the reader is, as if they asked anew. */
@Injectable()
export class LookAgain {
  constructor(
    private readonly checkAccessToken: CheckAccessToken,
    private readonly requirePermission: RequirePermission,
  ) {}

  /** @returns what fails once the token, or the permission, is gone */
  by(request: FastifyRequest, permission: Permission): () => Promise<void> {
    const [token, orgId, { acting }] = [tokenOf(request), organizationOf(request), callerOf(request)];
    return async () => {
      if ((await this.checkAccessToken.check(token)) === undefined) {
        throw new ApiError('unauthenticated', 'Errors.Token.Invalid', 'AUTH-7fs1e');
      }
      await this.requirePermission.check(acting, orgId, permission);
    };
  }
}

/** The same pieces, as long as `look` does not fail; asked before a piece, where the last time is a second ago. */
export async function* whileAllowed(
  pieces: AsyncIterable<string>,
  look: () => Promise<void>,
): AsyncGenerator<string> {
  let last = performance.now();
  for await (const piece of pieces) {
    if (performance.now() - last >= LOOK_EVERY_MS) {
      await look();
      last = performance.now();
    }
    yield piece;
  }
}

/**
 * A stream that is broken off has no proper end, so that nobody takes it for the whole.
 *
 * @param what is sent, for the log
 */
export function bounded(
  lines: (taken: () => void) => AsyncIterable<string>,
  longestMs: number,
  what: string,
): Readable {
  const readable: Readable = Readable.from(
    lines(() => pause.refresh()),
    { objectMode: false },
  );
  const endAfter = (ms: number, why: string): NodeJS.Timeout =>
    setTimeout(() => readable.destroy(new Error(`${what} ${why}`)), ms).unref();
  const whole = endAfter(longestMs, 'went on for too long');
  const pause = endAfter(LONGEST_PAUSE_MS, 'was not read');
  readable.once('close', () => {
    clearTimeout(whole);
    clearTimeout(pause);
  });
  return readable;
}

/** @param taken is called for each piece that the reader asks for */
export async function* noticed(pieces: AsyncIterable<string>, taken: () => void): AsyncGenerator<string> {
  for await (const piece of pieces) {
    taken();
    yield piece;
  }
}
