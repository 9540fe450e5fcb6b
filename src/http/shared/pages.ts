import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OrganizationLook } from '../../domain/orgs/organization-look.js';
import type { Page } from '../login/pages/layout.js';
import { textsFor } from '../login/texts/texts-for.js';
import { logoPath } from './logo-path.js';
import { isAsking, PageLanguage } from './page-language.js';

export interface PageOptions {
  readonly status?: number;
  /** Whose page it is. Without it the page speaks for the service: errors must be told without a database too. */
  readonly organization?: OrganizationLook | undefined;
  /** Best first; before what the browser asks for. */
  readonly uiLocales?: readonly string[] | undefined;
  /** Where a form on the page may lead besides ourselves: browsers hold redirects after a POST against it. */
  readonly formTarget?: string | undefined;
}

const SERVICE: OrganizationLook = { name: 'Identity Service' };

/**
 * ` https://rp.example`, or ` com.example.app:` for a native application's own scheme. A host may hold `;` and `,`,
 * which in this header would begin another directive or policy: such a target is left out.
 */
function formSource(uri: string): string {
  const url = new URL(uri);
  const source = url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol;
  return /^[A-Za-z0-9.:/[\]+-]+$/.test(source) ? ` ${source}` : '';
}

/** Sends HTML with the headers that every page needs. */
@Injectable()
export class Pages {
  constructor(private readonly language: PageLanguage) {}

  send(
    request: FastifyRequest,
    reply: FastifyReply,
    render: (page: Page) => string,
    options: PageOptions = {},
  ): FastifyReply {
    const { organization = SERVICE, uiLocales = [], formTarget } = options;
    const nonce = randomBytes(16).toString('base64');
    const formAction = formTarget === undefined ? '' : formSource(formTarget);
    const language = this.language.choose(request, uiLocales, organization.defaultLanguage);
    this.language.remember(request, reply);
    const { name, accent, logo, helpUrl, privacyUrl } = organization;
    const page: Page = {
      nonce,
      texts: textsFor([language]),
      organization: { name, accent, logoUrl: logo === undefined ? undefined : logoPath(logo) },
      footer: { helpUrl, privacyUrl },
      askedFor: isAsking(request) ? request.url : undefined,
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
