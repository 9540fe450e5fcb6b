import type { FastifyReply, FastifyRequest } from 'fastify';
import { FormBody } from '../oauth-form.js';

/**
 * Adds parameters to a registered URI without changing a byte of it: the URI was compared as a string
 * and must arrive as one (RFC 6749 §3.1.2).
 */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const text = encode(parameters);
  if (text === '') return uri;
  return `${uri}${uri.includes('?') ? '&' : '?'}${text}`;
}

/** The same in the fragment, which no registered URI has (OAuth 2.0 Multiple Response Type Encoding §2.1). */
export function withFragment(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  return `${uri}#${encode(parameters)}`;
}

function encode(parameters: Readonly<Record<string, string | undefined>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) form.set(name, value);
  return form.toString();
}

/** 303 after a POST, so that no browser ever sends the form on (RFC 9700 §4.12); 302 otherwise. */
export function redirectTo(reply: FastifyReply, url: string, status: 302 | 303): FastifyReply {
  return reply.code(status).headers({ location: url, 'cache-control': 'no-store' }).send();
}

/**
 * A form that an application posts to us from its own site comes without the SameSite=Lax cookie, and the browser
 * looks like a new one (RFC 6265bis §5.6.7). The same request by GET is a top-level navigation and brings the cookie.
 */
export function repeatAsGet(request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply {
  const form = request.body instanceof FormBody ? request.body.text : '';
  // parsed and serialized again, so that the result can only be a query
  return redirectTo(reply, `${path}?${new URLSearchParams(form).toString()}`, 303);
}
