import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Config } from '../../../config/config.js';
import { Sealer } from '../../../domain/secrets/sealer.js';

/**
 * Forms are ours when three things agree: the token in the form belongs to this browser and this step, the browser
 * does not call the request cross-site, and an Origin it names is our own. Origin `null` is what a page under
 * `Referrer-Policy: no-referrer` sends, so it proves nothing either way.
 */
@Injectable()
export class Csrf {
  constructor(
    private readonly sealer: Sealer,
    private readonly config: Config,
  ) {}

  /** @param step what the form is for, and the browser or link it was given to */
  token(...step: readonly string[]): string {
    return this.sealer.mac('csrf', step.join('\u0000')).toString('base64url');
  }

  holds(request: FastifyRequest, presented: string | undefined, ...step: readonly string[]): boolean {
    if (request.headers['sec-fetch-site'] === 'cross-site') return false;
    const { origin } = request.headers;
    if (origin !== undefined && origin !== 'null' && origin !== this.config.app.issuer.url) return false;
    const expected = Buffer.from(this.token(...step));
    const given = Buffer.from(presented ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
