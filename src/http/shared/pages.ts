import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Page } from '../login/pages/layout.js';
import { textsFor } from '../login/texts/texts-for.js';

export interface PageOptions {
  readonly status?: number;
  readonly organizationName?: string | undefined;
  /** Best first; before what the browser asks for. */
  readonly uiLocales?: readonly string[] | undefined;
  /** Where a form on the page may lead besides ourselves: browsers hold redirects after a POST against it. */
  readonly formTarget?: string | undefined;
}

const DEFAULT_NAME = 'Identity Service';

/**
 * ` https://rp.example`, or ` com.example.app:` for a native application's own scheme. A host may hold `;` and `,`,
 * which in this header would begin another directive or policy: such a target is left out.
 */
function formSource(uri: string): string {
  const url = new URL(uri);
  const source = url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol;
  return /^[A-Za-z0-9.:/[\]+-]+$/.test(source) ? ` ${source}` : '';
}

function acceptedLocales(request: FastifyRequest): readonly string[] {
  const header = request.headers['accept-language']?.slice(0, 500) ?? '';
  return header
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const weight = parameters.find((parameter) => parameter.trim().startsWith('q='));
      return { tag: tag.trim(), weight: weight === undefined ? 1 : Number(weight.trim().slice(2)) || 0 };
    })
    .filter(({ tag, weight }) => tag !== '' && tag !== '*' && weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

/** Sends HTML with the headers that every page needs. */
@Injectable()
export class Pages {
  send(
    request: FastifyRequest,
    reply: FastifyReply,
    render: (page: Page) => string,
    options: PageOptions = {},
  ): FastifyReply {
    const nonce = randomBytes(16).toString('base64');
    const formAction = options.formTarget === undefined ? '' : formSource(options.formTarget);
    const page: Page = {
      nonce,
      texts: textsFor([...(options.uiLocales ?? []), ...acceptedLocales(request)]),
      organization: { name: options.organizationName ?? DEFAULT_NAME },
    };
    return reply
      .code(options.status ?? 200)
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy':
          `default-src 'none'; style-src 'self' 'nonce-${nonce}'; script-src 'nonce-${nonce}'; img-src 'self'; ` +
          `form-action 'self'${formAction}; frame-ancestors 'none'; base-uri 'none'`,
      })
      .send(render(page));
  }
}
