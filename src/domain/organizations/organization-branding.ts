/**
 * How an organization shows itself on pages and in mails: what its branding policy says, filled up with its name.
 * Statements that lead to a page bring it along, so that no page costs a query of its own.
 */
export interface OrganizationBranding {
  /** The name it wants to be called by, else the organization's own. */
  readonly name: string;
  /** `#rrggbb` */
  readonly accent?: string;
  /** File name of its logo, which changes with the picture: `<SHA-256 in hex>.png` */
  readonly logo?: string;
  /** One of `languages`, for whoever asks for none that we speak. */
  readonly defaultLanguage?: string;
  /** https */
  readonly helpUrl?: string;
  /** https */
  readonly privacyUrl?: string;
}
