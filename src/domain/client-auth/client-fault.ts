import type { Application } from '../applications/application.js';
import { OAuthError, type OAuthErrorCode } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';

/** What somebody guessing would run into; other refusals are honest clients' mistakes. */
const GUESSES: ReadonlySet<OAuthErrorCode> = new Set(['invalid_client', 'invalid_grant']);

/** Whom a request that failed said to come from. */
export interface FaultyClient {
  /** In the words of the request, whether or not there is one. */
  readonly named: string;
  /** Undefined where there is none; nothing that goes out may depend on it. */
  readonly known?: { readonly id: string; readonly orgId: OrgId } | undefined;
  /**
   * `authenticated`: its secret or assertion was right, so it is the client itself that failed. `guessed`: a proof was
   * presented and is not right. `named`: nothing but its name was; a public client never gives more.
   */
  readonly identification: 'authenticated' | 'guessed' | 'named';
}

/** A failure of which it is known whom it names; outside it looks like any other of its code. */
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

/** Runs a step of a request that has named its client: failures that look like guessing are counted for that client. */
export async function onAccountOf<T>(client: FaultyClient, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw isGuess(error) && !(error instanceof ClientFault) ? new ClientFault(error, client) : error;
  }
}

/** An authenticated application; a public one has only named itself. */
export function letIn({ clientId, orgId, authMethod }: Application): FaultyClient {
  return {
    named: clientId,
    known: { id: clientId, orgId },
    identification: authMethod === 'none' ? 'named' : 'authenticated',
  };
}

/** A service user that was authenticated, by any credential. */
export function serviceUserLetIn({ userId, orgId }: { userId: UserId; orgId: OrgId }): FaultyClient {
  return { named: userId, known: { id: userId, orgId }, identification: 'authenticated' };
}
