import type { FastifyReply } from 'fastify';
import type { Asset } from '../../../pages/design/assets.js';

/** Sends a file whose path changes with its content. */
export function sendAsset(reply: FastifyReply, { contentType, body }: Asset): void {
  void reply
    .headers({
      'content-type': contentType,
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    })
    .send(body);
}
