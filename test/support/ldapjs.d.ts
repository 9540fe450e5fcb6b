/** What of ldapjs the tests use; it comes without types. */
declare module 'ldapjs' {
  import type { Server as NetServer } from 'node:net';

  export class LDAPError extends Error {}
  export class InvalidCredentialsError extends LDAPError {}
  export class UnavailableError extends LDAPError {}
  export class ConfidentialityRequiredError extends LDAPError {}
  export class StrongAuthRequiredError extends LDAPError {}
  export class ReferralError extends LDAPError {}

  interface Filter {
    matches(attributes: Readonly<Record<string, unknown>>): boolean;
    toString(): string;
  }
  export interface Request {
    readonly dn: { toString(): string };
    readonly credentials: string;
    readonly filter: Filter;
    readonly baseObject: { toString(): string };
    readonly attributes: readonly string[];
  }
  export interface Response {
    send(
      entry: { readonly dn: string; readonly attributes: Readonly<Record<string, unknown>> } | object,
    ): void;
    end(status?: number): void;
    createSearchReference(url: string): object;
    addReferral(url: string): void;
    attributes: readonly string[];
  }
  type Next = (error?: LDAPError) => void;
  type Handler = (request: Request, response: Response, next: Next) => void;

  export interface Server {
    readonly server: NetServer;
    bind(dn: string, handler: Handler): void;
    search(dn: string, handler: Handler): void;
    listen(port: number, host: string, listening: () => void): void;
    close(closed?: () => void): void;
    on(event: 'error', listener: (error: Error) => void): void;
  }
  const ldap: {
    createServer(options?: { readonly certificate?: string; readonly key?: string }): Server;
    InvalidCredentialsError: typeof InvalidCredentialsError;
    UnavailableError: typeof UnavailableError;
    ConfidentialityRequiredError: typeof ConfidentialityRequiredError;
    StrongAuthRequiredError: typeof StrongAuthRequiredError;
    ReferralError: typeof ReferralError;
  };
  export default ldap;
}
