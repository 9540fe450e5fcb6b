import { DocumentUnavailable } from '../domain/applications/client-documents.js';
import type { Log } from '../domain/shared/log.js';
import { CircuitOpen, type CircuitBreaker } from './circuit-breaker.js';
import { guardedFetch, type GuardedRequest } from './guarded-fetch.js';
import { AddressRefused, ClearTextRefused } from './guarded-lookup.js';

interface Asked {
  readonly log: Log;
  readonly what: string;
  readonly circuit?: { readonly breaker: CircuitBreaker; readonly key: string } | undefined;
}

/**
 * What stands at an address that an application named. The log has why there is nothing; the application's developer learns less.
 *
 * @param what it is, in the log
 * @param circuit by which a server that does not answer is left alone for a while
 * @throws DocumentUnavailable
 */
export async function strangerFetch(
  address: string,
  request: GuardedRequest,
  allowPrivate: boolean,
  { log, what, circuit }: Asked,
): Promise<Response> {
  const call = async () => await guardedFetch(address, request, allowPrivate);
  try {
    const response = await (circuit === undefined
      ? call()
      : circuit.breaker.run(circuit.key, isOutage, call));
    // a redirect too: it could lead to another host than the one that people are shown
    if (response.status !== 200) throw new DocumentUnavailable('is not answered with 200');
    return response;
  } catch (error) {
    if (error instanceof DocumentUnavailable) throw error;
    if (error instanceof CircuitOpen) throw new DocumentUnavailable('cannot be fetched at present');
    if (error instanceof ClearTextRefused) throw new DocumentUnavailable('is not on https');
    // whether a name of our own network exists is for operators alone to learn
    const reason = error instanceof AddressRefused ? 'address_refused' : kindOf(error);
    log.info(`${what} of an application was not fetched`, { host: new URL(address).host, reason });
    throw new DocumentUnavailable('cannot be fetched');
  }
}

/** What is refused here says nothing of the server. */
function isOutage(error: unknown): boolean {
  return !(error instanceof AddressRefused || error instanceof ClearTextRefused);
}

function kindOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return String(typeof code === 'string' ? code : name);
}
