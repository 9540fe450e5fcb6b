import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { BreachedPasswords } from '../domain/passwords/strength/breached-passwords.js';
import { Clock } from '../domain/shared/clock.js';
import { Log } from '../domain/shared/log.js';
import { tracedCall } from '../tracing/trace.js';

/** What somebody who waits before a form puts up with. */
const TIMEOUT_MS = 2_000;
/** After a failure nobody is asked for so long, so that an outage delays one sign-up and not each. */
const REST_SECONDS = 30;
/** Of the SHA-1 in hexadecimal digits: some thousand passwords have the same. */
const PREFIX = 5;

/**
 * The range API of Pwned Passwords, or a compatible one: it gets five digits of a hash and returns the suffixes of
 * all hashes that begin so, hence never learns the password (k-anonymity). It pads its answers when asked to, so that their
 * length reveals nothing either.
 */
@Injectable()
export class HttpBreachedPasswords extends BreachedPasswords {
  private readonly url: string | undefined;
  private restsUntil = 0;

  constructor(
    config: Config,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    super();
    this.url = config.app.passwords.breachUrl;
  }

  override get isAsked(): boolean {
    return this.url !== undefined;
  }

  override async isKnown(password: string): Promise<boolean> {
    if (this.url === undefined || this.clock.nowSeconds() < this.restsUntil) return false;
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
    try {
      const url = new URL(this.url + digest.slice(0, PREFIX));
      const answer = await tracedCall('GET', url.hostname, () => ask(url));
      return isListed(answer, digest.slice(PREFIX));
    } catch (error) {
      this.restsUntil = this.clock.nowSeconds() + REST_SECONDS;
      // its message names the address, and with it the digits that were asked for
      const kind = error instanceof Error ? error.name : 'unknown';
      this.log.warn('breached passwords not looked up', { kind, restSeconds: REST_SECONDS });
      return false;
    }
  }
}

async function ask(url: URL): Promise<string> {
  const response = await fetch(url, {
    headers: { 'add-padding': 'true', 'user-agent': 'identity-service' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return await response.text();
}

/** Lines such as `0018A45C4D1DEF81644B54AB7F969B88D65:3`; padding has the count 0. */
function isListed(answer: string, end: string): boolean {
  return answer.split(/\r?\n/).some((line) => {
    const [suffix, count] = line.split(':');
    return suffix?.toUpperCase() === end && Number(count) > 0;
  });
}
