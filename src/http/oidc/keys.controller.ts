import { createHash } from 'node:crypto';
import { Controller, Get, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KeyRing, type KeySet } from '../../domain/signing-keys/key-ring.js';
import { KeySetReaders } from '../../domain/signing-keys/key-set-readers.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { OAuthErrorFilter } from './oauth-error.filter.js';

interface Rendered {
  readonly keySet: KeySet;
  readonly body: string;
  readonly etag: string;
}

/** The key set (RFC 7517 §5): public halves only, cacheable, with an ETag. */
@Controller()
@UseFilters(OAuthErrorFilter)
export class KeysController {
  private rendered: Rendered | undefined;

  constructor(
    private readonly keyRing: KeyRing,
    private readonly limits: AddressLimits,
    private readonly readers: KeySetReaders,
  ) {}

  @Get('oauth/v2/keys')
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const limited = this.limits.countKeysRequest(request);
    if (limited !== undefined) return void this.limits.refuse(reply, limited);
    const { keySet, body, etag } = this.render(await this.keyRing.keySet());
    this.readers.note(request.ip);
    void reply.headers({
      etag,
      'cache-control': `public, max-age=${keySet.maxAgeSeconds}, must-revalidate`,
      'access-control-allow-origin': '*',
    });
    if (isKnown(request.headers['if-none-match'], etag)) return void reply.code(304).send();
    void reply.header('content-type', 'application/json; charset=utf-8').send(body);
  }

  /** The ring returns the same object until it reloads the keys, so identity shows whether to render again. */
  private render(keySet: KeySet): Rendered {
    if (this.rendered?.keySet !== keySet) {
      const body = JSON.stringify({ keys: keySet.keys });
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
      this.rendered = { keySet, body, etag };
    }
    return this.rendered;
  }
}

/** If-None-Match is a list, and caches on the way may have marked our tag as weak (RFC 9110 §13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = new Set(header.split(',').map((tag) => tag.trim().replace(/^W\//, '')));
  return tags.has(etag) || tags.has('*');
}
