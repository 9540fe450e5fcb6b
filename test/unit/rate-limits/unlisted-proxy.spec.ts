import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { Log } from '../../../src/domain/shared/log.js';
import { warnOfUnlistedProxy } from '../../../src/http/shared/server/unlisted-proxy.js';

class Notes extends Log {
  readonly warnings: string[] = [];
  override debug(): void {}
  override info(): void {}
  override warn(message: string, fields?: object): void {
    this.warnings.push(`${message} ${JSON.stringify(fields ?? {})}`);
  }
  override error(): void {}
}

async function warnings(
  trustProxy: false | string[],
  ...requests: { remoteAddress: string; forwarded?: string }[]
): Promise<readonly string[]> {
  const log = new Notes();
  const fastify = Fastify({ trustProxy });
  warnOfUnlistedProxy(fastify, log);
  fastify.get('/', () => 'ok');
  for (const { remoteAddress, forwarded } of requests) {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
    await fastify.inject({ url: '/', remoteAddress, headers });
  }
  await fastify.close();
  return log.warnings;
}

describe('X-Forwarded-For from a proxy that is not listed', () => {
  const proxy = '192.0.2.1';

  it('S188: is warned about once, by the name of the setting and without what was sent', async () => {
    const sent = { remoteAddress: proxy, forwarded: 'evil, 198.51.100.1' };
    for (const trust of [false, ['10.0.0.0/8']] satisfies (false | string[])[]) {
      const told = await warnings(trust, sent, sent, sent);
      expect(told).toHaveLength(1);
      expect(told[0]).toContain('TRUSTED_PROXIES');
      expect(told[0]).not.toMatch(/evil|198\.51|192\.0/);
    }
  });

  it('S188: is not warned about where the proxy is listed, or sends none', async () => {
    const listed = { remoteAddress: proxy, forwarded: '198.51.100.1' };
    expect(await warnings([proxy], listed)).toEqual([]);
    expect(await warnings(false, { remoteAddress: proxy })).toEqual([]);
  });
});
