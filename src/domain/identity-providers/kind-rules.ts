import type { ProviderHosts } from '../notifications/providers/provider-hosts.js';
import type { ClaimMapping } from './claim-mapping.js';

/** What the rest of the module asks of a kind, whichever protocol it speaks. */
export interface KindRules {
  /** From which claims the fields of an account come, where the mapping says nothing else. */
  readonly fields: ClaimMapping['fields'];
  /** What says who the provider is: with other values its subjects would be other people. */
  readonly subjects: readonly string[];
  /** The form in which a subject is kept, where the provider has several for one; undefined where it says who they are by each byte. */
  readonly keptSubject?: (subject: string) => string;
  /** Of the secret that somebody types; undefined where there is none. */
  readonly secret: SecretRules | undefined;
  /** The addresses that somebody typed, by their field. */
  readonly typedUrls: readonly TypedUrl[];
  /** Those that only browsers visit, on whichever network they are. */
  readonly visitedUrls?: readonly TypedUrl[];
  /** Whether people could sign in with what is known of it; once it is so, it stays so. */
  readonly isComplete: boolean;
  /** When its secret or certificates are no longer good: the last of SAML, which has several for that, the first authority of a directory. */
  readonly expiresAt?: Date | undefined;
  /** What else is looked at before it is kept. @throws ApiError invalid-argument */
  readonly requireAllowed?: (hosts: ProviderHosts) => void;
}

type TypedUrl = readonly [field: string, url: string];

interface SecretRules {
  /** By which it is given. */
  readonly field: 'clientSecret' | 'bindPassword';
  /** Everything that says where it goes: whoever changes that must know the secret. */
  readonly destination: string;
  /** @throws ApiError invalid-argument */
  require(secret: string): void;
}
