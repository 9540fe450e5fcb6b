/** How long tokens live that an organization's applications get; what is left out is as the service is configured. */
export interface TokenPolicy {
  readonly accessTokenSeconds?: number | undefined;
  readonly idTokenSeconds?: number | undefined;
  readonly refreshIdleSeconds?: number | undefined;
  readonly refreshAbsoluteSeconds?: number | undefined;
}
