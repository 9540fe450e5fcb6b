/** Who we are, as a client assertion names us (RFC 7523 §3). */
export abstract class ClientAuthSettings {
  abstract readonly issuer: string;
  /** URL of the token endpoint: the audience that most libraries used before RFC 10070. */
  abstract readonly tokenEndpoint: string;
}
