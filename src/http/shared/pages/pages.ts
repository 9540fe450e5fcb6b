import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OrganizationBranding } from '../../../domain/organizations/organization-branding.js';
import { logoPath } from '../../../domain/policies/logo.js';
import type { FormView } from '../../../pages/form-parts.js';
import type { Page } from '../../../pages/layout.js';
import { textsFor } from '../../../pages/texts.js';
import { Csrf } from './csrf.js';
import { isAsking, PageLanguage } from './page-language.js';

export interface PageOptions {
  readonly status?: number;
  /** The organization of the page. Without it the page has the service's branding: errors must be shown without a database too. */
  readonly organization?: OrganizationBranding | undefined;
  /** Best first; before what the browser asks for. */
  readonly uiLocales?: readonly string[] | undefined;
  /** The application's URI that a form on the page leads to, at once or by the redirect that answers it. */
  readonly formTarget?: string | undefined;
  /** An open flow that an application waits for, which the page offers to cancel. */
  readonly cancels?: { readonly flow: string; readonly agent: string } | undefined;
  /** A script of the page reads from this service, and its stylesheet has pictures in it. */
  readonly viewer?: boolean;
  /** A script of the page asks this service for what a browser needs to make or show a passkey. */
  readonly passkeys?: boolean;
  /** Addresses of applications that the page frames; none of their hosts needs quoting (front-channel.ts). */
  readonly frames?: readonly string[];
}

const CANCEL_PATH = '/login/cancel';
/** What its form is for, as `FlowForms` holds it to. */
export const CANCEL_STEP = 'cancel';

const SERVICE: OrganizationBranding = { name: 'Identity Service' };

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

/** Proxies take no more than 4 kB of headers by default: of many origins only their schemes are named. */
const MOST_FRAME_SOURCES = 2_000;

function frameSources(urls: readonly string[]): string {
  const parsed = urls.map((url) => new URL(url));
  const origins = [...new Set(parsed.map(({ origin }) => origin))].join(' ');
  if (origins.length <= MOST_FRAME_SOURCES) return origins;
  return [...new Set(parsed.map(({ protocol }) => protocol))].join(' ');
}

/** Sends HTML with the headers that every page needs. */
@Injectable()
export class Pages {
  constructor(
    private readonly language: PageLanguage,
    private readonly csrf: Csrf,
  ) {}

  send(
    request: FastifyRequest,
    reply: FastifyReply,
    render: (page: Page) => string,
    options: PageOptions = {},
  ): FastifyReply {
    const { organization = SERVICE, uiLocales = [], formTarget, viewer = false, passkeys = false } = options;
    const framed = frameSources(options.frames ?? []);
    const nonce = randomBytes(16).toString('base64');
    const formAction = formTarget === undefined ? '' : formSources(formTarget);
    const language = this.language.choose(request, uiLocales, organization.defaultLanguage);
    this.language.remember(request, reply);
    const { name, accent, logo, helpUrl, privacyUrl } = organization;
    const page: Page = {
      nonce,
      texts: textsFor([language]),
      organization: { name, accent, logoUrl: logo === undefined ? undefined : logoPath(logo) },
      footer: { helpUrl, privacyUrl },
      cancelForm: options.cancels && this.cancelForm(options.cancels),
      askedFor: isAsking(request) ? request.url : undefined,
    };
    return reply
      .code(options.status ?? 200)
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy':
          `default-src 'none'; style-src 'self' 'nonce-${nonce}'; script-src 'nonce-${nonce}'; ` +
          `img-src 'self'${viewer ? ' data:' : ''}; ${viewer || passkeys ? "connect-src 'self'; " : ''}` +
          `${framed === '' ? '' : `frame-src ${framed}; `}form-action 'self'${formAction}; frame-ancestors 'none'; base-uri 'none'`,
      })
      .send(render(page));
  }

  private cancelForm({ flow, agent }: NonNullable<PageOptions['cancels']>): FormView {
    return { action: CANCEL_PATH, csrf: this.csrf.token(CANCEL_STEP, agent, flow), flow };
  }
}
