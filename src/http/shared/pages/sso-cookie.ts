import { Injectable } from '@nestjs/common';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../../config/config.js';

export const YEAR_SECONDS = 365 * 24 * 3600;

/**
 * The cookie by which people are signed in: which browser this is. `__Host-` pins it to this host, path and https; the plain name exists only
 * for http on loopback, where browsers refuse the prefix. Lax, because sign-in begins with a link from elsewhere.
 */
@Injectable()
export class SsoCookie {
  private readonly secure: boolean;
  private readonly name: string;

  constructor(config: Config) {
    this.secure = config.app.issuer.secure;
    this.name = this.secure ? '__Host-identity-agent' : 'identity-agent';
  }

  read(request: FastifyRequest): string | undefined {
    const { cookie } = request.headers;
    return cookie === undefined ? undefined : parseCookie(cookie)[this.name];
  }

  write(reply: FastifyReply, secret: string): void {
    const cookie = stringifySetCookie({
      name: this.name,
      value: secret,
      path: '/',
      httpOnly: true,
      secure: this.secure,
      sameSite: 'lax',
      maxAge: YEAR_SECONDS,
    });
    void reply.header('set-cookie', cookie);
  }
}
