import type { FastifyReply } from 'fastify';

/**
 * Adds parameters to a registered URI without touching a byte of what is there: the URI was compared as a string
 * and must arrive as one (RFC 6749 §3.1.2).
 */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  const text = query.toString();
  if (text === '') return uri;
  return `${uri}${uri.includes('?') ? '&' : '?'}${text}`;
}

/** 303 after a POST, so that no browser ever sends the form on (RFC 9700 §4.12); 302 otherwise. */
export function redirectTo(reply: FastifyReply, url: string, status: 302 | 303): FastifyReply {
  return reply.code(status).headers({ location: url, 'cache-control': 'no-store' }).send();
}
