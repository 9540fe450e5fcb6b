import { Injectable } from '@nestjs/common';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../../config/config.js';
import {
  findLocale,
  languages,
  readAcceptLanguage,
  readUiLocales,
  type Language,
} from '../../../domain/shared/locale.js';
import { LANGUAGE_PARAMETER } from '../../../pages/layout.js';
import { FormBody } from '../oauth-form.js';

/**
 * Which language a page speaks: the one its reader chose in the footer, else the application's `ui_locales`, else
 * Accept-Language, else the organization's default, else English. The choice stays for the visit in a cookie that
 * holds the tag and nothing else, so it outlives the page, the flow and a change of the browser's secret.
 */
@Injectable()
export class PageLanguage {
  private readonly secure: boolean;
  private readonly cookie: string;

  constructor(config: Config) {
    this.secure = config.app.issuer.secure;
    this.cookie = this.secure ? '__Host-identity-language' : 'identity-language';
  }

  /** @param uiLocales of the request that a flow began with; this request's own `ui_locales` comes after them */
  choose(
    request: FastifyRequest,
    uiLocales: readonly string[],
    defaultLanguage: string | undefined,
  ): Language {
    const own = readUiLocales(parametersOf(request).get('ui_locales') ?? '');
    const wished = this.chosen(request) ?? findLocale([...uiLocales, ...own], languages);
    if (wished !== undefined) return wished;
    const { wanted, refused } = readAcceptLanguage(request.headers['accept-language'] ?? '');
    const acceptable = languages.filter((tag) => !refused.includes(tag));
    return findLocale([...wanted, defaultLanguage ?? ''], acceptable) ?? 'en';
  }

  /** Keeps what the reader has just chosen; a link on somebody else's page is no choice of theirs. */
  remember(request: FastifyRequest, reply: FastifyReply): void {
    const value = asLanguage(parametersOf(request).get(LANGUAGE_PARAMETER));
    if (value === undefined || !isAsking(request) || request.headers['sec-fetch-site'] === 'cross-site')
      return;
    const cookie = { name: this.cookie, value, path: '/', httpOnly: true, secure: this.secure };
    void reply.header('set-cookie', stringifySetCookie({ ...cookie, sameSite: 'lax' }));
  }

  /** What was chosen for the visit is over. */
  forget(reply: FastifyReply): void {
    const cookie = {
      name: this.cookie,
      value: '',
      path: '/',
      httpOnly: true,
      secure: this.secure,
      maxAge: 0,
    };
    void reply.header('set-cookie', stringifySetCookie({ ...cookie, sameSite: 'lax' }));
  }

  private chosen(request: FastifyRequest): Language | undefined {
    const asked = asLanguage(parametersOf(request).get(LANGUAGE_PARAMETER));
    const { cookie } = request.headers;
    return asked ?? asLanguage(cookie === undefined ? undefined : parseCookie(cookie)[this.cookie]);
  }
}

/** Whether the request may be sent again as it is: a link to its address gives the same page. */
export function isAsking({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function asLanguage(tag: string | null | undefined): Language | undefined {
  return languages.find((language) => language === tag);
}

/** Those of the form when the request brings one, else of the query. */
function parametersOf({ body, url }: FastifyRequest): URLSearchParams {
  if (body instanceof FormBody) return new URLSearchParams(body.text);
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
}
