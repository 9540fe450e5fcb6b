import type { FastifyReply } from 'fastify';

/**
 * Sends text that is written already, for the answers that are asked for most: past the serializers and hooks that Fastify has for
 * those that are not, which cost as much as the rest of such an answer. The headers that are set by then go along, and what is told
 * of an answer afterwards (log, metrics, traces) is told as ever.
 */
export function sendBytes(reply: FastifyReply, body: string | Buffer): void {
  const headers: string[] = [];
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    for (const one of Array.isArray(value) ? value : [value]) headers.push(name, String(one));
  }
  headers.push('content-length', String(Buffer.byteLength(body)));
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, headers).end(reply.request.method === 'HEAD' ? undefined : body);
}

/** The same for JSON. */
export function sendJson(reply: FastifyReply, answer: object): void {
  sendBytes(reply.header('content-type', 'application/json; charset=utf-8'), JSON.stringify(answer));
}
