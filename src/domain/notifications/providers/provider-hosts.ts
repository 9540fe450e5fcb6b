/** Where providers may be. A name is judged once more when it is resolved; this is what can be said before. */
export abstract class ProviderHosts {
  /** @returns the rest of a sentence that begins with the field's name; undefined when nothing is wrong */
  abstract problemWithHost(hostname: string): string | undefined;

  abstract problemWithUrl(url: string): string | undefined;

  /** Of an address that only browsers visit: it may be on a network that this service does not reach. */
  abstract problemWithVisit(url: string): string | undefined;

  /** Of a directory: `ldaps://`, or `ldap://` where TLS begins on the connection. */
  abstract problemWithDirectory(url: string, startTls: boolean): string | undefined;
}
