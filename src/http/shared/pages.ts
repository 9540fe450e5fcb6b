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
  /** The application's URI that a form on the page leads to, at once or by the redirect that answers it. */
  readonly formTarget?: string | undefined;
}

const DEFAULT_NAME = 'Identity Service';

/**
 * ` https:`, or ` com.example.app:` for a native application's own scheme; an application on http may go on to https.
 *
 * A scheme and not the origin: Chromium holds every redirect after a form against form-action, not only the first, and
 * many an application's callback sends the browser on to another origin of its own, which we cannot know. With the
 * origin alone the person would be left on our page, signed in and stuck. What remains of the directive keeps forms
 * from plain http and from schemes that run something; that no form of somebody else's is on the page is for the
 * escaping of every value to see to.
 */
function formSources(uri: string): string {
  const { protocol } = new URL(uri);
  return protocol === 'http:' ? ' http: https:' : ` ${protocol}`;
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
    const formAction = options.formTarget === undefined ? '' : formSources(options.formTarget);
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
