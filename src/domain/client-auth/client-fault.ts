import type { Application } from '../clients/application.js';
import { OAuthError, type OAuthErrorCode } from '../shared/errors.js';
import type { OrgId } from '../shared/ids.js';

/** What somebody guessing would run into; other refusals are honest clients' mistakes. */
const GUESSES: ReadonlySet<OAuthErrorCode> = new Set(['invalid_client', 'invalid_grant']);

/** A client that exists, as a request that failed stood to it. */
export interface FaultyClient {
  readonly id: string;
  readonly orgId: OrgId;
  /**
   * `authenticated`: its secret or assertion was right, so it is the client itself that failed. `guessed`: a proof was
   * presented and is not right. `named`: nothing but its name was; a public client never gives more.
   */
  readonly standing: 'authenticated' | 'guessed' | 'named';
}

/** A failure of a client that exists; outside it looks like any other of its code. */
export class ClientFault extends OAuthError {
  constructor(
    { code, description, reason }: OAuthError,
    readonly client: FaultyClient,
  ) {
    super(code, description, reason);
  }
}

/** Whether a failure looks like guessing and is counted (ClientFailures). */
export function isGuess(error: unknown): error is OAuthError {
  return error instanceof OAuthError && GUESSES.has(error.code);
}

/** Runs a step of a request whose client is known by now: whatever of it looks like guessing is told with the client. */
export async function onAccountOf<T>(client: FaultyClient, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw isGuess(error) && !(error instanceof ClientFault) ? new ClientFault(error, client) : error;
  }
}

/** How an application stands once it is let in: a public one has done no more than name itself. */
export function letIn({ clientId, orgId, authMethod }: Application): FaultyClient {
  return { id: clientId, orgId, standing: authMethod === 'none' ? 'named' : 'authenticated' };
}
