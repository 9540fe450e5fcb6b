import { Resolver } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { TxtRecords } from '../domain/organizations/txt-records.js';
import { ApiError } from '../domain/shared/errors.js';
import { tracedCall } from '../tracing/trace.js';

const TIMEOUT_MS = 2000;
const TRIES = 2;
/** The name is not there, or has no record of this kind. */
const NONE = new Set(['ENODATA', 'ENOTFOUND']);

/** Asks the resolvers that the machine is set up with. */
@Injectable()
export class DnsTxtRecords extends TxtRecords {
  private readonly resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });

  override async find(name: string): Promise<readonly string[]> {
    try {
      const records = await tracedCall('DNS', name, () => this.resolver.resolveTxt(name));
      return records.map((parts) => parts.join(''));
    } catch (error) {
      if (error instanceof Error && 'code' in error && NONE.has(String(error.code))) return [];
      throw new ApiError('unavailable', 'The domain name system did not answer', 'DNS-k3Rq8', 5);
    }
  }
}
