import type { ClientRegistration } from '../applications/application.js';
import type { PublishedKeys } from '../applications/keys/key-set.js';
import type { ClientAuthMethod } from '../applications/oidc-config.js';
import type { ProjectId } from '../shared/ids.js';

/** Whose software statements count, and the keys that they are signed with: these, or those at an address. */
export interface StatementIssuer {
  readonly issuer: string;
  readonly keys: PublishedKeys | { readonly jwksUri: string };
}

/** Settings of this module; also the token under which configuration provides them. */
export abstract class ClientRegistrationSettings {
  abstract readonly issuer: string;
  /** Who may register: nobody, whoever has an initial access token, or anyone. */
  abstract readonly mode: 'off' | 'token' | 'open';
  /** Whether a client id may be the address of a document. */
  abstract readonly documents: boolean;
  /** Whether the instance serves response types with a code and a token. */
  abstract readonly servesHybrid: boolean;
  /** Whether applications are notified of logouts through the browser. */
  abstract readonly servesFrontChannelLogout: boolean;
  /** Whether the instance takes signed requests, by value and from the addresses of clients. */
  abstract readonly servesRequestObjects: boolean;
  /** Whether clients may have pairwise subjects. */
  abstract readonly servesPairwise: boolean;
  /** The methods by which a certificate of a client is taken; undefined where none is. */
  abstract readonly servesCertificates: readonly ClientAuthMethod[] | undefined;
  /** Whose software statements count (RFC 7591 §2.3); nobody's where there is none. */
  abstract readonly statementIssuers: readonly StatementIssuer[];
  /** Of client documents, for one network address and in all; 0 is no limit. */
  abstract readonly fetchesPerMinute: number;
  abstract readonly fetchesInAllPerMinute: number;
  /** Limit of unvetted clients (`isUnknownHere`) for one network address; 0 is no limit. */
  abstract readonly newClientsPerDay: number;
  /** The project of unvetted applications. */
  abstract readonly openProject: ProjectId | undefined;
  /** A client in which nobody signs in for so long goes. */
  abstract readonly unusedSeconds: number;
}

/** One that anyone registered and that nobody has signed in with yet goes after this. */
const FIRST_USE_SECONDS = 86_400;

/** What one project may have of clients that anyone registered: a flood fills no more than that, and for a day. */
export const MOST_OPEN_CLIENTS = 10_000;

/**
 * Counts per day the unvetted clients that one network address adds, by registration and by documents together: far below what
 * a project may have of them, so that no single address can use up the limit of all.
 */
export const OPEN_CLIENT_OF_A_DAY = 'open-client';

/** How long a client that is new may stay unused. */
export function firstUseSeconds(isOpen: boolean, unusedSeconds: number): number {
  return isOpen ? Math.min(FIRST_USE_SECONDS, unusedSeconds) : unusedSeconds;
}

/**
 * Whether a client that came in this way may act: an unvetted one only while the instance accepts such clients, so that switching
 * open registration or documents off disables all that came by it.
 */
export function servesRegistration(
  { mode, documents }: Pick<ClientRegistrationSettings, 'mode' | 'documents'>,
  registration: ClientRegistration | null | undefined,
): boolean {
  if (registration === 'anyone') return mode === 'open';
  return registration === 'document' ? documents : true;
}
